/** Protected resource metadata (RFC 9728): where a client of this server gets its tokens. */

import type { JsonObject } from '../../jsonrpc/message.js';
import { RESOURCE_METADATA_PATH } from '../well-known.js';

export interface ProtectedResource {
  /** The URL that clients connect to, without a trailing slash; also what tokens are issued for. */
  readonly resource: string;
  readonly authorizationServers: readonly string[];
  readonly scopesSupported?: readonly string[] | undefined;
  readonly resourceName?: string | undefined;
  readonly resourceDocumentation?: string | undefined;
}

export function metadataDocument(described: ProtectedResource): JsonObject {
  const { resource, authorizationServers, scopesSupported, resourceName, resourceDocumentation } = described;
  return {
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    ...(scopesSupported === undefined ? {} : { scopes_supported: scopesSupported }),
    ...(resourceName === undefined ? {} : { resource_name: resourceName }),
    ...(resourceDocumentation === undefined ? {} : { resource_documentation: resourceDocumentation }),
  };
}

/** The well-known part goes between host and path (RFC 9728, 3.1). */
export function metadataUrl(resource: URL): string {
  return `${resource.origin}${RESOURCE_METADATA_PATH}${pathOf(resource)}`;
}

/**
 * Where the document is served: at the root, and under the path of the resource. A proxy may publish the endpoint
 * under another path than the one it listens on, so both count.
 */
export function metadataPaths(resource: URL, servedAt: string): readonly string[] {
  const suffixes = ['', pathOf(resource), servedAt === '/' ? '' : servedAt];
  return [...new Set(suffixes.map((suffix) => `${RESOURCE_METADATA_PATH}${suffix}`))];
}

function pathOf({ pathname }: URL): string {
  return pathname === '/' ? '' : pathname;
}
