import { clientCredentials, createMemoryTokenStore, oauth, type TokenStore } from 'plumb-mcp/auth';
import { type Client, connect } from 'plumb-mcp/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OAuthOptions } from '../../../src/auth/client/oauth.js';
import {
  browserless,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../support/authorization-server.js';
import { type ProtectedServer, startProtectedServer } from '../../support/protected-server.js';

let issuer: TestAuthorizationServer;
let server: ProtectedServer;
let store: TokenStore;
const clients: Client[] = [];

beforeEach(async () => {
  issuer = await startAuthorizationServer('/tenant');
  server = await startProtectedServer(issuer.issuer, { requiredScopes: ['mcp'] });
  store = createMemoryTokenStore();
});

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  await server.close();
  await issuer.close();
});

async function login(options: OAuthOptions = {}, url = server.url): Promise<Client> {
  const client = await connect(url, { auth: oauth({ interaction: browserless(), store, ...options }) });
  clients.push(client);
  return client;
}

async function whoami(client: Client): Promise<{ principal: string; scopes: string[]; clientId: string }> {
  const { content } = await client.tools.call('whoami');
  const [block] = content;
  return JSON.parse(block?.type === 'text' ? block.text : '');
}

describe('a login', () => {
  it('finds the authorization server, registers, and gets a token for this server', async () => {
    const client = await login();
    expect(await whoami(client)).toMatchObject({ principal: `${issuer.issuer}|sub|alice`, scopes: ['mcp'] });
    const [authorize] = issuer.to('/authorize');
    expect(Object.fromEntries(authorize?.query ?? [])).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      resource: server.url,
      scope: 'mcp',
    });
    expect(issuer.to('/token')[0]?.form.get('resource')).toBe(server.url);
    expect(JSON.parse(issuer.to('/register')[0]?.body ?? '')).toMatchObject({
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('happens once for everything that waits for it', async () => {
    const client = await login();
    await Promise.all(Array.from({ length: 20 }, () => whoami(client)));
    expect(issuer.to('/authorize')).toHaveLength(1);
  });

  it('is remembered by the store, with the registration', async () => {
    await whoami(await login());
    await whoami(await login());
    expect(issuer.to('/authorize')).toHaveLength(1);
    expect(issuer.to('/register')).toHaveLength(1);
  });

  it('asks nobody when nobody can be asked, and says what to do', async () => {
    await expect(login({ interaction: false })).rejects.toThrow(/plumb login/);
    expect(issuer.to('/authorize')).toHaveLength(0);
  });

  it('uses a client that was registered by hand, and asks for what the server names', async () => {
    const client = { id: 'by-hand', secret: 'hush hush', issuer: issuer.issuer };
    await whoami(await login({ client }));
    expect(issuer.to('/register')).toHaveLength(0);
    expect(issuer.to('/token')[0]?.headers.authorization).toBe(`Basic ${btoa('by-hand:hush+hush')}`);
  });

  it('uses a metadata document as client id where the authorization server takes it', async () => {
    issuer.metadata = { client_id_metadata_document_supported: true };
    await whoami(await login({ clientMetadataUrl: 'https://app.example/client.json' }));
    expect(issuer.to('/register')).toHaveLength(0);
    expect(issuer.to('/authorize')[0]?.query.get('client_id')).toBe('https://app.example/client.json');
  });

  it.each([
    [['offline_access', 'mcp'], 'mcp offline_access', 'consent'],
    [undefined, 'mcp', null],
  ])('asks for offline access only where it is known (%s)', async (scopes, expected, prompt) => {
    issuer.metadata = scopes === undefined ? {} : { scopes_supported: scopes };
    await login();
    expect(issuer.to('/authorize')[0]?.query.get('scope')).toBe(expected);
    expect(issuer.to('/authorize')[0]?.query.get('prompt')).toBe(prompt);
  });
});

describe('a token that ends', () => {
  it('is renewed before the server has to refuse it, once for 50 calls at the same time', async () => {
    let now = Date.now();
    const client = await login({ now: () => now });
    await whoami(client);
    now += 3595_000;
    const discoveries = (): number =>
      issuer.requests.filter(({ path }) => path.includes('.well-known')).length;
    const before = discoveries();
    await Promise.all(Array.from({ length: 50 }, () => whoami(client)));
    expect(discoveries() - before).toBe(1);
    const grants = issuer.to('/token').map(({ form }) => form.get('grant_type'));
    expect(grants).toEqual(['authorization_code', 'refresh_token']);
    expect(issuer.to('/token')[1]?.form.get('resource')).toBe(server.url);
  });

  it('is replaced after a new login when it cannot be renewed any more', async () => {
    const client = await login();
    await whoami(client);
    issuer.revokeAll();
    await issuer.rotateKeys();
    await server.close();
    server = await startProtectedServer(issuer.issuer, { requiredScopes: ['mcp'] });
    const again = await login({}, server.url);
    await whoami(again);
    expect(issuer.to('/authorize')).toHaveLength(2);
  });

  it('is not replaced for ever: a server that refuses a new token is told apart', async () => {
    const deaf = await startProtectedServer(issuer.issuer, {
      audience: 'urn:someone-else',
      resource: server.url,
    });
    const url = deaf.url;
    issuer.requests.length = 0;
    await expect(login({}, url)).rejects.toThrow();
    expect(issuer.to('/authorize').length).toBeLessThanOrEqual(2);
    await deaf.close();
  });
});

describe('more scopes', () => {
  it('are asked for when a tool needs them, and what was there before stays', async () => {
    const client = await login();
    const { content } = await client.tools.call('delete');
    expect(content).toEqual([{ type: 'text', text: 'deleted' }]);
    expect(issuer.to('/authorize').map(({ query }) => query.get('scope'))).toEqual([
      'mcp',
      'mcp files:write',
    ]);
    expect((await whoami(client)).scopes).toEqual(['mcp', 'files:write']);
  });

  it('that are not granted are not asked for twice', async () => {
    const client = await login();
    issuer.override.set('/authorize', ({ query }) => {
      const back = new URL(query.get('redirect_uri') ?? '');
      back.search = new URLSearchParams({
        error: 'access_denied',
        state: query.get('state') ?? '',
        iss: issuer.issuer,
      }).toString();
      return { status: 302, headers: { location: back.href } };
    });
    await expect(client.tools.call('delete')).rejects.toThrow();
    await expect(client.tools.call('delete')).rejects.toThrow();
    expect(issuer.to('/authorize')).toHaveLength(2);
    expect((await whoami(client)).scopes).toEqual(['mcp']);
  });

  it('that never suffice are not asked for again and again', async () => {
    const deaf = await startProtectedServer(issuer.issuer, {
      // Takes every token, and sees no scopes in any.
      verify: async () => ({ iss: issuer.issuer, sub: 'alice' }),
    });
    const client = await login({}, deaf.url);
    for (let calls = 0; calls < 3; calls += 1) {
      await expect(client.tools.call('delete')).rejects.toThrow(/files:write, which were not granted/);
    }
    // The first refusal is worth a question; the tool needs no login before that.
    expect(issuer.to('/authorize').length).toBeLessThanOrEqual(2);
    await deaf.close();
  });
});

describe('another authorization server', () => {
  it('gets a registration and a login of its own, and nothing of the first', async () => {
    const client = await login();
    await whoami(client);
    const second = await startAuthorizationServer();
    const { url } = server;
    await server.close();
    const { bearer } = await import('plumb-mcp/auth');
    const { createServer } = await import('plumb-mcp/server');
    const moved = createServer({ name: 'moved', version: '1' });
    moved.tool('whoami', {}, (_args, ctx) => ({ principal: ctx.caller.principal ?? null }));
    const handle = await moved.http({
      port: Number(new URL(url).port),
      auth: bearer({ issuer: second.issuer, audience: url }),
    });
    const again = await login({}, url);
    expect(await whoami(again)).toMatchObject({ principal: `${second.issuer}|sub|alice` });
    const seen = JSON.stringify(
      second.requests.map(({ body, query, headers }) => [body, [...query], headers]),
    );
    expect(seen).not.toContain('refresh_token=');
    expect(seen).not.toContain(issuer.to('/authorize')[0]?.query.get('client_id') ?? 'none');
    await handle.close({ drain: 0 });
    await second.close();
  });
});

describe('a program in its own name', () => {
  it('gets a token with its secret, and a new one when that ends', async () => {
    issuer.lifetime = 3600;
    let now = Date.now();
    const machine = { id: 'robot', secret: 'hush', issuer: issuer.issuer };
    const auth = clientCredentials({ client: machine, store, now: () => now });
    const client = await connect(server.url, { auth });
    clients.push(client);
    await whoami(client);
    now += 3595_000;
    await whoami(client);
    expect(issuer.to('/token').map(({ form }) => form.get('grant_type'))).toEqual([
      'client_credentials',
      'client_credentials',
    ]);
    expect(issuer.to('/authorize')).toHaveLength(0);
  });
});

describe('a logout', () => {
  it('revokes the tokens and forgets them', async () => {
    const auth = oauth({ interaction: browserless(), store });
    const client = await connect(server.url, { auth });
    clients.push(client);
    await whoami(client);
    const authorization = auth.forServer(new URL(server.url));
    expect(await authorization.logout()).toBe(true);
    expect(issuer.to('/revoke').map(({ form }) => form.get('token'))).toHaveLength(2);
    expect(await authorization.logout()).toBe(false);
    await whoami(client);
    expect(issuer.to('/authorize')).toHaveLength(2);
  });
});
