/** An MCP server behind `bearer()`, with a tool for everyone and one that needs a scope. */

import { bearer } from 'plumb-mcp/auth';
import { createServer, type Server } from 'plumb-mcp/server';
import type { BearerOptions } from '../../src/auth/resource/bearer.js';
import { freePort } from './free-port.js';

export interface ProtectedServer {
  readonly url: string;
  readonly server: Server;
  close(): Promise<void>;
}

export async function startProtectedServer(
  issuer: string,
  options: Partial<BearerOptions> & { readonly legacySse?: boolean } = {},
): Promise<ProtectedServer> {
  const { legacySse = false, ...rest } = options;
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = createServer({ name: 'protected', version: '1.0.0' });
  server.tool('whoami', {}, (_args, ctx) => ({
    principal: ctx.caller.principal ?? null,
    clientId: ctx.caller.auth?.clientId ?? null,
    scopes: [...(ctx.caller.auth?.scopes ?? [])],
  }));
  server.tool('delete', { scopes: ['files:write'] }, () => 'deleted');
  server.tool('ask', { input: { type: 'object' } }, async (_args, ctx) => {
    const answer = await ctx.elicit('Sure?', { type: 'object', properties: { ok: { type: 'boolean' } } });
    return answer.action;
  });
  const handle = await server.http({ port, legacySse, auth: bearer({ issuer, audience: url, ...rest }) });
  return { url, server, close: () => handle.close({ drain: 0 }) };
}
