/**
 * One `subscriptions/listen` request: opening until acknowledged, open until either side ends it. The
 * request's id names the subscription on everything that it delivers.
 */

import type { ErrorObject, JsonObject } from '../../../jsonrpc/message.js';
import type { Waiter } from '../../../jsonrpc/pending.js';
import { receivedError } from '../../../protocol/errors.js';
import type { SubscriptionFilter } from '../../../protocol/model/subscriptions.js';
import { timeoutError } from '../../errors.js';
import type { Link } from '../link.js';
import type { ClientEra } from './era.js';

export interface ListenEvents {
  opened(stream: ListenStream, honoured: SubscriptionFilter): void;
  /** Called once, also when it never opened; not when we cancelled it. */
  ended(stream: ListenStream, error: unknown): void;
}

export class ListenStream implements Waiter {
  readonly id: number;
  readonly filter: SubscriptionFilter;
  readonly #link: Link;
  readonly #events: ListenEvents;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(link: Link, filter: SubscriptionFilter, events: ListenEvents) {
    this.id = link.allocate();
    this.filter = filter;
    this.#link = link;
    this.#events = events;
  }

  open(era: Pick<ClientEra, 'encode'>, timeout: number): void {
    const text = era.encode(
      this.id,
      'subscriptions/listen',
      { notifications: this.filter },
      undefined,
      undefined,
    );
    this.#timer = setTimeout(() => {
      this.cancel();
      this.#events.ended(this, timeoutError('subscriptions/listen', timeout, false));
    }, timeout);
    this.#link.post(this.id, text, this);
  }

  acknowledged(honoured: SubscriptionFilter): void {
    clearTimeout(this.#timer);
    this.#events.opened(this, honoured);
  }

  cancel(): void {
    clearTimeout(this.#timer);
    if (!this.#link.abandon(this.id)) return;
    this.#link.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: this.id } });
  }

  /** The server ended it by a notification instead of a result. */
  cancelledByServer(): void {
    clearTimeout(this.#timer);
    if (this.#link.abandon(this.id)) this.#events.ended(this, undefined);
  }

  resolve(_result: JsonObject): void {
    clearTimeout(this.#timer);
    this.#events.ended(this, undefined);
  }

  fail(error: ErrorObject): void {
    this.reject(receivedError(error));
  }

  reject(error: unknown): void {
    clearTimeout(this.#timer);
    this.#events.ended(this, error);
  }
}
