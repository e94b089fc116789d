/** The MCP Apps extension: pages of a server that hosts show beside the results of its tools. */

import { defineExtension, type Extension } from '../extension.js';

const APPS_ID = 'io.modelcontextprotocol/ui';
/** Of the resource that is an app. */
export const APP_MIME_TYPE = 'text/html;profile=mcp-app';

/** Origins that the page may use; it can reach nothing else. */
export interface AppCsp {
  /** For requests: `fetch`, WebSocket. */
  readonly connectDomains?: readonly string[] | undefined;
  /** For scripts, styles, pictures, fonts and media. */
  readonly resourceDomains?: readonly string[] | undefined;
  /** For frames inside it. */
  readonly frameDomains?: readonly string[] | undefined;
  /** For its `<base>`. */
  readonly baseUriDomains?: readonly string[] | undefined;
}

export const APP_PERMISSIONS = ['camera', 'microphone', 'geolocation', 'clipboardWrite'] as const;
export type AppPermission = (typeof APP_PERMISSIONS)[number];

export interface AppsShape {
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
