import { generateKeyPair, SignJWT } from 'jose';
import { bearer, TokenRejected } from 'plumb-mcp/auth';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../support/authorization-server.js';
import { type ProtectedServer, startProtectedServer } from '../../support/protected-server.js';

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } },
};

let issuer: TestAuthorizationServer;
let protectedServer: ProtectedServer | undefined;

beforeEach(async () => {
  issuer = await startAuthorizationServer();
});

afterEach(async () => {
  vi.useRealTimers();
  await protectedServer?.close();
  await issuer.close();
});

async function start(options?: Parameters<typeof startProtectedServer>[1]): Promise<string> {
  protectedServer = await startProtectedServer(issuer.issuer, options);
  return protectedServer.url;
}

function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(body),
  });
}

function authorized(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

async function session(url: string, token: string): Promise<Record<string, string>> {
  const response = await post(url, INITIALIZE, authorized(token));
  return { ...authorized(token), 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
}

function call(name: string): unknown {
  return { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: {} } };
}

describe('a request without a good token', () => {
  it('is told where to get one when it brings none', async () => {
    const url = await start({ requiredScopes: ['mcp'] });
    const response = await post(url, INITIALIZE);
    expect(response.status).toBe(401);
    const metadata = `${new URL(url).origin}/.well-known/oauth-protected-resource/mcp`;
    expect(response.headers.get('www-authenticate')).toBe(
      `Bearer scope="mcp", resource_metadata="${metadata}"`,
    );
  });

  it.each([
    ['another audience', { aud: 'https://elsewhere.example/mcp' }, 'another audience'],
    ['an end in the past', { exp: 1000 }, 'expired'],
    ['a beginning in the future', { nbf: 99_999_999_999 }, 'nbf'],
    ['another issuer', { iss: 'https://evil.example' }, 'another issuer'],
  ])('is refused with %s', async (_name, claims, reason) => {
    const url = await start();
    const response = await post(
      url,
      INITIALIZE,
      authorized(await issuer.sign({ sub: 'a', aud: url, ...claims })),
    );
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(response.headers.get('www-authenticate')).toContain(reason);
  });

  it('is refused with an ID token, with a foreign key, without expiry, and with no signature at all', async () => {
    const url = await start();
    const { privateKey } = await generateKeyPair('ES256');
    const claims = { iss: issuer.issuer, sub: 'a', aud: url, exp: Math.floor(Date.now() / 1000) + 60 };
    const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const tokens = [
      await issuer.sign({ sub: 'a', aud: url }, { typ: 'logout+jwt' }),
      await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey),
      await new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode('x'.repeat(32))),
      `${part({ alg: 'none' })}.${part(claims)}.`,
      'nonsense',
    ];
    for (const token of tokens) expect((await post(url, INITIALIZE, authorized(token))).status).toBe(401);
    const opaque = await post(url, INITIALIZE, authorized('nonsense'));
    expect(opaque.headers.get('www-authenticate')).toContain('it is not a JWT');
  });

  it('is refused when the token is in the query string, or in the header in another way', async () => {
    const url = await start();
    const token = await issuer.sign({ sub: 'a', aud: url });
    expect((await post(`${url}?access_token=${token}`, INITIALIZE)).status).toBe(401);
    expect((await post(url, INITIALIZE, { authorization: `Basic ${token}` })).status).toBe(401);
    expect((await post(url, INITIALIZE, { authorization: `Bearer ${token}, Bearer ${token}` })).status).toBe(
      401,
    );
  });

  it('is refused when the token is bound to a key and no proof came with it', async () => {
    const url = await start();
    const token = await issuer.sign({ sub: 'a', aud: url, cnf: { jkt: 'x' } });
    expect((await post(url, INITIALIZE, authorized(token))).status).toBe(401);
  });

  it('is refused within a session too: a session id is no credential', async () => {
    const url = await start();
    const { authorization: _, ...anonymous } = await session(url, await issuer.sign({ sub: 'a', aud: url }));
    expect((await post(url, call('whoami'), anonymous)).status).toBe(401);
  });
});

describe('a good token', () => {
  it('tells the handler who is calling', async () => {
    const url = await start();
    const token = await issuer.sign({ sub: 'alice', aud: [url, 'other'], client_id: 'app', scope: 'a b' });
    const response = await post(url, call('whoami'), await session(url, token));
    const { result } = (await response.json()) as { result: { content: { text: string }[] } };
    expect(JSON.parse(result.content[0]?.text ?? '')).toEqual({
      principal: `${issuer.issuer}|sub|alice`,
      clientId: 'app',
      scopes: ['a', 'b'],
    });
  });

  it('is good after a rotation of the keys, which are fetched again for one that is not known', async () => {
    const url = await start();
    expect((await post(url, INITIALIZE, authorized(await issuer.sign({ sub: 'a', aud: url })))).status).toBe(
      200,
    );
    await issuer.rotateKeys();
    const renewed = await issuer.sign({ sub: 'a', aud: url });
    // A stranger with made-up key ids cannot make us hammer the issuer.
    expect((await post(url, INITIALIZE, authorized(renewed))).status).toBe(401);
    expect(issuer.to('/jwks')).toHaveLength(1);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    expect((await post(url, INITIALIZE, authorized(renewed))).status).toBe(200);
    expect((await post(url, INITIALIZE, authorized(renewed))).status).toBe(200);
    expect(issuer.to('/jwks')).toHaveLength(2);
  });

  it("does not open another user's session", async () => {
    const url = await start();
    const alice = await session(url, await issuer.sign({ sub: 'alice', aud: url }));
    const bob = { ...alice, ...authorized(await issuer.sign({ sub: 'bob', aud: url })) };
    expect((await post(url, call('whoami'), bob)).status).toBe(404);
    expect((await post(url, call('whoami'), alice)).status).toBe(200);
  });
});

describe('scopes', () => {
  it('that every request needs are challenged with 403', async () => {
    const url = await start({ requiredScopes: ['mcp', 'files'] });
    const response = await post(
      url,
      INITIALIZE,
      authorized(await issuer.sign({ sub: 'a', aud: url, scope: 'mcp' })),
    );
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_scope", error_description="[^"]+", scope="mcp files", resource_metadata="http/,
    );
  });

  it('of a tool are checked before it runs, in sessions, batches and without', async () => {
    const url = await start();
    const headers = await session(url, await issuer.sign({ sub: 'a', aud: url, scope: 'files:read' }));
    const response = await post(url, call('delete'), headers);
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toContain('scope="files:write"');
    expect((await post(url, [call('whoami'), call('delete')], headers)).status).toBe(403);
    const stateless = {
      jsonrpc: '2.0',
      id: 3,
      method: 'tools/call',
      params: {
        name: 'delete',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    };
    const mirrored = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'delete',
    };
    const { authorization } = headers;
    expect((await post(url, stateless, { authorization: authorization ?? '', ...mirrored })).status).toBe(
      403,
    );
  });

  it('let the tool run once they are granted', async () => {
    const url = await start();
    const headers = await session(url, await issuer.sign({ sub: 'a', aud: url, scope: 'files:write' }));
    expect((await post(url, call('delete'), headers)).status).toBe(200);
  });

  it('hide tools from the list only where that is wanted', async () => {
    const names = async (url: string): Promise<string[]> => {
      const headers = await session(url, await issuer.sign({ sub: 'a', aud: url }));
      const response = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers);
      const { result } = (await response.json()) as { result: { tools: { name: string }[] } };
      return result.tools.map(({ name }) => name);
    };
    expect(await names(await start())).toContain('delete');
    await protectedServer?.close();
    expect(await names(await start({ listTools: 'permitted' }))).toEqual(['whoami', 'ask']);
  });
});

describe('protected resource metadata', () => {
  it.each(['/.well-known/oauth-protected-resource', '/.well-known/oauth-protected-resource/mcp'])(
    'is served at %s without a token',
    async (path) => {
      const url = await start({ requiredScopes: ['mcp'], resourceName: 'Files' });
      const response = await fetch(new URL(path, url));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        resource: url,
        authorization_servers: [issuer.issuer],
        bearer_methods_supported: ['header'],
        scopes_supported: ['mcp'],
        resource_name: 'Files',
      });
    },
  );
});

describe('introspection', () => {
  it('asks the authorization server, believes it for a short time, and checks the audience', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    onTestFinished(() => void vi.useRealTimers());
    let active = true;
    let audience = '';
    issuer.override.set('/introspect', ({ form, headers }) => {
      expect(headers.authorization).toMatch(/^Basic /);
      return {
        status: 200,
        body:
          active && form.get('token') === 'opaque'
            ? { active, sub: 'a', aud: audience, scope: 'x' }
            : { active: false },
      };
    });
    const url = await start({ introspection: { clientId: 'rs', clientSecret: 'hush', cacheTtl: 10_000 } });
    audience = url;
    expect((await post(url, INITIALIZE, authorized('opaque'))).status).toBe(200);
    expect((await post(url, INITIALIZE, authorized('opaque'))).status).toBe(200);
    expect(issuer.to('/introspect')).toHaveLength(1);
    active = false;
    vi.setSystemTime(Date.now() + 10_001);
    expect((await post(url, INITIALIZE, authorized('opaque'))).status).toBe(401);
    active = true;
    audience = 'https://elsewhere.example';
    expect((await post(url, INITIALIZE, authorized('opaque'))).status).toBe(401);
  });
});

describe('options', () => {
  it('take no keys that came over plain http', async () => {
    const url = await start({ jwksUri: 'http://keys.example.com/jwks' });
    const response = await post(url, INITIALIZE, authorized(await issuer.sign({ sub: 'a', aud: url })));
    expect(response.status).toBe(500);
  });

  it('refuse issuers that cannot be told apart or are not safe', () => {
    const audience = 'https://example.com/mcp';
    expect(() => bearer({ issuer: 'http://example.com', audience })).toThrow(/https/);
    expect(() => bearer({ issuer: 'https://a.example/|sub|x', audience })).toThrow(/issuer/i);
    expect(() => bearer({ issuer: 'https://a.example', audience: 'my-api' })).toThrow(/resource/);
    const issuers = ['https://a.example', 'https://b.example'];
    expect(() => bearer({ issuer: issuers, audience, jwksUri: 'https://a.example/jwks' })).toThrow(
      /one issuer/,
    );
  });

  it('take a verification of your own', async () => {
    const url = await start({
      verify: async (token) => {
        if (token !== 'good') throw new TokenRejected('it is not the good one');
        return { sub: 'a' };
      },
    });
    expect((await post(url, INITIALIZE, authorized('good'))).status).toBe(200);
    expect((await post(url, INITIALIZE, authorized('bad'))).status).toBe(401);
  });
});
