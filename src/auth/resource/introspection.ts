/** Access tokens that only the authorization server can read: it is asked about each (RFC 7662), with a short memory. */

import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { McpError } from '../../protocol/errors.js';
import { isLoopback } from '../address.js';
import { findServerMetadata } from './issuer-metadata.js';
import { namesAudience, type TokenExpectations, TokenRejected, type VerifyToken } from './verifier.js';

export interface IntrospectionOptions {
  /** Default: found through the issuer's metadata. */
  readonly endpoint?: string | undefined;
  /** How this server introduces itself to the authorization server. */
  readonly clientId: string;
  /** Its secret there. */
  readonly clientSecret: string;
  /**
   * How long an answer is cached; a revoked token works for at most this long. 0 disables the cache. Default:
   * 10 s.
   */
  readonly cacheTtl?: Duration | undefined;
}

const DEFAULT_CACHE_MS = 10_000;
const MAX_CACHED = 10_000;

interface Remembered {
  readonly claims: JsonObject;
  readonly until: number;
}

export function createIntrospection(
  options: IntrospectionOptions,
  expected: TokenExpectations,
  now: () => number = Date.now,
): VerifyToken {
  const [issuer, ...others] = expected.issuers;
  if (issuer === undefined || others.length > 0) {
    throw new TypeError(
      'Introspection works with exactly one issuer: an opaque token does not name its issuer',
    );
  }
  const cacheMs = milliseconds(options.cacheTtl ?? DEFAULT_CACHE_MS);
  const cache = new Map<string, Remembered>();
  const ask = createAsker(issuer, options);

  return async (token) => {
    const key = await digest(token);
    const known = cache.get(key);
    if (known !== undefined && known.until > now()) return known.claims;
    cache.delete(key);
    const answer = await ask(token);
    const claims = judge(answer, issuer, expected, now());
    if (cacheMs > 0) {
      if (cache.size >= MAX_CACHED) cache.clear();
      const expires = typeof claims.exp === 'number' ? claims.exp * 1000 : Number.POSITIVE_INFINITY;
      cache.set(key, { claims, until: Math.min(now() + cacheMs, expires) });
    }
    return claims;
  };
}

function judge(
  answer: oauth.IntrospectionResponse,
  issuer: string,
  expected: TokenExpectations,
  now: number,
): JsonObject {
  if (!answer.active) throw new TokenRejected('it has expired or was revoked');
  if (answer.iss !== undefined && answer.iss !== issuer)
    throw new TokenRejected('it was issued by another issuer');
  if (!namesAudience(answer.aud, expected.audiences))
    throw new TokenRejected('it was issued for another audience');
  if (answer.exp !== undefined && typeof answer.exp !== 'number')
    throw new TokenRejected('its "exp" claim is not valid');
  if (answer.exp !== undefined && answer.exp + expected.clockTolerance < now / 1000)
    throw new TokenRejected('it has expired');
  return { ...answer, iss: issuer };
}

function createAsker(
  issuer: string,
  options: IntrospectionOptions,
): (token: string) => Promise<oauth.IntrospectionResponse> {
  const client = { client_id: options.clientId };
  const authentication = oauth.ClientSecretBasic(options.clientSecret);
  let server: Promise<oauth.AuthorizationServer> | undefined;
  const find = async (): Promise<oauth.AuthorizationServer> => {
    const endpoint = options.endpoint ?? (await findServerMetadata(issuer)).introspection_endpoint;
    if (typeof endpoint === 'string') return { issuer, introspection_endpoint: endpoint };
    throw new McpError(
      'auth_misconfigured',
      `${issuer} publishes no introspection_endpoint; set introspection.endpoint`,
    );
  };
  return async (token) => {
    server ??= find();
    const found = await server.catch((error: unknown) => {
      server = undefined;
      throw error;
    });
    const insecure = isLoopback(new URL(found.introspection_endpoint ?? issuer));
    const response = await oauth.introspectionRequest(found, client, authentication, token, {
      [oauth.allowInsecureRequests]: insecure,
    });
    return oauth.processIntrospectionResponse(found, client, response);
  };
}

/** Tokens are not kept in memory longer than the request; their digest identifies them as well. */
async function digest(token: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(token)));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
