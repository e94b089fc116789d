/** A server whose one tool, `t`, asks; and calls of it in the stateless revision, round by round. */

import { expect } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/jsonrpc/message.js';
import { type Context, createServer, type Server, type ServerOptions } from '../../src/server/index.js';
import { openRevision, type RevisionPeer, textOf } from './wire-peer.js';

export const FORM = z.object({ name: z.string() });
export const CAPABILITIES = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };
export const ADA = { action: 'accept', content: { name: 'Ada' } };

type Interim = {
  requestState: string;
  inputRequests: Record<string, { method: string; params: JsonObject }>;
};

export function asking(
  handler: (ctx: Context) => unknown,
  options: Partial<ServerOptions> = {},
): { server: Server; errors: unknown[]; runs: () => number } {
  const errors: unknown[] = [];
  let runs = 0;
  const server = createServer({
    name: 's',
    version: '1',
    onError: (error) => errors.push(error),
    ...options,
  });
  server.tool('t', { input: { type: 'object' } }, async (_args, ctx) => {
    runs += 1;
    return JSON.stringify((await handler(ctx)) ?? null);
  });
  return { server, errors, runs: () => runs };
}

export const open = (server: Server, capabilities: JsonObject = CAPABILITIES) =>
  openRevision(server, '2026-07-28', { capabilities });

/** Calls and expects questions. */
export async function interim(peer: RevisionPeer, params: JsonObject = {}): Promise<Interim> {
  const result = await peer.call('tools/call', { name: 't', ...params });
  expect(result.resultType).toBe('input_required');
  return result as unknown as Interim;
}

/** Calls and expects an end. */
export async function complete(peer: RevisionPeer, params: JsonObject): Promise<unknown> {
  const result = await peer.call('tools/call', { name: 't', ...params });
  expect(result.resultType).toBe('complete');
  return JSON.parse(textOf(result));
}
