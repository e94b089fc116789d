/** Subscriptions one URI at a time, by `resources/subscribe` and `resources/unsubscribe`. */

import type { ConnectionOwner, Requester } from '../connection.js';
import type { ChangeFeed } from './era.js';
import { serial } from './serial.js';

export class SubscribeFeed implements ChangeFeed {
  readonly streams = 0;
  readonly #requester: Requester;
  readonly #owner: ConnectionOwner;
  /** Whether the server declares that it takes subscriptions. */
  readonly #declared: boolean;
  readonly #active = new Set<string>();
  readonly #refusals = new Map<string, unknown>();
  readonly sync: () => Promise<void> = serial(() => this.#reconcile());

  constructor(requester: Requester, owner: ConnectionOwner, declared: boolean) {
    this.#requester = requester;
    this.#owner = owner;
    this.#declared = declared;
  }

  refusal(uri: string): unknown {
    return this.#refusals.get(uri);
  }

  async #reconcile(): Promise<void> {
    const wanted = new Set(this.#declared ? this.#owner.wanted().resourceSubscriptions : []);
    this.#refusals.clear();
    const added = [...wanted].filter((uri) => !this.#active.has(uri)).map((uri) => this.#subscribe(uri));
    const removed = [...this.#active].filter((uri) => !wanted.has(uri)).map((uri) => this.#unsubscribe(uri));
    await Promise.all([...added, ...removed]);
  }

  async #subscribe(uri: string): Promise<void> {
    try {
      await this.#request('resources/subscribe', uri);
      this.#active.add(uri);
    } catch (error) {
      this.#refusals.set(uri, error);
    }
  }

  async #unsubscribe(uri: string): Promise<void> {
    // Whatever the server answers, updates of this URI have no listener any more.
    this.#active.delete(uri);
    try {
      await this.#request('resources/unsubscribe', uri);
    } catch (error) {
      const message = `The server refused to end the subscription to ${uri}`;
      this.#owner.fault({ kind: 'subscription', message, cause: error });
    }
  }

  #request(method: string, uri: string): Promise<void> {
    return this.#requester.request({ method, params: { uri }, options: {}, read: () => {} });
  }
}
