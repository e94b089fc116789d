/**
 * A handshake-era client after `initialize`. It holds plain data only, so that a session can be written down
 * and taken up again elsewhere; whatever is tied to a connection lives with the connection.
 */

import type { Implementation } from '../protocol/model/base.js';
import type { ClientCapabilities } from '../protocol/model/capabilities.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Revision } from '../protocol/revisions/index.js';
import { type Charge, weigh } from '../store/budget.js';
import type { SessionChange } from '../store/store.js';
import type { Peer } from './peer.js';

export interface SessionInit {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal?: string | undefined;
  readonly sessionId?: string | undefined;
  readonly account?: string | undefined;
  readonly passing?: boolean;
}

interface Change {
  readonly fields: { logLevel?: LogLevel; ready?: boolean };
  readonly subscribed: Set<string>;
  readonly unsubscribed: Set<string>;
}

const NONE: ReadonlySet<string> = new Set();

export class Session implements Peer {
  readonly revision: Revision;
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  readonly principal: string | undefined;
  readonly sessionId: string | undefined;
  readonly account: string | undefined;
  /** What it is charged for where it lives with its connection; elsewhere the store charges for it. */
  charge: Charge | undefined;
  readonly passing: boolean;
  /** Before `logging/setLevel` the server chooses; debug noise is only for those who ask. */
  logLevel: LogLevel = 'info';
  /** Set by `notifications/initialized`, or by the first request of a client that never sends it. */
  ready = false;
  /** What of the above has changed since it was last written down. */
  #change: Change | undefined;
  /** Most sessions never subscribe, and there are many sessions. */
  #subscriptions: Set<string> | undefined;
  #introductionBytes: number | undefined;
  #subscriptionBytes = 0;
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
    this.account = init.account;
    this.passing = init.passing ?? false;
  }

  get subscriptions(): ReadonlySet<string> {
    return this.#subscriptions ?? NONE;
  }

  /** About what it takes in memory. */
  get bytes(): number {
    this.#introductionBytes ??= weigh([this.clientInfo, this.capabilities]);
    return this.#introductionBytes + this.#subscriptionBytes;
  }

  get changed(): boolean {
    return this.#change !== undefined;
  }

  /** Hands over what has to be written down, once. */
  takeChange(): SessionChange | undefined {
    const change = this.#change;
    this.#change = undefined;
    return (
      change && {
        ...change.fields,
        subscribed: [...change.subscribed],
        unsubscribed: [...change.unsubscribed],
      }
    );
  }

  /** Takes over what was written down, perhaps by another node. */
  adopt(state: { logLevel: LogLevel | undefined; ready: boolean; subscriptions: readonly string[] }): void {
    if (state.logLevel !== undefined) this.logLevel = state.logLevel;
    this.#subscriptions = state.subscriptions.length === 0 ? undefined : new Set(state.subscriptions);
    this.#subscriptionBytes = state.subscriptions.length === 0 ? 0 : weigh(state.subscriptions);
    this.ready = state.ready;
    if (state.ready) this.#becomeReady?.();
  }

  setLogLevel(level: LogLevel): void {
    this.logLevel = level;
    const change = this.#changing();
    if (change !== undefined) change.fields.logLevel = level;
  }

  markReady(): void {
    if (this.ready) return;
    this.ready = true;
    const change = this.#changing();
    if (change !== undefined) change.fields.ready = true;
    this.#becomeReady?.();
  }

  subscribe(uri: string): void {
    this.#subscriptions ??= new Set();
    if (!this.#subscriptions.has(uri)) this.#subscriptionBytes += weigh(uri);
    this.#subscriptions.add(uri);
    const change = this.#changing();
    change?.subscribed.add(uri);
    change?.unsubscribed.delete(uri);
  }

  unsubscribe(uri: string): void {
    if (this.#subscriptions?.delete(uri) === true) {
      this.#subscriptionBytes -= weigh(uri);
      this.charge?.resize(this.bytes);
    }
    const change = this.#changing();
    change?.unsubscribed.add(uri);
    change?.subscribed.delete(uri);
  }

  /** Undefined where the session lives with its connection: there is nothing to write down. */
  #changing(): Change | undefined {
    if (this.sessionId === undefined) return undefined;
    this.#change ??= { fields: {}, subscribed: new Set(), unsubscribed: new Set() };
    return this.#change;
  }
}
