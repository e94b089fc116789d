/** Hostile MCP servers, hostile metadata and hostile authorization servers against the client; strangers against the server. */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bearer, createFileTokenStore, createMemoryTokenStore, oauth, TokenRejected } from 'plumb-mcp/auth';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { beforeEach, describe, expect, it } from 'vitest';
import { openAuthHttp } from '../../src/auth/client/auth-http.js';
import { createGuardedFetch } from '../../src/auth/client/node-fetch.js';
import type { OAuthOptions } from '../../src/auth/client/oauth.js';
import {
  browserless,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../support/authorization-server.js';
import { cleanup } from '../support/cleanup.js';
import { freePort } from '../support/free-port.js';
import { startProtectedServer } from '../support/protected-server.js';

let issuer: TestAuthorizationServer;
beforeEach(async () => {
  issuer = await startAuthorizationServer();
  cleanup(() => issuer.close());
});

/** A listener that only counts who comes. */
async function trap(): Promise<{ origin: string; requests: string[] }> {
  const requests: string[] = [];
  const server: HttpServer = createHttpServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)} ${body}`);
      response.writeHead(404).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanup(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** An MCP server that answers 401 to everything and serves whatever metadata it likes. */
async function rogueServer(metadata: (url: string) => unknown): Promise<string> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  const server = createHttpServer((request, response) => {
    request.resume();
    if (request.url?.startsWith('/.well-known/oauth-protected-resource')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(metadata(url)));
    } else response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  cleanup(() => {
    server.closeAllConnections();
    server.close();
  });
  return url;
}

async function login(url: string, options: OAuthOptions = {}): Promise<Client> {
  const client = await connect(url, { auth: oauth({ interaction: browserless(), ...options }) });
  cleanup(() => client.close());
  return client;
}

/** Everything that an error and its causes say. */
function everythingIn(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = Object.getOwnPropertyNames(error).map((name) => `${name}: ${String(Reflect.get(error, name))}`);
  return `${error.message} ${own.join(' ')} ${error.stack ?? ''} ${everythingIn(error.cause ?? '')}`;
}

async function failure(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => {
      throw new Error('It should have failed');
    },
    (error: unknown) => everythingIn(error),
  );
}

describe('a race for the refresh token', () => {
  /** Refuses every token from before `cutOff`, as after a revocation of access tokens alone. */
  async function forgetfulServer(): Promise<{ url: string; forget(): void }> {
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    let forgotten = 0;
    let newest = 0;
    const server = createServer({ name: 'forgetful', version: '1' });
    server.tool('hello', {}, () => 'hello');
    const auth = bearer({
      issuer: issuer.issuer,
      audience: url,
      verify: async (token) => {
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        newest = Math.max(newest, claims.serial);
        if (claims.serial <= forgotten) throw new TokenRejected('it was revoked');
        return claims;
      },
    });
    const handle = await server.http({ port: Number(new URL(url).port), auth });
    cleanup(() => handle.close({ drain: 0 }));
    return {
      url,
      forget: () => {
        forgotten = newest;
      },
    };
  }

  it('of 50 concurrent 401s makes one refresh, and kills no token family', async () => {
    const { url, forget } = await forgetfulServer();
    const client = await login(url);
    await client.tools.call('hello');
    forget();
    await Promise.all(Array.from({ length: 50 }, () => client.tools.call('hello')));
    forget();
    await Promise.all(Array.from({ length: 50 }, () => client.tools.call('hello')));
    const grants = issuer.to('/token').map(({ form }) => form.get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token', 'refresh_token']);
    expect(issuer.reused).toEqual([]);
    expect(issuer.to('/authorize')).toHaveLength(1);
  });

  it('between processes that share a file makes one refresh too', async () => {
    const { url, forget } = await forgetfulServer();
    const folder = await mkdtemp(join(tmpdir(), 'plumb-auth-'));
    cleanup(() => rm(folder, { recursive: true, force: true }));
    const path = join(folder, 'credentials.json');
    // Each has a store of its own, as in another process; only the file is the same.
    const clients = await Promise.all(
      [await login(url, { store: createFileTokenStore({ path }) })].concat(
        await Promise.all([1, 2, 3].map(() => login(url, { store: createFileTokenStore({ path }) }))),
      ),
    );
    forget();
    await Promise.all(
      clients.flatMap((client) => Array.from({ length: 10 }, () => client.tools.call('hello'))),
    );
    expect(issuer.to('/token').filter(({ form }) => form.get('grant_type') === 'refresh_token')).toHaveLength(
      1,
    );
    expect(issuer.reused).toEqual([]);
  });
});

describe('hostile resource metadata', () => {
  it('for another resource leads nowhere', async () => {
    const url = await rogueServer(() => ({
      resource: 'https://bank.example/mcp',
      authorization_servers: [issuer.issuer],
    }));
    expect(await failure(login(url))).toContain('bank.example');
    expect(issuer.requests).toEqual([]);
  });

  it('for a longer path, or one that only begins alike, leads nowhere either', async () => {
    for (const suffix of ['/deeper', 'x']) {
      const url = await rogueServer((own) => ({
        resource: `${own}${suffix}`,
        authorization_servers: [issuer.issuer],
      }));
      await failure(login(url));
    }
    expect(issuer.requests).toEqual([]);
  });

  it('that names a rogue authorization server gets no secret of a registered client', async () => {
    const rogue = await startAuthorizationServer();
    cleanup(() => rogue.close());
    const url = await rogueServer((own) => ({ resource: own, authorization_servers: [rogue.issuer] }));
    const client = { id: 'mine', secret: 'the-client-secret', issuer: issuer.issuer };
    expect(await failure(login(url, { client }))).toContain('were not sent there');
    expect(rogue.to('/token')).toEqual([]);
    expect(rogue.to('/authorize')).toEqual([]);
    expect(JSON.stringify(rogue.requests)).not.toContain('the-client-secret');
  });

  it.each<[string, OAuthOptions]>([
    ['registered itself', {}],
    ['is known by its metadata document', { clientMetadataUrl: 'https://app.example/client.json' }],
  ])(
    'that changes to a rogue authorization server gets no refresh token of a client that %s',
    async (_name, options) => {
      const store = createMemoryTokenStore();
      issuer.metadata = { client_id_metadata_document_supported: true };
      const honest = await startProtectedServer(issuer.issuer);
      await (await login(honest.url, { store, ...options })).tools.call('whoami');
      await honest.close();
      const rogue = await startAuthorizationServer();
      rogue.metadata = { client_id_metadata_document_supported: true };
      cleanup(() => rogue.close());
      const turned = createHttpServer((request, response) => {
        request.resume();
        if (request.url?.startsWith('/.well-known')) {
          const document = { resource: honest.url, authorization_servers: [rogue.issuer] };
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
        } else response.writeHead(401, { 'www-authenticate': 'Bearer error="invalid_token"' }).end();
      });
      await new Promise<void>((resolve) =>
        turned.listen(Number(new URL(honest.url).port), '127.0.0.1', resolve),
      );
      cleanup(() => {
        turned.closeAllConnections();
        turned.close();
      });
      await failure(login(honest.url, { store, ...options }));
      expect(rogue.to('/authorize').length).toBeGreaterThan(0);
      const seen = JSON.stringify(rogue.requests.map(({ body, query }) => `${body} ${query}`));
      expect(seen).not.toMatch(/refresh-/);
      const id = issuer.to('/authorize')[0]?.query.get('client_id') ?? '-';
      // Documents are the same for everyone; what an authorization server gave us is for that one alone.
      if (options.clientMetadataUrl === undefined) expect(seen).not.toContain(id);
    },
  );
});

describe('a hostile authorization server', () => {
  async function honestServer(): Promise<string> {
    const server = await startProtectedServer(issuer.issuer);
    cleanup(() => server.close());
    return server.url;
  }

  it.each([
    ['another issuer', 'https://attacker.example'],
    ['a trailing slash', undefined],
  ])('with metadata of %s is not used', async (_name, other) => {
    issuer.metadata = { issuer: other ?? `${issuer.issuer}/` };
    await failure(login(await honestServer()));
    expect(issuer.to('/register')).toEqual([]);
    expect(issuer.to('/authorize')).toEqual([]);
  });

  it('without PKCE is not used', async () => {
    for (const methods of [undefined, ['plain']]) {
      issuer.metadata = { code_challenge_methods_supported: methods };
      expect(await failure(login(await honestServer()))).toContain('S256');
    }
    expect(issuer.to('/authorize')).toEqual([]);
  });

  it.each<[string, Record<string, string | undefined>]>([
    ['another issuer', { iss: 'https://other.example' }],
    ['no issuer although it promised one', { iss: undefined }],
    ['an issuer that differs in a slash', { iss: 'slash' }],
    ['another state', { state: 'forged' }],
    ['no state', { state: undefined }],
  ])('that answers the login with %s gets no code redeemed', async (_name, answer) => {
    issuer.answer = answer.iss === 'slash' ? { iss: `${issuer.issuer}/` } : answer;
    await failure(login(await honestServer()));
    expect(issuer.to('/authorize').length).toBeGreaterThan(0);
    expect(issuer.to('/token')).toEqual([]);
  });

  it('cannot have its error shown in the name of another issuer', async () => {
    issuer.answer = {
      iss: 'https://other.example',
      code: undefined,
      error: 'x',
      error_description: 'Call 555-1234',
    };
    expect(await failure(login(await honestServer()))).not.toContain('555-1234');
  });

  it('cannot have the code or the verifier forwarded by a redirect of its token endpoint', async () => {
    const { origin, requests } = await trap();
    issuer.override.set('/token', () => ({ status: 307, headers: { location: `${origin}/token` } }));
    await failure(login(await honestServer()));
    expect(requests).toEqual([]);
  });

  it('cannot have secrets shown by echoing them', async () => {
    const seen: string[] = [];
    issuer.override.set('/token', ({ form }) => {
      const code = form.get('code') ?? '';
      const verifier = form.get('code_verifier') ?? '';
      seen.push(code, verifier);
      return {
        status: 400,
        body: { error: 'invalid_grant', error_description: `code ${code} verifier ${verifier}` },
      };
    });
    const said = await failure(login(await honestServer()));
    expect(said).toContain('invalid_grant');
    expect(seen.length).toBeGreaterThan(0);
    for (const secret of seen) expect(said).not.toContain(secret);
  });

  it.each(['javascript:alert(1)', 'file:///etc/passwd', 'data:text/html,x', 'http://example.com/login'])(
    'cannot have %s opened',
    async (endpoint) => {
      issuer.metadata = { authorization_endpoint: endpoint };
      const interaction = browserless();
      await failure(login(await honestServer(), { interaction }));
      expect(interaction.opened).toEqual([]);
    },
  );

  it('does not get the headers that are for the server', async () => {
    const url = await honestServer();
    const auth = oauth({ interaction: browserless() });
    const client = await connect({ url, headers: { 'X-Api-Key': 'only-for-the-server' } }, { auth });
    cleanup(() => client.close());
    expect(JSON.stringify(issuer.requests)).not.toContain('only-for-the-server');
  });
});

describe('requests that discovery leads to', () => {
  it('do not go into a private network when the server is on the internet', async () => {
    const { origin, requests } = await trap();
    const http = await openAuthHttp(new URL('https://mcp.example.com/mcp'), {});
    const targets = [
      origin.replace('http:', 'https:'),
      origin,
      'https://localhost/x',
      'https://169.254.169.254/latest/meta-data',
      'https://10.1.2.3/x',
      'https://192.168.0.1/x',
      'https://[::1]/x',
      'https://[::ffff:127.0.0.1]/x',
      'https://[fd00::1]/x',
      'https://2130706433/x',
      'https://0x7f.1/x',
      'https://100.64.0.1/x',
    ];
    for (const target of targets) {
      await expect(http.document(new URL(target), 'It'), target).rejects.toThrow(/not on the internet|https/);
    }
    expect(requests).toEqual([]);
  });

  it('judge the address that is connected to, not the name', async () => {
    const { origin, requests } = await trap();
    const guarded = createGuardedFetch((address) => address !== '127.0.0.1' && address !== '::1');
    const url = origin.replace('127.0.0.1', 'localhost');
    await expect(guarded(url, { method: 'GET', headers: {} })).rejects.toThrow(/not on the internet/);
    expect(requests).toEqual([]);
  });

  it('go nowhere without TLS, except on this machine', async () => {
    const http = await openAuthHttp(new URL('https://mcp.example.com/mcp'), { allowPrivateNetwork: true });
    await expect(http.document(new URL('http://auth.example.com/x'), 'It')).rejects.toThrow(/https/);
    await expect(http.document(new URL('ftp://auth.example.com/x'), 'It')).rejects.toThrow(/https/);
  });

  it('never bring a token to a server without TLS', async () => {
    const store = createMemoryTokenStore();
    const record = { issuer: issuer.issuer, clientId: 'c', accessToken: 'secret-token', tokenType: 'bearer' };
    await store.set('tokens http://mcp.example.com/mcp', record);
    const authorization = oauth({ store, interaction: false }).forServer(
      new URL('http://mcp.example.com/mcp'),
    );
    const request = { method: 'POST', url: new URL('http://mcp.example.com/mcp'), body: '' };
    await expect(async () => authorization.headers(request)).rejects.toThrow(/https/);
    const elsewhere = { ...request, url: new URL('https://other.example.com/mcp') };
    expect(await authorization.headers(elsewhere)).toEqual({});
  });
});

describe('someone else', () => {
  const META = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  };

  async function ask(
    url: string,
    token: string,
    extra: object = {},
  ): Promise<{ result?: { requestState?: string }; error?: { message: string } }> {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'ask',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'ask', arguments: {}, _meta: META, ...extra },
      }),
    });
    return (await response.json()) as { result?: { requestState?: string }; error?: { message: string } };
  }

  it("cannot use another user's request state", async () => {
    const server = await startProtectedServer(issuer.issuer);
    cleanup(() => server.close());
    const alice = await issuer.sign({ sub: 'alice', aud: server.url });
    const bob = await issuer.sign({ sub: 'bob', aud: server.url });
    const asked = await ask(server.url, alice);
    const requestState = asked.result?.requestState;
    expect(requestState).toBeTypeOf('string');
    const inputResponses = { 'ask-1': { action: 'accept', content: { ok: true } } };
    expect((await ask(server.url, bob, { requestState, inputResponses })).error?.message).toMatch(
      /not valid for this call/,
    );
    expect((await ask(server.url, alice, { requestState, inputResponses })).error).toBeUndefined();
  });

  it("cannot post to another user's HTTP+SSE connection, and needs the scopes there too", async () => {
    const server = await startProtectedServer(issuer.issuer, { legacySse: true });
    cleanup(() => server.close());
    const { origin } = new URL(server.url);
    const alice = { authorization: `Bearer ${await issuer.sign({ sub: 'alice', aud: server.url })}` };
    const bob = { authorization: `Bearer ${await issuer.sign({ sub: 'bob', aud: server.url })}` };
    expect((await fetch(`${origin}/sse`)).status).toBe(401);
    const controller = new AbortController();
    const stream = await fetch(`${origin}/sse`, { headers: alice, signal: controller.signal });
    const reader = stream.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const path = /data: (\S+)/.exec(first)?.[1] ?? '';
    const post = async (headers: Record<string, string>, body: object): Promise<number> =>
      (
        await fetch(`${origin}${path}`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }),
        })
      ).status;
    expect(await post(bob, { method: 'ping' })).toBe(404);
    expect(await post({}, { method: 'ping' })).toBe(401);
    expect(await post(alice, { method: 'ping' })).toBe(202);
    expect(await post(alice, { method: 'tools/call', params: { name: 'delete', arguments: {} } })).toBe(403);
    controller.abort();
  });
});
