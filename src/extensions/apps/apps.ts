/** The MCP Apps extension: pages of a server that hosts show beside the results of its tools. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { defineExtension, type Extension } from '../extension.js';

const APPS_ID = 'io.modelcontextprotocol/ui';
/** Of the resource that is an app. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';
/** The first spelling of `_meta.ui.resourceUri`, which some hosts still read and some servers still write. */
export const APP_LINK_KEY = 'ui/resourceUri';

/** Origins that the page may use; it can reach nothing else. */
export interface AppCsp {
  /** For requests: `fetch`, WebSocket. */
  readonly connectDomains?: readonly string[];
  /** For scripts, styles, pictures, fonts and media. */
  readonly resourceDomains?: readonly string[];
  /** For frames inside it. */
  readonly frameDomains?: readonly string[];
  /** For its `<base>`. */
  readonly baseUriDomains?: readonly string[];
}

export const APP_PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;
export type AppPermission = (typeof APP_PERMISSIONS)[number];

/** Who may call a tool: the model, the app, or both. */
export type ToolVisibility = 'model' | 'app';

interface AppsShape {
  readonly id: typeof APPS_ID;
  readonly client: 'optional';
  readonly settings: { readonly client: typeof CLIENT_SETTINGS };
}

const CLIENT_SETTINGS = {
  type: 'object',
  properties: { mimeTypes: { type: 'array', items: { type: 'string' } } },
  additionalProperties: true,
} as const;

/** Hosts declare the types of pages that they show: `apps.with({ mimeTypes: [APP_MIME_TYPE] })`. */
export const apps: Extension<AppsShape> = defineExtension({
  id: APPS_ID,
  // Tools of an app work without it: the result is there for everyone.
  client: 'optional',
  settings: { client: CLIENT_SETTINGS },
});

/** What a tool says of its app. */
export interface AppLink {
  readonly resourceUri: string | undefined;
  readonly visibility: readonly ToolVisibility[];
}

const EVERYONE: readonly ToolVisibility[] = ['model', 'app'];

/** The app of a tool as it was listed, in either spelling. */
export function appLinkOf(tool: { readonly _meta?: unknown }): AppLink {
  const meta: JsonObject = isRecord(tool._meta) ? tool._meta : {};
  const ui: JsonObject = isRecord(meta.ui) ? meta.ui : {};
  const uri = ui.resourceUri ?? meta[APP_LINK_KEY];
  const named: unknown = ui.visibility;
  const visibility = Array.isArray(named) ? EVERYONE.filter((who) => named.includes(who)) : EVERYONE;
  return { resourceUri: typeof uri === 'string' && uri.startsWith('ui://') ? uri : undefined, visibility };
}
