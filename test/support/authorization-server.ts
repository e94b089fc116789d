/**
 * An authorization server for tests, small and obedient: it does what OAuth says unless a test tells it to misbehave.
 * Where the behaviour of a real one matters, the interop tests use oidc-provider.
 */

import { createHash, randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import type { Interaction } from 'plumb-mcp/auth';

export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly form: URLSearchParams;
}

export type Answer = { status: number; body?: unknown; headers?: Record<string, string> };
type Handler = (request: Recorded) => Answer | Promise<Answer>;

export interface TestAuthorizationServer {
  readonly issuer: string;
  readonly origin: string;
  readonly requests: Recorded[];
  /** Requests to this path. */
  to(path: string): readonly Recorded[];
  /** Instead of the usual behaviour of a path. */
  readonly override: Map<string, Handler>;
  /** Added to the metadata document. */
  metadata: Record<string, unknown>;
  /** Seconds that access tokens live. */
  lifetime: number;
  /** Added to the redirect back to the client; `undefined` takes a parameter away. */
  answer: Record<string, string | undefined>;
  /** Refresh tokens that were used twice: the family is dead then. */
  readonly reused: string[];
  sign(claims: JWTPayload, header?: Record<string, string>): Promise<string>;
  /** New signing keys, as in a rotation. */
  rotateKeys(): Promise<void>;
  /** Makes every token issued so far worthless. */
  revokeAll(): void;
  close(): Promise<void>;
}

export async function startAuthorizationServer(path = ''): Promise<TestAuthorizationServer> {
  const state = new State();
  await state.rotateKeys();
  const server = createServer((request, response) => void serve(state, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  state.origin = `http://127.0.0.1:${port}`;
  state.issuer = `${state.origin}${path}`;
  return Object.assign(state, { close: () => stop(server) });
}

/** Follows the login page's redirect, as a browser in which the user is logged in already would. */
export function browserless(
  redirectUri = 'http://127.0.0.1:33333/callback',
): Interaction & { opened: URL[] } {
  const opened: URL[] = [];
  return {
    opened,
    open: () => ({
      redirectUri,
      authorize: async ({ url }) => {
        opened.push(url);
        const response = await fetch(url, { redirect: 'manual' });
        return new URL(response.headers.get('location') ?? 'about:blank');
      },
    }),
  };
}

interface Grant {
  readonly clientId: string;
  readonly scope: string;
  readonly resource: string;
  readonly challenge?: string;
  readonly redirectUri?: string;
}

class State {
  issuer = '';
  origin = '';
  readonly requests: Recorded[] = [];
  readonly override = new Map<string, Handler>();
  metadata: Record<string, unknown> = {};
  lifetime = 3600;
  answer: Record<string, string | undefined> = {};
  readonly reused: string[] = [];
  readonly codes = new Map<string, Grant>();
  readonly refreshTokens = new Map<string, Grant & { used: boolean }>();
  #revokedBefore = 0;
  #serial = 0;
  #key: Awaited<ReturnType<typeof generateKeyPair>> | undefined;
  #kid = '';

  to(path: string): readonly Recorded[] {
    return this.requests.filter((request) => request.path === path);
  }

  async rotateKeys(): Promise<void> {
    this.#key = await generateKeyPair('ES256');
    this.#kid = randomUUID();
  }

  revokeAll(): void {
    this.#revokedBefore = this.#serial;
    this.refreshTokens.clear();
  }

  isActive(serial: unknown): boolean {
    return typeof serial === 'number' && serial > this.#revokedBefore;
  }

  async jwks(): Promise<Answer> {
    if (this.#key === undefined) throw new Error('no key');
    return {
      status: 200,
      body: { keys: [{ ...(await exportJWK(this.#key.publicKey)), kid: this.#kid, alg: 'ES256' }] },
    };
  }

  sign(claims: JWTPayload, header: Record<string, string> = {}): Promise<string> {
    if (this.#key === undefined) throw new Error('no key');
    this.#serial += 1;
    const now = Math.floor(Date.now() / 1000);
    return new SignJWT({
      iss: this.issuer,
      iat: now,
      exp: now + this.lifetime,
      serial: this.#serial,
      ...claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: this.#kid, typ: 'at+jwt', ...header })
      .sign(this.#key.privateKey);
  }

  async tokens(grant: Grant): Promise<Answer> {
    const refresh = `refresh-${randomUUID()}`;
    this.refreshTokens.set(refresh, { ...grant, used: false });
    const { clientId, scope, resource } = grant;
    const accessToken = await this.sign({
      sub: 'alice',
      aud: resource,
      client_id: clientId,
      scope,
      jti: randomUUID(),
    });
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: this.lifetime,
        refresh_token: refresh,
        scope,
      },
    };
  }
}

function usual(state: State): Record<string, Handler> {
  const { issuer, origin } = state;
  const path = issuer.slice(origin.length);
  const document: Handler = () => ({
    status: 200,
    body: {
      issuer,
      authorization_endpoint: `${origin}/authorize`,
      token_endpoint: `${origin}/token`,
      registration_endpoint: `${origin}/register`,
      revocation_endpoint: `${origin}/revoke`,
      introspection_endpoint: `${origin}/introspect`,
      jwks_uri: `${origin}/jwks`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      ...state.metadata,
    },
  });
  return {
    [`/.well-known/oauth-authorization-server${path}`]: document,
    '/jwks': () => state.jwks(),
    '/authorize': (request) => authorize(state, request),
    '/token': (request) => token(state, request),
    '/register': ({ body }) => ({
      status: 201,
      body: { ...JSON.parse(body), client_id: `client-${randomUUID()}` },
    }),
    '/revoke': () => ({ status: 200 }),
  };
}

function authorize(state: State, { query }: Recorded): Answer {
  const code = `code-${randomUUID()}`;
  state.codes.set(code, {
    clientId: query.get('client_id') ?? '',
    scope: query.get('scope') ?? '',
    resource: query.get('resource') ?? '',
    challenge: query.get('code_challenge') ?? '',
    redirectUri: query.get('redirect_uri') ?? '',
  });
  const back = new URL(query.get('redirect_uri') ?? '');
  const parameters = { code, state: query.get('state') ?? '', iss: state.issuer, ...state.answer };
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) back.searchParams.set(name, value);
  return { status: 302, headers: { location: back.href } };
}

async function token(state: State, { form }: Recorded): Promise<Answer> {
  const refused = (error: string): Answer => ({ status: 400, body: { error } });
  switch (form.get('grant_type')) {
    case 'authorization_code': {
      const grant = state.codes.get(form.get('code') ?? '');
      state.codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      if (grant === undefined || grant.challenge !== challenge) return refused('invalid_grant');
      return state.tokens(grant);
    }
    case 'refresh_token': {
      const given = form.get('refresh_token') ?? '';
      const grant = state.refreshTokens.get(given);
      if (grant === undefined) return refused('invalid_grant');
      if (grant.used) {
        // A rotated token that comes again was stolen, or raced: the whole family dies (OAuth 2.1, 4.3.1).
        state.reused.push(given);
        state.refreshTokens.clear();
        return refused('invalid_grant');
      }
      grant.used = true;
      return state.tokens(grant);
    }
    case 'client_credentials':
      return state.tokens({
        clientId: form.get('client_id') ?? 'machine',
        scope: form.get('scope') ?? '',
        resource: form.get('resource') ?? '',
      });
    default:
      return refused('unsupported_grant_type');
  }
}

async function serve(state: State, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const url = new URL(incoming.url ?? '/', state.origin);
  let body = '';
  for await (const chunk of incoming) body += String(chunk);
  const request: Recorded = {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: incoming.headers,
    body,
    form: new URLSearchParams(body),
  };
  state.requests.push(request);
  const handler = state.override.get(url.pathname) ?? usual(state)[url.pathname];
  const answer = (await handler?.(request)) ?? { status: 404 };
  outgoing.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
  outgoing.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}
