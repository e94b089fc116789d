/**
 * A handshake-era client after `initialize`. It holds plain data only, so that a session can be written down
 * and taken up again elsewhere; whatever is tied to a connection lives with the connection.
 */

import type { Implementation } from '../protocol/model/base.js';
import type { ClientCapabilities } from '../protocol/model/capabilities.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { Peer } from './peer.js';

export interface SessionInit {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal?: string | undefined;
  readonly sessionId?: string | undefined;
}

export class Session implements Peer {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: string | undefined;
  readonly sessionId: string | undefined;
  /** Before `logging/setLevel` the server chooses; debug noise is only for those who ask. */
  logLevel: LogLevel = 'info';
  /** Set by `notifications/initialized`, or by the first request of a client that never sends it. */
  ready = false;
  readonly subscriptions: Set<string> = new Set();
  /** Something above has changed since it was last written down. */
  changed = false;

  #becomeReady: (() => void) | undefined;
  #readiness: Promise<void> | undefined;

  /** Resolves when the client may be asked something outside of its calls. */
  whenReady(): Promise<void> {
    if (this.ready) return Promise.resolve();
    this.#readiness ??= new Promise((resolve) => {
      this.#becomeReady = resolve;
    });
    return this.#readiness;
  }

  constructor(init: SessionInit) {
    this.revision = init.revision;
    this.clientInfo = init.clientInfo;
    this.capabilities = init.capabilities;
    this.principal = init.principal;
    this.sessionId = init.sessionId;
  }

  setLogLevel(level: LogLevel): void {
    this.logLevel = level;
    this.changed = true;
  }

  markReady(): void {
    if (this.ready) return;
    this.ready = true;
    this.changed = true;
    this.#becomeReady?.();
  }

  subscribe(uri: string): void {
    this.subscriptions.add(uri);
    this.changed = true;
  }

  unsubscribe(uri: string): void {
    this.subscriptions.delete(uri);
    this.changed = true;
  }
}
