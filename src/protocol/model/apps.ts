/** What a listed tool says of its app (MCP Apps), and which server behind a gateway it is of. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';

/** The first spelling of `_meta.ui.resourceUri`, which some hosts still read and some servers still write. */
export const APP_LINK_KEY = 'ui/resourceUri';
/** A gateway says here whose tool it lists. */
const TOOL_ORIGIN_KEY = 'plumb-mcp/origin';

/** Who may call a tool: the model, the app, or both. */
export type ToolVisibility = 'model' | 'app';

export interface AppLink {
  readonly resourceUri: string | undefined;
  readonly visibility: readonly ToolVisibility[];
}

/** Where a tool comes from: an app knows the tools of its own server by the names that they have there. */
export interface ToolOrigin {
  /** The name that the gateway gives the server, encoded; several, divided by slashes, behind several gateways. */
  readonly server: string;
  /** The tool's name at that server. */
  readonly name: string;
}

/** An origin, perhaps with a wildcard for its subdomains: nothing that could end a directive of a policy and begin another. */
const CSP_SOURCE = /^(?:https?|wss?):\/\/(?:\*\.)?[A-Za-z0-9.-]+(?::(?:\d+|\*))?$/;

/** Whether an app may name this in its `csp`. */
export function isCspSource(text: string): boolean {
  return CSP_SOURCE.test(text);
}

export interface WithMeta {
  readonly _meta?: unknown;
}

const EVERYONE: readonly ToolVisibility[] = ['model', 'app'];

/** The app of a tool as it was listed, in either spelling. */
export function appLinkOf(tool: WithMeta): AppLink {
  const meta: JsonObject = isRecord(tool._meta) ? tool._meta : {};
  const ui: JsonObject = isRecord(meta.ui) ? meta.ui : {};
  const uri = ui.resourceUri ?? meta[APP_LINK_KEY];
  const named: unknown = ui.visibility;
  const visibility = Array.isArray(named) ? EVERYONE.filter((who) => named.includes(who)) : EVERYONE;
  return { resourceUri: typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined, visibility };
}

/** Whether a model may know of the tool: one that is for apps alone stays hidden from it. */
export function isForModels(tool: WithMeta): boolean {
  return appLinkOf(tool).visibility.includes('model');
}

/** Undefined for a tool that no gateway has named. */
export function toolOriginOf(tool: WithMeta): ToolOrigin | undefined {
  const origin = isRecord(tool._meta) ? tool._meta[TOOL_ORIGIN_KEY] : undefined;
  if (!isRecord(origin) || typeof origin.server !== 'string' || typeof origin.name !== 'string')
    return undefined;
  return { server: origin.server, name: origin.name };
}

/** The tool of one of several servers, with where it comes from. */
export function withToolOrigin(tool: JsonObject, server: string, name: string): JsonObject {
  const inner = toolOriginOf(tool);
  const place = encodeURIComponent(server);
  const origin: ToolOrigin =
    inner === undefined ? { server: place, name } : { server: `${place}/${inner.server}`, name: inner.name };
  const meta: JsonObject = isRecord(tool._meta) ? tool._meta : {};
  return { ...tool, _meta: { ...meta, [TOOL_ORIGIN_KEY]: origin } };
}

/**
 * The tool that an app means by a name: one of the server that the app came from. Behind a gateway, the names of other
 * servers lead nowhere.
 */
export function toolOfApp<T extends WithMeta & { readonly name: string }>(
  app: WithMeta,
  tools: readonly T[],
  name: unknown,
): T | undefined {
  const home = toolOriginOf(app);
  if (home === undefined) return tools.find((tool) => tool.name === name);
  const own = tools.filter((tool) => toolOriginOf(tool)?.server === home.server);
  return own.find((tool) => toolOriginOf(tool)?.name === name) ?? own.find((tool) => tool.name === name);
}

/** URIs that a gateway gives the name of their server as first segment. */
const OWN_ADDRESS = /^((?:ui|skill):\/\/)(.*)$/is;

/**
 * The URI by which a host reads the resource that an app means; undefined where it could be one of another server. A
 * gateway asks several servers for any other URI, so behind a gateway only those with the name of a server are certain.
 */
export function uriOfApp(app: WithMeta, uri: string): string | undefined {
  const home = toolOriginOf(app)?.server;
  if (home === undefined) return uri;
  const [, scheme, rest = ''] = OWN_ADDRESS.exec(uri) ?? [];
  if (scheme === undefined) return undefined;
  return rest.startsWith(`${home}/`) ? uri : `${scheme}${home}/${rest}`;
}
