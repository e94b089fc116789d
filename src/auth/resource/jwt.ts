/** Access tokens that are JWTs, checked with the keys that the authorization server publishes. */

import { createRemoteJWKSet, decodeJwt, errors, type JWTVerifyGetKey, jwtVerify } from 'jose';
import { McpError } from '../../protocol/errors.js';
import { isLoopback } from '../address.js';
import { findServerMetadata } from './issuer-metadata.js';
import { type TokenExpectations, TokenRejected, type VerifyToken } from './verifier.js';

export interface JwtOptions extends TokenExpectations {
  /** Where the keys are. Default: found through the issuer's metadata. */
  readonly jwksUri?: string | undefined;
  readonly fetch?: typeof fetch | undefined;
}

/** No `none`, and no shared secrets: with HS256 a public key could be taken for a secret. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** ID tokens and logout tokens are signed with the same keys; these types are used for access tokens. */
const ACCESS_TOKEN_TYPES: ReadonlySet<string> = new Set([
  'at+jwt',
  'application/at+jwt',
  'jwt',
  'application/jwt',
]);

/** A failed discovery is not repeated for every request that comes in. */
const RETRY_DISCOVERY_MS = 5_000;

export function createJwtVerifier(options: JwtOptions): VerifyToken {
  const { issuers, audiences, clockTolerance } = options;
  const keys = new Map(issuers.map((issuer) => [issuer, new IssuerKeys(issuer, options)]));
  return async (token) => {
    const issuer = claimedIssuer(token);
    // The claim only selects the keys: jwtVerify compares it again under the signature.
    const found = issuer === undefined ? undefined : keys.get(issuer);
    if (!isJwt(token)) throw new TokenRejected('it is not a JWT');
    if (issuer === undefined || found === undefined)
      throw new TokenRejected('it was issued by another issuer');
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await found.get(), {
        issuer,
        audience: [...audiences],
        algorithms: ALGORITHMS,
        clockTolerance,
        requiredClaims: ['exp'],
      });
      const type = protectedHeader.typ?.toLowerCase();
      if (type !== undefined && !ACCESS_TOKEN_TYPES.has(type))
        throw new TokenRejected('it is no access token');
      return { ...payload };
    } catch (error) {
      throw rejection(error);
    }
  };
}

/** Three parts of base64url. Other tokens are opaque, and checked by introspection. */
function isJwt(token: string): boolean {
  return /^[\w-]+\.[\w-]+\.[\w-]*$/.test(token);
}

function claimedIssuer(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

function rejection(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return new TokenRejected('it has expired', { cause: error });
  if (error instanceof errors.JWTClaimValidationFailed) {
    const aud = error.claim === 'aud';
    return new TokenRejected(
      aud ? 'it was issued for another audience' : `its "${error.claim}" claim is not valid`,
      {
        cause: error,
      },
    );
  }
  // Keys that could not be fetched are our trouble, not the token's.
  if (error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid) return error;
  if (error instanceof errors.JOSEError && error.code !== 'ERR_JOSE_GENERIC') {
    return new TokenRejected('its signature is not valid', { cause: error });
  }
  return error;
}

/** The keys of one issuer: fetched on first use, cached, and fetched again when a token names an unknown one. */
class IssuerKeys {
  readonly #issuer: string;
  readonly #options: JwtOptions;
  #keys: Promise<JWTVerifyGetKey> | undefined;
  #retryAt = 0;

  constructor(issuer: string, options: JwtOptions) {
    this.#issuer = issuer;
    this.#options = options;
  }

  get(): Promise<JWTVerifyGetKey> {
    if (this.#keys === undefined || (this.#retryAt !== 0 && Date.now() >= this.#retryAt)) {
      this.#retryAt = 0;
      this.#keys = this.#open();
      this.#keys.catch(() => {
        this.#retryAt = Date.now() + RETRY_DISCOVERY_MS;
      });
    }
    return this.#keys;
  }

  async #open(): Promise<JWTVerifyGetKey> {
    const uri =
      this.#options.jwksUri ?? (await findServerMetadata(this.#issuer, this.#options.fetch)).jwks_uri;
    const url = typeof uri === 'string' && URL.canParse(uri) ? new URL(uri) : undefined;
    if (url === undefined) {
      throw new McpError(
        'auth_misconfigured',
        `${this.#issuer} publishes no jwks_uri; set jwksUri or introspection`,
      );
    }
    // An attacker who can change the keys in transit can issue tokens.
    if (url.protocol !== 'https:' && !isLoopback(url)) {
      throw new McpError(
        'auth_misconfigured',
        `The keys of ${this.#issuer} are at ${url.origin}, which is not https`,
      );
    }
    return createRemoteJWKSet(url);
  }
}
