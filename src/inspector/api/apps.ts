/** Apps of servers (MCP Apps), which the page shows in a sandbox of another origin. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { ServerId } from './servers.js';

/** An app that is shown. */
export interface AppView {
  /** Names the view in later commands. */
  readonly id: string;
  /** The sandbox, which waits for the document and shows it under its policy. */
  readonly url: string;
  readonly html: string;
  /** The Content-Security-Policy that the document runs under. */
  readonly policy: string;
  /** What the document may use of the browser, as the `allow` of a frame. */
  readonly allow: string;
  readonly prefersBorder: boolean;
}

export interface OpenApp {
  readonly server: ServerId;
  /** Of the app: `ui://...` */
  readonly uri: string;
  /** The origin of the page that shows it; the sandbox speaks with nobody else. */
  readonly host: string;
}

/** A message between the page and an app, for the timeline. */
export interface AppMessage {
  readonly view: string;
  readonly from: 'app' | 'host';
  readonly message: JsonObject;
}
