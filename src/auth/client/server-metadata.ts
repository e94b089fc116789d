/** Authorization server metadata (RFC 8414, OpenID Connect Discovery), and what servers did before they had any. */

import * as oauth from 'oauth4webapi';
import type { JsonObject } from '../../jsonrpc/message.js';
import { VERSION_HEADER } from '../../protocol/mirrored-headers.js';
import { HANDSHAKE_REVISIONS } from '../../protocol/revisions/index.js';
import { metadataUrls } from '../well-known.js';
import type { AuthHttp } from './auth-http.js';
import { AuthError } from './errors.js';
import { parseUrl } from './network-policy.js';

export interface AuthorizationServer {
  /** Exactly as the document writes it. */
  readonly issuer: string;
  readonly metadata: oauth.AuthorizationServer;
  /** Found at the server's own origin, in the way from before resource metadata. */
  readonly legacy: boolean;
}

const VERSION = { [VERSION_HEADER]: HANDSHAKE_REVISIONS.at(-1)?.version ?? '' };

const WHAT = "The authorization server's metadata";

/** The metadata of this issuer; a document that names another issuer is not taken (RFC 8414, 3.3). */
export async function findAuthorizationServer(issuer: string, http: AuthHttp): Promise<AuthorizationServer> {
  const identifier = parseUrl(issuer, 'The authorization server that the resource metadata names');
  http.policy.assertUrl(identifier, 'The authorization server that the resource metadata names');
  let other: unknown;
  for (const url of metadataUrls(issuer)) {
    const document = await http.document(new URL(url), WHAT).catch(ignoreUnreachable);
    if (document === undefined) continue;
    // Character for character: one that looks similar may belong to someone else.
    if (document.issuer === issuer) return { issuer, metadata: await read(document, issuer), legacy: false };
    other = document.issuer;
  }
  const reason =
    other === undefined
      ? 'has no metadata that could be read'
      : `has metadata of another issuer (${JSON.stringify(String(other).slice(0, 200))})`;
  throw new AuthError(
    'auth_discovery_failed',
    `The authorization server ${issuer} ${reason}; report this to the operator of the server`,
  );
}

/** The server's own origin as authorization server, with or without a document; the last resort for old servers. */
export async function findLegacyServer(server: URL, http: AuthHttp): Promise<AuthorizationServer> {
  const { origin } = server;
  http.policy.assertUrl(server, 'The server');
  for (const url of metadataUrls(origin)) {
    // Servers of that time may choose their metadata by the version of the client.
    const document = await http.document(new URL(url), WHAT, VERSION).catch(ignoreUnreachable);
    const issuer = document?.issuer;
    if (document === undefined || typeof issuer !== 'string') continue;
    // Such servers put a path behind their origin; all of it belongs to the owner of the origin.
    if (parseUrl(issuer, WHAT).origin !== origin) continue;
    // The specification of that time requires PKCE and not the field that announces it.
    const methods = document.code_challenge_methods_supported ?? ['S256'];
    const complete = { ...document, code_challenge_methods_supported: methods };
    return { issuer, metadata: await read(complete, issuer), legacy: true };
  }
  const metadata = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
  };
  return { issuer: origin, metadata, legacy: true };
}

/** Lets the library judge the types of what it is going to use. */
function read(document: JsonObject, issuer: string): Promise<oauth.AuthorizationServer> {
  const headers = { 'content-type': 'application/json' };
  return oauth.processDiscoveryResponse(new URL(issuer), new Response(JSON.stringify(document), { headers }));
}

function ignoreUnreachable(error: unknown): undefined {
  if (error instanceof AuthError) throw error;
  return undefined;
}

/** S256 or nothing: without it a stolen code could be redeemed by the thief. */
export function assertPkce({ issuer, metadata }: AuthorizationServer): void {
  if (metadata.code_challenge_methods_supported?.includes('S256') === true) return;
  throw new AuthError(
    'auth_discovery_failed',
    `The authorization server ${issuer} does not announce PKCE with S256, without which a login is not safe; ` +
      'ask its operator to enable it',
  );
}
