import { expect } from 'vitest';
import { type Sender, SessionPeer, statelessTool } from './http-peer.js';
import { textOf } from './wire-peer.js';

/** The server still serves, in both eras. */
export async function expectHealthy(target: Sender): Promise<void> {
  expect(textOf(await (await statelessTool(target, 'echo', { text: 'alive' })).result())).toBe('alive');
  const peer = await SessionPeer.open(target, '2025-11-25');
  expect((await peer.request('ping')).status).toBe(200);
  await peer.end();
}
