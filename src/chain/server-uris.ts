/**
 * URIs that mean something to one server only: those of skills and of apps. Two servers may use the same, so a gateway
 * gives each the name of its server as first segment, wherever clients see it.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { APP_LINK_KEY, appLinkOf, toolOriginOf, withToolOrigin } from '../protocol/model/apps.js';
import type { Instance } from './instance.js';
import type { ResourceAddresses } from './subscriptions.js';
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

/** A resource at a server that may have it. */
export interface LocatedResource {
  readonly member: Member;
  /** Its address there. */
  readonly uri: string;
}

/** The address at this server of what clients know as `uri`. */
function addressAt({ upstream, naming }: Member, uri: string): string {
  if (naming.isAlone || !isServersOwn(uri)) return uri;
  return ownUri(upstream.name, uri) ?? uri;
}

/** How the server of a connection and the clients of the chain call the same resource. */
export function resourceAddresses(memberOf: (instance: Instance) => Member | undefined): ResourceAddresses {
  const at = (instance: Instance, uri: string, name: (member: Member, uri: string) => string): string => {
    const member = memberOf(instance);
    return member === undefined ? uri : name(member, uri);
  };
  return {
    own: (instance, uri) => at(instance, uri, addressAt),
    published: (instance, own) => at(instance, own, listedUri),
  };
}

/** Whose resource this is by its first segment, and its address there. */
export function ownerOfUri(members: readonly Member[], uri: string): LocatedResource | undefined {
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

/**
 * The tools of a server with apps: the apps know them by their own names. An origin that a server gives its tools is
 * one within that server, whatever it says.
 */
export function withOrigins<Entry extends { readonly own: string; readonly item: JsonObject }>(
  { upstream, naming }: Member,
  entries: readonly Entry[],
): readonly Entry[] {
  const needsOrigin = entries.some(
    ({ item }) => appLinkOf(item).resourceUri !== undefined || toolOriginOf(item) !== undefined,
  );
  if (naming.isAlone || !needsOrigin) return entries;
  return entries.map((entry) => ({ ...entry, item: withToolOrigin(entry.item, upstream.name, entry.own) }));
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
