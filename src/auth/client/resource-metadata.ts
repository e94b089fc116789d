/** Protected resource metadata (RFC 9728) of an MCP server: where its tokens come from, and for what name. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { RESOURCE_METADATA_PATH } from '../well-known.js';
import type { AuthHttp } from './auth-http.js';
import { AuthError } from './errors.js';
import { parseUrl } from './network-policy.js';

export interface ResourceMetadata {
  /** As it is written in the document: authorization servers compare it byte by byte. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  readonly dpopRequired: boolean;
}

const WHAT = "The server's resource metadata";

/** What the server announced, otherwise the well-known places; undefined when there is no document. */
export async function findResourceMetadata(
  server: URL,
  announced: string | undefined,
  http: AuthHttp,
): Promise<ResourceMetadata | undefined> {
  const places =
    announced === undefined ? wellKnownUrls(server) : [parseUrl(announced, WHAT), ...wellKnownUrls(server)];
  for (const place of places) {
    const document = await http.document(place, WHAT).catch((error: unknown) => unreachable(error));
    if (document !== undefined) return readMetadata(document, server);
  }
  return undefined;
}

/** Something that does not answer is like something that is not there; what must not be asked is an attack. */
function unreachable(error: unknown): undefined {
  if (error instanceof AuthError) throw error;
  return undefined;
}

/** With the path inserted first, then at the root. */
function wellKnownUrls(server: URL): readonly URL[] {
  const path = server.pathname.replace(/\/$/, '');
  const places =
    path === '' ? [RESOURCE_METADATA_PATH] : [`${RESOURCE_METADATA_PATH}${path}`, RESOURCE_METADATA_PATH];
  return places.map((place) => new URL(place, server.origin));
}

function readMetadata(document: JsonObject, server: URL): ResourceMetadata {
  const { resource } = document;
  if (typeof resource !== 'string' || !URL.canParse(resource)) {
    throw new AuthError(
      'auth_discovery_failed',
      `${WHAT} names no "resource"; report this to the operator of ${server.origin}`,
    );
  }
  if (!covers(new URL(resource), server)) {
    throw new AuthError(
      'auth_forbidden',
      `${WHAT} is for ${new URL(resource).origin}, not for ${server.origin}${server.pathname}; ` +
        'a token for one must not be sent to the other, so check the URL of the server',
    );
  }
  const servers = strings(document.authorization_servers);
  return {
    resource,
    // Older servers are their own authorization servers, and do not say so.
    authorizationServers: servers === undefined || servers.length === 0 ? [server.origin] : servers,
    scopesSupported: strings(document.scopes_supported),
    dpopRequired: document.dpop_bound_access_tokens_required === true,
  };
}

/** Same origin, and the path of the resource is where the server is, or above it (RFC 9728, 3.3). */
function covers(resource: URL, server: URL): boolean {
  if (resource.origin !== server.origin) return false;
  const above = resource.pathname.endsWith('/') ? resource.pathname : `${resource.pathname}/`;
  return `${server.pathname}/`.startsWith(above);
}

function strings(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.filter((item) => typeof item === 'string');
}
