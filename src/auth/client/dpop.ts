/**
 * Tokens bound to a key of ours (DPoP, RFC 9449): each request proves that the sender of the token has the
 * key.
 */

import { calculateJwkThumbprint, exportJWK, importJWK, type JWK, SignJWT } from 'jose';
import * as oauth from 'oauth4webapi';
import { AuthError } from './errors.js';

const ALGORITHM = 'ES256';

export interface ProofRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
  readonly accessToken: string;
  readonly nonce: string | undefined;
}

export interface DpopKey {
  /** The private key, to be kept with the tokens that are bound to it. */
  readonly jwk: JWK;
  /** For requests to the authorization server; remembers its nonces. */
  readonly handle: oauth.DPoPHandle;
  prove(request: ProofRequest): Promise<string>;
}

export async function createDpopKey(): Promise<DpopKey> {
  const pair = await oauth.generateKeyPair(ALGORITHM, { extractable: true });
  return openDpopKey(await exportJWK(pair.privateKey));
}

export async function openDpopKey(jwk: JWK): Promise<DpopKey> {
  const { d: _private, ...publicJwk } = jwk;
  const privateKey = await importJWK({ ...jwk, ext: true }, ALGORITHM);
  const publicKey = await importJWK({ ...publicJwk, ext: true }, ALGORITHM);
  if (privateKey instanceof Uint8Array || publicKey instanceof Uint8Array) {
    throw new AuthError('token_store_failed', 'The stored DPoP key is damaged; log out and log in again');
  }
  // Checked early: a key that has no thumbprint cannot be bound to anything.
  await calculateJwkThumbprint(publicJwk);
  const header = { typ: 'dpop+jwt', alg: ALGORITHM, jwk: publicOnly(publicJwk) };
  return {
    jwk,
    handle: oauth.DPoP({}, { privateKey, publicKey }),
    prove: async ({ method, url, body, accessToken, nonce }) =>
      new SignJWT({
        jti: crypto.randomUUID(),
        htm: method,
        htu: `${url.origin}${url.pathname}`,
        ath: await sha256(accessToken, 'base64url'),
        ...(body === undefined ? {} : { content_digest: `sha-256=:${await sha256(body, 'base64')}:` }),
        ...(nonce === undefined ? {} : { nonce }),
      })
        .setProtectedHeader(header)
        .setIssuedAt()
        .sign(privateKey),
  };
}

function publicOnly({ kty, crv, x, y }: JWK): JWK {
  return { ...(kty === undefined ? {} : { kty }), ...(crv && { crv }), ...(x && { x }), ...(y && { y }) };
}

async function sha256(text: string, encoding: 'base64' | 'base64url'): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  const base64 = btoa(String.fromCharCode(...digest));
  return encoding === 'base64'
    ? base64
    : base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The authorization server wants its nonce in the proof: it has just given it, so the same request works now. */
export async function withNonceRetry<T>(request: () => Promise<T>): Promise<T> {
  try {
    return await request();
  } catch (error) {
    if (oauth.isDPoPNonceError(error)) return request();
    throw error;
  }
}
