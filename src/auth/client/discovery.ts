/** From an MCP server to the authorization server that issues its tokens. */

import type { AuthHttp } from './auth-http.js';
import type { Grant } from './grant.js';
import { findResourceMetadata } from './resource-metadata.js';
import { type AuthorizationServer, findAuthorizationServer, findLegacyServer } from './server-metadata.js';
import type { TokenRecord } from './token-record.js';
import type { TokenStore } from './token-store.js';

export interface Discovered {
  readonly authorizationServer: AuthorizationServer;
  readonly resource: string | undefined;
  readonly scopesSupported: readonly string[] | undefined;
  readonly dpopRequired: boolean;
}

export interface DiscoveryContext {
  readonly server: URL;
  readonly http: AuthHttp;
  readonly grant: Grant;
  readonly store: TokenStore;
}

/**
 * Asked anew whenever a token stops working: servers move to other authorization servers. `announced` is the
 * metadata URL of the challenge, `known` what we have tokens of.
 */
export async function discover(
  { server, http, grant, store }: DiscoveryContext,
  announced: string | undefined,
  known: TokenRecord | undefined,
): Promise<Discovered> {
  const described = await findResourceMetadata(server, announced, http);
  if (described !== undefined) {
    const issuer = await grant.choose(described.authorizationServers, store);
    const authorizationServer = await findAuthorizationServer(issuer, http);
    return { ...described, authorizationServer };
  }
  // A server that had metadata and has none now is having trouble: it did not become an older one.
  if (known?.resource !== undefined) return discoverAgain(known, http);
  const authorizationServer = await findLegacyServer(server, http);
  await grant.choose([authorizationServer.issuer], store);
  return { authorizationServer, resource: undefined, scopesSupported: undefined, dpopRequired: false };
}

/** The authorization server that issued these tokens, without asking the MCP server. */
export async function discoverAgain(known: TokenRecord, http: AuthHttp): Promise<Discovered> {
  return {
    authorizationServer: await findAuthorizationServer(known.issuer, http),
    resource: known.resource,
    scopesSupported: undefined,
    dpopRequired: known.tokenType === 'dpop',
  };
}
