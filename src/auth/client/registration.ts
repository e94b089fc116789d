/**
 * Becoming a client of an authorization server: by what its operator registered, by a metadata document of our own
 * (CIMD), or by asking it to register us (RFC 7591). Whatever it gives us is kept under its issuer, and shown to no other.
 */

import * as oauth from 'oauth4webapi';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { isLoopback } from '../address.js';
import type { AuthHttp } from './auth-http.js';
import {
  type ClientIdentity,
  identify,
  isClientAuthMethod,
  type RegisteredClient,
  registrableMethod,
} from './client-identity.js';
import { AuthError, describeOAuthFailure } from './errors.js';
import type { AuthorizationServer } from './server-metadata.js';
import type { TokenStore } from './token-store.js';

export interface RegistrationOptions {
  /** A client that is registered already. Default: it registers itself. */
  readonly client?: RegisteredClient | undefined;
  /** The https URL of a client metadata document, for authorization servers that take it as a client id. */
  readonly clientMetadataUrl?: string | undefined;
  /** What users see when they are asked for consent. */
  readonly clientName?: string | undefined;
  /** A page about the client, shown at the login. */
  readonly clientUri?: string | undefined;
  /** Keeps `client` in the store, so that later it need not be given again. */
  readonly rememberClient?: boolean | undefined;
}

const DEFAULT_NAME = 'Plumb';

export function registrationKey(issuer: string): string {
  return `client ${issuer}`;
}

/** The client to use with this server; registers where it has to. `redirectUri` is undefined when only refreshing. */
export async function clientFor(
  server: AuthorizationServer,
  redirectUri: string | undefined,
  options: RegistrationOptions,
  store: TokenStore,
  http: AuthHttp,
): Promise<ClientIdentity> {
  const { client, clientMetadataUrl } = options;
  if (client !== undefined) {
    await assertOwnIssuer(client, server.issuer, store);
    if (options.rememberClient === true) await store.set(registrationKey(server.issuer), remembered(client));
    return identify(client, server.metadata);
  }
  if (clientMetadataUrl !== undefined && acceptsMetadataDocuments(server)) {
    assertDocumentUrl(clientMetadataUrl);
    return identify({ id: clientMetadataUrl, method: 'none' }, server.metadata);
  }
  const stored = readRegistration(await store.get(registrationKey(server.issuer)));
  const usable =
    stored !== undefined &&
    (stored.manual || redirectUri === undefined || stored.redirectUris.includes(redirectUri));
  if (usable && !isExpired(stored)) return identify(stored, server.metadata);
  if (redirectUri === undefined) {
    throw new AuthError(
      'login_required',
      `The registration with ${server.issuer} is gone or has expired; log in again`,
    );
  }
  const registered = await register(server, redirectUri, options, http);
  await store.set(registrationKey(server.issuer), registered);
  const read = readRegistration(registered);
  if (read === undefined)
    throw new AuthError('registration_failed', `${server.issuer} registered us without a client id`);
  return identify(read, server.metadata);
}

/** The redirect URI that we are registered with, so that it can be used again. */
export async function registeredRedirect(issuer: string, store: TokenStore): Promise<string | undefined> {
  return readRegistration(await store.get(registrationKey(issuer)))?.redirectUris[0];
}

/** A client is registered with one authorization server; no other gets to see its credentials. */
export async function assertOwnIssuer(
  client: RegisteredClient,
  issuer: string,
  store: TokenStore,
): Promise<void> {
  let own = client.issuer;
  if (own === 'discovered') {
    const key = `issuer of ${client.id}`;
    const pinned = (await store.get(key))?.issuer;
    if (typeof pinned !== 'string') return store.set(key, { issuer });
    own = pinned;
  }
  if (own === issuer) return;
  throw new AuthError(
    'auth_forbidden',
    `The client ${JSON.stringify(client.id)} is registered with ${own}, but the server names ${issuer} as its authorization ` +
      'server; its credentials were not sent there. Register a client there if you trust it',
  );
}

/** RFC 7591 and the specification of that time have no such field; it is about URLs as client ids. */
function acceptsMetadataDocuments({ metadata }: AuthorizationServer): boolean {
  return metadata.client_id_metadata_document_supported === true;
}

function assertDocumentUrl(text: string): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'https:' && url.pathname !== '/') return;
  throw new AuthError(
    'auth_misconfigured',
    'clientMetadataUrl must be an https URL with a path: it is used as client id',
  );
}

async function register(
  server: AuthorizationServer,
  redirectUri: string,
  { clientName = DEFAULT_NAME, clientUri }: RegistrationOptions,
  http: AuthHttp,
): Promise<JsonObject> {
  if (server.metadata.registration_endpoint === undefined) {
    throw new AuthError(
      'registration_failed',
      `${server.issuer} does not support client registration; register a client manually and set "client" (its id, issuer and secret)`,
    );
  }
  const method = registrableMethod(server.metadata);
  const wanted = {
    client_name: clientName,
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    application_type: isWebRedirect(redirectUri) ? 'web' : 'native',
    ...(clientUri === undefined ? {} : { client_uri: clientUri }),
  };
  try {
    const response = await oauth.dynamicClientRegistrationRequest(server.metadata, wanted, http.library);
    const given = await oauth.processDynamicClientRegistrationResponse(await lenient(response));
    const { client_id, client_secret, token_endpoint_auth_method, client_secret_expires_at } = given;
    return {
      clientId: client_id,
      ...(typeof client_secret === 'string' ? { clientSecret: client_secret } : {}),
      method: token_endpoint_auth_method ?? method,
      redirectUris: [redirectUri],
      ...(typeof client_secret_expires_at === 'number' && client_secret_expires_at > 0
        ? { expiresAt: client_secret_expires_at * 1000 }
        : {}),
    };
  } catch (error) {
    throw describeOAuthFailure(
      'registration_failed',
      `${server.issuer} refused to register this client`,
      error,
    );
  }
}

/** Many servers answer with 200 where RFC 7591 has 201, and give a secret without saying that it never expires. */
async function lenient(response: Response): Promise<Response> {
  if (response.status !== 200 && response.status !== 201) return response;
  const given: unknown = await response.json().catch(() => undefined);
  const complete = isRecord(given) ? { client_secret_expires_at: 0, ...given } : given;
  return new Response(JSON.stringify(complete), {
    status: 201,
    headers: { 'content-type': 'application/json' },
  });
}

/** Only what comes back to a site of ours over https is a web application. */
function isWebRedirect(redirectUri: string): boolean {
  const url = new URL(redirectUri);
  return url.protocol === 'https:' && !isLoopback(url);
}

function remembered({ id, secret, method }: RegisteredClient): JsonObject {
  return {
    clientId: id,
    manual: true,
    ...(secret === undefined ? {} : { clientSecret: secret }),
    ...(method === undefined ? {} : { method }),
  };
}

interface Registration extends Omit<RegisteredClient, 'issuer'> {
  /** Registered by hand: with redirect URIs that we do not know, and not to be replaced. */
  readonly manual: boolean;
  readonly redirectUris: readonly string[];
  readonly expiresAt: number | undefined;
}

function readRegistration(value: JsonObject | undefined): Registration | undefined {
  if (value === undefined || typeof value.clientId !== 'string') return undefined;
  const { clientId, clientSecret, method, redirectUris, expiresAt } = value;
  const secret = typeof clientSecret === 'string' ? clientSecret : undefined;
  const known = isClientAuthMethod(method) ? method : undefined;
  return {
    id: clientId,
    ...(secret === undefined ? {} : { secret }),
    // A server may say "secret" and give none, or the other way round.
    ...(known === undefined || (secret === undefined && known !== 'none') ? {} : { method: known }),
    manual: value.manual === true,
    redirectUris: Array.isArray(redirectUris) ? redirectUris.filter((uri) => typeof uri === 'string') : [],
    expiresAt: typeof expiresAt === 'number' ? expiresAt : undefined,
  };
}

function isExpired({ expiresAt }: Registration): boolean {
  return expiresAt !== undefined && expiresAt <= Date.now();
}
