/** Access tokens with claims of the wrong kind, and verifiers that return nothing: refused, never a server error. */

import { bearer } from 'plumb-mcp/auth';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startAuthorizationServer } from '../support/authorization-server.js';
import { freePort } from '../support/free-port.js';
import { startProtectedServer } from '../support/protected-server.js';

const PING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
});

function knock(url: string, token: string): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: PING,
  });
}

const WRONG: readonly unknown[] = [7, 0, true, null, {}, [], ['a'], '', { toString: 'x' }];

describe('a signed token', () => {
  test.each(WRONG)('with the subject %j is refused', async (sub) => {
    const issuer = await startAuthorizationServer();
    onTestFinished(() => issuer.close());
    const server = await startProtectedServer(issuer.issuer);
    onTestFinished(() => server.close());
    const claims = { iss: issuer.issuer, aud: server.url, exp: Math.floor(Date.now() / 1000) + 60 };
    const response = await knock(server.url, await issuer.sign({ ...claims, ...{ sub: sub as string } }));
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    const good = await knock(server.url, await issuer.sign({ ...claims, sub: 'ada' }));
    expect(good.status).toBe(200);
  });
});

describe('a verifier of the author', () => {
  test.each([
    undefined,
    null,
    true,
    'ada',
    7,
    [],
    {},
    { sub: 7 },
    { sub: '' },
    { iss: 7, sub: 'ada' },
    { client_id: {} },
  ])('that returns %j lets nobody in', async (claims) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    const server = createServer({ name: 's', version: '1', onError: () => undefined });
    onTestFinished(() => server.close({ drain: 0 }));
    const verify = async () => claims as never;
    await server.http({ port, auth: bearer({ issuer: 'https://as.example', audience: url, verify }) });
    const response = await knock(url, 'token');
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
  });
});
