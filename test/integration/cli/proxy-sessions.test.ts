/** `plumb proxy --http` in front of a real server, for clients that keep no session. */

import { afterEach, expect, it } from 'vitest';
import { EVERYTHING, type Running, start } from './plumb.js';

const running: Running[] = [];
afterEach(async () => {
  for (const proxy of running.splice(0)) {
    proxy.process.kill('SIGTERM');
    await proxy.ended;
  }
});

async function proxyUrl(...flags: string[]): Promise<string> {
  const proxy = start(['proxy', '--http', '0', ...flags, ...EVERYTHING]);
  running.push(proxy);
  const url = (): string | undefined => /http:\/\/\S+\/mcp/.exec(proxy.stdout() + proxy.stderr())?.[0];
  await expect.poll(url).toBeDefined();
  return url() ?? '';
}

function post(url: string, message: object): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
}

const INITIALIZE = {
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
};
const LIST = { id: 2, method: 'tools/list', params: {} };

it('serves a request of the handshake era that names no session', async () => {
  const url = await proxyUrl();
  const listed = await post(url, LIST);
  expect(listed.status).toBe(200);
  expect(JSON.stringify(await listed.json())).toContain('"name":"echo"');
  expect((await post(url, INITIALIZE)).headers.get('mcp-session-id')).toBeTypeOf('string');
});

it('--no-sessions gives out none', async () => {
  const url = await proxyUrl('--no-sessions');
  const opened = await post(url, INITIALIZE);
  expect(opened.headers.get('mcp-session-id')).toBeNull();
  expect(await opened.json()).toMatchObject({ result: { serverInfo: { name: 'mcp-servers/everything' } } });
  const called = await post(url, {
    id: 3,
    method: 'tools/call',
    params: { name: 'echo', arguments: { message: 'hi' } },
  });
  expect(JSON.stringify(await called.json())).toContain('Echo: hi');
});
