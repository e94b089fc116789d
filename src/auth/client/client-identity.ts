/** Who we are to an authorization server, and how we prove it at its token endpoint. */

import { importJWK, importPKCS8, type JWK } from 'jose';
import * as oauth from 'oauth4webapi';
import { AuthError } from './errors.js';

export type ClientAuthMethod = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';

/** A client that its operator registered by hand. */
export interface RegisteredClient {
  readonly id: string;
  /**
   * The authorization server that it is registered with, exactly as that writes its `issuer`. Only it ever sees the
   * credentials. `discovered` believes the first server that names one, which is safe only with servers you trust.
   */
  readonly issuer: string | 'discovered';
  readonly secret?: string | undefined;
  readonly privateKey?: ClientKey | undefined;
  /** The way to authenticate, where the authorization server's metadata does not settle it. */
  readonly method?: ClientAuthMethod | undefined;
}

export interface ClientKey {
  /** PKCS #8 in PEM, a JWK, or a key of the Web Crypto API. */
  readonly key: string | JWK | CryptoKey;
  /** `ES256`, `RS256`, ...; needed for PEM. */
  readonly algorithm?: string | undefined;
  readonly keyId?: string | undefined;
}

type CryptoKey = oauth.CryptoKey;

/** A client as the OAuth library takes it. */
export interface ClientIdentity {
  readonly client: oauth.Client;
  readonly authentication: oauth.ClientAuth;
  /** To be kept out of messages. */
  readonly secrets: readonly string[];
}

export async function identify(
  registered: Omit<RegisteredClient, 'issuer'>,
  server: oauth.AuthorizationServer,
): Promise<ClientIdentity> {
  const { id, secret, privateKey } = registered;
  const method = registered.method ?? chooseMethod(registered, server);
  return {
    client: { client_id: id, token_endpoint_auth_method: method },
    authentication: await authenticationOf(method, secret, privateKey),
    secrets: secret === undefined ? [] : [secret],
  };
}

async function authenticationOf(
  method: ClientAuthMethod,
  secret: string | undefined,
  privateKey: ClientKey | undefined,
): Promise<oauth.ClientAuth> {
  switch (method) {
    case 'client_secret_basic':
      return basicAuthentication(required(secret, method));
    case 'client_secret_post':
      return oauth.ClientSecretPost(required(secret, method));
    case 'private_key_jwt':
      return oauth.PrivateKeyJwt(await importKey(required(privateKey, method)));
    case 'none':
      return oauth.None();
  }
}

/**
 * As RFC 6749, 2.3.1 has it: both parts form-encoded. The library also encodes what needs no encoding, such as the
 * hyphens of a client id, and the many servers that do not decode then take us for someone else.
 */
function basicAuthentication(secret: string): oauth.ClientAuth {
  return (_server, { client_id }, _body, headers) => {
    headers.set('authorization', `Basic ${btoa(`${formEncoded(client_id)}:${formEncoded(secret)}`)}`);
  };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** What both sides can do: a key rather than a secret, a secret in the header rather than in the body. */
function chooseMethod(
  { secret, privateKey }: Omit<RegisteredClient, 'issuer'>,
  server: oauth.AuthorizationServer,
): ClientAuthMethod {
  if (privateKey !== undefined) return 'private_key_jwt';
  if (secret === undefined) return 'none';
  const supported = server.token_endpoint_auth_methods_supported;
  // The default of RFC 8414, 2.
  if (supported === undefined || supported.includes('client_secret_basic')) return 'client_secret_basic';
  return supported.includes('client_secret_post') ? 'client_secret_post' : 'client_secret_basic';
}

/** What to ask for when registering: a program on a user's machine can keep no secret. */
export function registrableMethod(server: oauth.AuthorizationServer): ClientAuthMethod {
  const supported = server.token_endpoint_auth_methods_supported;
  if (supported === undefined || supported.includes('none')) return 'none';
  return supported.includes('client_secret_basic') || !supported.includes('client_secret_post')
    ? 'client_secret_basic'
    : 'client_secret_post';
}

export function isClientAuthMethod(value: unknown): value is ClientAuthMethod {
  return (
    value === 'client_secret_basic' ||
    value === 'client_secret_post' ||
    value === 'private_key_jwt' ||
    value === 'none'
  );
}

async function importKey({ key, algorithm, keyId }: ClientKey): Promise<oauth.PrivateKey> {
  const kid = keyId === undefined ? {} : { kid: keyId };
  if (typeof key === 'string') {
    if (algorithm === undefined) {
      throw new AuthError('auth_misconfigured', 'A private key in PEM needs its "algorithm", such as ES256');
    }
    return { key: await importPKCS8(key, algorithm), ...kid };
  }
  if (!isJwk(key)) return { key, ...kid };
  const imported = await importJWK(key, algorithm);
  if (imported instanceof Uint8Array) {
    throw new AuthError('auth_misconfigured', 'The private key is a shared secret; give an RSA or EC key');
  }
  return { key: imported, ...kid };
}

function isJwk(key: JWK | CryptoKey): key is JWK {
  return 'kty' in key;
}

function required<T>(value: T | undefined, method: ClientAuthMethod): T {
  if (value !== undefined) return value;
  throw new AuthError(
    'auth_misconfigured',
    `${method} needs a ${method === 'private_key_jwt' ? 'privateKey' : 'secret'}; add it to "client"`,
  );
}
