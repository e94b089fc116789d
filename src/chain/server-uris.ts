/**
 * URIs that mean something to one server only: those of skills and of apps. Two servers may use the same, so a gateway
 * gives each the name of its server as first segment, wherever clients see it.
 */

import { APP_LINK_KEY } from '../extensions/apps/apps.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { Member } from './upstreams.js';

const ADDRESS = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/)(.*)$/s;
const SCHEMES: ReadonlySet<string> = new Set(['skill://', 'ui://']);

/** The URI as clients of a gateway see it. One without an authority is left as it is. */
export function publishedUri(server: string, uri: string): string {
  const [, scheme, rest] = ADDRESS.exec(uri) ?? [];
  return scheme === undefined ? uri : `${scheme}${encodeURIComponent(server)}/${rest}`;
}

/** The URI as this server knows it; undefined where it is not one of this server. */
export function ownUri(server: string, uri: string): string | undefined {
  const [, scheme, rest = ''] = ADDRESS.exec(uri) ?? [];
  const prefix = `${encodeURIComponent(server)}/`;
  return scheme !== undefined && rest.startsWith(prefix) ? scheme + rest.slice(prefix.length) : undefined;
}

/** Whether a gateway changes URIs like this one. */
function isServersOwn(uri: string): boolean {
  const [, scheme = ''] = ADDRESS.exec(uri) ?? [];
  return SCHEMES.has(scheme.toLowerCase());
}

/** The address of a listed resource or template, as clients see it. */
export function listedUri({ upstream, naming }: Member, uri: string): string {
  return naming.isAlone || !isServersOwn(uri) ? uri : publishedUri(upstream.name, uri);
}

/** Whose resource this is by its first segment, and its address there. */
export function ownerOfUri(
  members: readonly Member[],
  uri: string,
): { readonly member: Member; readonly uri: string } | undefined {
  if (members.length < 2 || !isServersOwn(uri)) return undefined;
  for (const member of members) {
    const own = ownUri(member.upstream.name, uri);
    if (own !== undefined) return { member, uri: own };
  }
  return undefined;
}

/** A listed tool whose app is named by the address that clients of the gateway know. */
export function withPublishedApp(member: Member, tool: JsonObject): JsonObject {
  const meta = tool._meta;
  if (member.naming.isAlone || !isRecord(meta)) return tool;
  const { ui } = meta;
  const flat = meta[APP_LINK_KEY];
  const changed: JsonObject = {};
  if (isRecord(ui) && typeof ui.resourceUri === 'string')
    changed.ui = { ...ui, resourceUri: listedUri(member, ui.resourceUri) };
  if (typeof flat === 'string') changed[APP_LINK_KEY] = listedUri(member, flat);
  return Object.keys(changed).length === 0 ? tool : { ...tool, _meta: { ...meta, ...changed } };
}

/** What was read, under the address that it was asked for by. */
export function withAddress(result: JsonObject, own: string, published: string): JsonObject {
  const { contents } = result;
  if (!Array.isArray(contents)) return result;
  const renamed = contents.map((content: unknown) =>
    isRecord(content) && content.uri === own ? { ...content, uri: published } : content,
  );
  return { ...result, contents: renamed };
}
