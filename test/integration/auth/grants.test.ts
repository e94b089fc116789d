import { createHash } from 'node:crypto';
import {
  calculateJwkThumbprint,
  EmbeddedJWK,
  exportPKCS8,
  exportSPKI,
  generateKeyPair,
  importSPKI,
  jwtVerify,
} from 'jose';
import {
  clientCredentials,
  createMemoryTokenStore,
  enterpriseManaged,
  oauth,
  workloadIdentity,
} from 'plumb-mcp/auth';
import { connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  browserless,
  startAuthorizationServer,
  type TestAuthorizationServer,
} from '../../support/authorization-server.js';
import { cleanup } from '../../support/cleanup.js';
import { startProtectedServer } from '../../support/protected-server.js';

let issuer: TestAuthorizationServer;
beforeEach(async () => {
  issuer = await startAuthorizationServer();
  cleanup(() => issuer.close());
});

async function use(url: string, auth: ReturnType<typeof oauth>): Promise<void> {
  const client = await connect(url, { auth });
  cleanup(() => client.close());
  await client.tools.call('whoami');
}

async function protectedUrl(): Promise<string> {
  const server = await startProtectedServer(issuer.issuer, { requiredScopes: ['mcp'] });
  cleanup(() => server.close());
  return server.url;
}

describe('client credentials', () => {
  it('are a signed assertion for this authorization server where there is a key', async () => {
    const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
    const key = { key: await exportPKCS8(privateKey), algorithm: 'ES256', keyId: 'k1' };
    const url = await protectedUrl();
    await use(url, clientCredentials({ client: { id: 'robot', issuer: issuer.issuer, privateKey: key } }));
    const form = issuer.to('/token')[0]?.form;
    expect(form?.get('client_assertion_type')).toBe('urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
    const verifyKey = await importSPKI(await exportSPKI(publicKey), 'ES256');
    const { payload, protectedHeader } = await jwtVerify(form?.get('client_assertion') ?? '', verifyKey);
    expect(payload).toMatchObject({ iss: 'robot', sub: 'robot', aud: issuer.issuer });
    expect(protectedHeader).toMatchObject({ alg: 'ES256', kid: 'k1' });
    expect(form?.get('resource')).toBe(url);
    expect(form?.get('scope')).toBe('mcp');
  });

  it('go into the body where the authorization server knows only that', async () => {
    issuer.metadata = { token_endpoint_auth_methods_supported: ['client_secret_post'] };
    await use(
      await protectedUrl(),
      clientCredentials({ client: { id: 'robot', secret: 'hush', issuer: issuer.issuer } }),
    );
    const [request] = issuer.to('/token');
    expect(request?.headers.authorization).toBeUndefined();
    expect(request?.form.get('client_secret')).toBe('hush');
  });

  it('are for one authorization server, also when that was found out at the first use', async () => {
    const store = createMemoryTokenStore();
    const client = { id: 'robot', secret: 'hush', issuer: 'discovered' } as const;
    await use(await protectedUrl(), clientCredentials({ client, store }));
    const other = await startAuthorizationServer();
    cleanup(() => other.close());
    const server = await startProtectedServer(other.issuer);
    cleanup(() => server.close());
    await expect(use(server.url, clientCredentials({ client, store }))).rejects.toThrow(
      /were not sent there/,
    );
    expect(other.to('/token')).toEqual([]);
  });
});

describe('a workload', () => {
  it('hands in the token of its platform, and no client credentials', async () => {
    issuer.override.set('/token', async ({ form }) => ({
      status: 200,
      body: {
        access_token: await issuer.sign({ sub: 'pod', aud: form.get('resource') ?? '', scope: 'mcp' }),
        token_type: 'Bearer',
      },
    }));
    await use(
      await protectedUrl(),
      workloadIdentity({ issuer: issuer.issuer, assertion: () => 'platform-token' }),
    );
    const form = issuer.to('/token')[0]?.form;
    expect(form?.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    expect(form?.get('assertion')).toBe('platform-token');
    expect(form?.has('client_id')).toBe(false);
  });

  it('shows its token to no other authorization server', async () => {
    const auth = workloadIdentity({ issuer: 'https://auth.example', assertion: () => 'platform-token' });
    await expect(use(await protectedUrl(), auth)).rejects.toThrow(/were not sent there/);
    expect(issuer.to('/token')).toEqual([]);
  });
});

describe('an enterprise', () => {
  it('gives a permission for one server, which is redeemed there', async () => {
    const provider = await startAuthorizationServer();
    cleanup(() => provider.close());
    provider.override.set('/token', () => ({
      status: 200,
      body: {
        access_token: 'the-permission',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      },
    }));
    issuer.override.set('/token', async ({ form }) => ({
      status: 200,
      body: {
        access_token: await issuer.sign({ sub: 'employee', aud: form.get('resource') ?? '', scope: 'mcp' }),
        token_type: 'Bearer',
      },
    }));
    const url = await protectedUrl();
    await use(
      url,
      enterpriseManaged({
        client: { id: 'app', secret: 'hush', issuer: issuer.issuer },
        identityProvider: {
          issuer: provider.issuer,
          tokenEndpoint: `${provider.origin}/token`,
          clientId: 'app-at-provider',
          idToken: () => 'the-id-token',
        },
      }),
    );
    expect(Object.fromEntries(provider.to('/token')[0]?.form ?? [])).toMatchObject({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      subject_token: 'the-id-token',
      audience: issuer.issuer,
      resource: url,
    });
    expect(issuer.to('/token')[0]?.form.get('assertion')).toBe('the-permission');
    expect(JSON.stringify(issuer.requests)).not.toContain('the-id-token');
  });
});

describe('tokens bound to a key', () => {
  it('come with a fresh proof for each request, with the nonces of both servers', async () => {
    const seen = new Set<string>();
    const server = createServer({ name: 'bound', version: '1' });
    server.tool('whoami', {}, () => 'someone');
    const proofs: { nonce: unknown; ath: unknown; htm: unknown; htu: unknown }[] = [];
    const url = (): string => handle.url;
    const handle = await server.http({
      authenticate: async (request) => {
        const [scheme, token] = (request.header('authorization') ?? '').split(' ');
        const challenge = (error: string, more: Record<string, string> = {}) =>
          ({
            status: 401,
            message: 'no',
            headers: { 'WWW-Authenticate': `DPoP error="${error}"`, ...more },
          }) as const;
        if (scheme !== 'DPoP' || token === undefined) return challenge('invalid_token');
        const { payload, protectedHeader } = await jwtVerify(request.header('dpop') ?? '', EmbeddedJWK);
        expect(protectedHeader.typ).toBe('dpop+jwt');
        expect(protectedHeader.jwk).not.toHaveProperty('d');
        expect(seen.has(payload.jti ?? '')).toBe(false);
        seen.add(payload.jti ?? '');
        if (payload.nonce !== 'rs-nonce') return challenge('use_dpop_nonce', { 'DPoP-Nonce': 'rs-nonce' });
        const { nonce, ath, htm, htu } = payload;
        proofs.push({ nonce, ath, htm, htu });
        expect(ath).toBe(createHash('sha256').update(token).digest('base64url'));
        expect(htu).toBe(url());
        return { principal: 'someone' };
      },
    });
    cleanup(() => handle.close({ drain: 0 }));
    const { origin } = new URL(handle.url);
    issuer.override.set('/prm', () => ({
      status: 200,
      body: {
        resource: handle.url,
        authorization_servers: [issuer.issuer],
        dpop_bound_access_tokens_required: true,
      },
    }));
    let refusals = 0;
    issuer.override.set('/token', async ({ headers }) => {
      const { payload, protectedHeader } = await jwtVerify(String(headers.dpop), EmbeddedJWK);
      if (payload.nonce !== 'as-nonce') {
        refusals += 1;
        return { status: 400, body: { error: 'use_dpop_nonce' }, headers: { 'dpop-nonce': 'as-nonce' } };
      }
      const jkt = await calculateJwkThumbprint(protectedHeader.jwk ?? {});
      return {
        status: 200,
        body: { access_token: await issuer.sign({ sub: 'a', cnf: { jkt } }), token_type: 'DPoP' },
      };
    });
    // The document is at the authorization server's origin here; the server itself has none.
    const known = globalThis.fetch;
    const fetchWithMetadata: typeof fetch = (input, init) =>
      String(input).startsWith(`${origin}/.well-known/oauth-protected-resource`)
        ? known(`${issuer.origin}/prm`, init)
        : known(input, init);
    await use(handle.url, oauth({ interaction: browserless(), fetch: fetchWithMetadata }));
    expect(refusals).toBe(1);
    expect(proofs.length).toBeGreaterThan(1);
    for (const { htm } of proofs) expect(['POST', 'GET', 'DELETE']).toContain(htm);
  });

  it('are refused when they are not bound although that was asked for', async () => {
    const server = await startProtectedServer(issuer.issuer);
    cleanup(() => server.close());
    await expect(use(server.url, oauth({ interaction: browserless(), dpop: true }))).rejects.toThrow(
      /did not bind/,
    );
  });
});
