import { oauth } from 'plumb-mcp/auth';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, it } from 'vitest';
import {
  browserless,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../support/authorization-server.js';
import { cleanup } from '../../support/cleanup.js';
import { startProtectedServer } from '../../support/protected-server.js';

async function start(path = ''): Promise<TestAuthorizationServer> {
  const issuer = await startAuthorizationServer(path);
  cleanup(() => issuer.close());
  return issuer;
}

async function login(url: string): Promise<Client> {
  const client = await connect(url, { auth: oauth({ interaction: browserless() }) });
  cleanup(() => client.close());
  return client;
}

function metadataRequests(issuer: TestAuthorizationServer): string[] {
  return issuer.requests.map(({ path }) => path).filter((path) => path.includes('.well-known'));
}

describe('the metadata of an authorization server', () => {
  it.each([
    ['', ['/.well-known/oauth-authorization-server']],
    ['', ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration']],
    ['/t', ['/.well-known/oauth-authorization-server/t']],
    ['/t', ['/.well-known/oauth-authorization-server/t', '/.well-known/openid-configuration/t']],
    [
      '/t',
      [
        '/.well-known/oauth-authorization-server/t',
        '/.well-known/openid-configuration/t',
        '/t/.well-known/openid-configuration',
      ],
    ],
  ])('of issuer "%s" is looked for in this order: %s', async (path, places) => {
    const issuer = await start(path);
    const first = `/.well-known/oauth-authorization-server${path}`;
    const last = places.at(-1) ?? '';
    const document = await (await fetch(`${issuer.origin}${first}`)).json();
    for (const place of places) issuer.override.set(place, () => ({ status: 404 }));
    issuer.override.set(last, () => ({ status: 200, body: document }));
    issuer.requests.length = 0;
    // The keys are given, so that only the client asks for metadata.
    const server = await startProtectedServer(issuer.issuer, { jwksUri: `${issuer.origin}/jwks` });
    cleanup(() => server.close());
    await login(server.url);
    expect(metadataRequests(issuer)).toEqual(places);
  });

  it('may move within its origin, and not beyond', async () => {
    const issuer = await start();
    const place = '/.well-known/oauth-authorization-server';
    const document = await (await fetch(`${issuer.origin}${place}`)).json();
    issuer.override.set('/moved', () => ({ status: 200, body: document }));
    issuer.override.set(place, () => ({ status: 301, headers: { location: '/moved' } }));
    const server = await startProtectedServer(issuer.issuer, { jwksUri: `${issuer.origin}/jwks` });
    cleanup(() => server.close());
    await login(server.url);
    const elsewhere = await start();
    elsewhere.override.set('/moved', () => ({ status: 200, body: document }));
    issuer.override.set(place, () => ({ status: 301, headers: { location: `${elsewhere.origin}/moved` } }));
    await expect(login(server.url)).rejects.toThrow(/no metadata/);
    expect(elsewhere.requests).toEqual([]);
  });
});

describe('a server from before resource metadata', () => {
  /** Is its own authorization server: whatever is not /mcp is answered by it. */
  async function legacyServer(document: boolean): Promise<{ url: string; issuer: TestAuthorizationServer }> {
    const issuer = await start();
    const server = createServer({ name: 'old', version: '1' });
    server.tool('hello', {}, () => 'hello');
    const handle = await server.http({
      authenticate: (request) =>
        request.header('authorization')?.startsWith('Bearer ey') === true
          ? { principal: 'someone' }
          : { status: 401, message: 'Who are you?' },
    });
    cleanup(() => handle.close({ drain: 0 }));
    // One origin for both, as such servers have it.
    issuer.override.set('/mcp', async ({ method, headers, body }) => {
      const { host: _host, 'content-length': _length, connection: _connection, ...passed } = headers;
      const response = await fetch(handle.url, {
        method,
        headers: Object.entries(passed).map(([name, value]): [string, string] => [name, String(value)]),
        ...(body === '' ? {} : { body }),
      });
      const text = await response.text();
      const session = response.headers.get('mcp-session-id');
      return {
        status: response.status,
        ...(text === '' ? {} : { body: JSON.parse(text) }),
        headers: session === null ? {} : { 'mcp-session-id': session },
      };
    });
    if (!document) issuer.override.set('/.well-known/oauth-authorization-server', () => ({ status: 404 }));
    return { url: `${issuer.origin}/mcp`, issuer };
  }

  it.each([true, false])(
    'is its own authorization server, with metadata or without (%s)',
    async (document) => {
      const { url, issuer } = await legacyServer(document);
      const client = await login(url);
      expect((await client.tools.call('hello')).content).toEqual([{ type: 'text', text: 'hello' }]);
      expect(issuer.to('/register')).toHaveLength(1);
      expect(issuer.to('/token')).toHaveLength(1);
      // Its authorization server knows nothing of resource indicators.
      expect(issuer.to('/authorize')[0]?.query.has('resource')).toBe(false);
      expect(issuer.to('/authorize')[0]?.query.get('code_challenge_method')).toBe('S256');
    },
  );
});
