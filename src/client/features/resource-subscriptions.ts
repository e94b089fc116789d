/** Who wants to hear about changes of which resource. Outlives connections: a new one is asked for the same again. */

import type { ResourceUpdatedParams } from '../../protocol/model/notifications.js';
import type { Subscriber } from './subscriber.js';
import { isWithin } from './uri.js';

export type UpdateHandler = (update: ResourceUpdatedParams) => unknown;

/** One subscriber, however often it uses the same handler. */
export interface ResourceSubscriber {
  readonly uri: string;
  readonly subscriber: Subscriber<[ResourceUpdatedParams]>;
}

export class ResourceSubscriptions {
  readonly #byUri = new Map<string, Set<ResourceSubscriber>>();

  uris(): string[] {
    return [...this.#byUri.keys()];
  }

  add(subscriber: ResourceSubscriber): void {
    const subscribers = this.#byUri.get(subscriber.uri);
    if (subscribers === undefined) this.#byUri.set(subscriber.uri, new Set([subscriber]));
    else subscribers.add(subscriber);
  }

  /** Whether it was there, and the last of its URI. */
  remove(subscriber: ResourceSubscriber): boolean {
    const subscribers = this.#byUri.get(subscriber.uri);
    if (subscribers === undefined || !subscribers.delete(subscriber) || subscribers.size > 0) return false;
    this.#byUri.delete(subscriber.uri);
    return true;
  }

  concernedBy(uri: string): ResourceSubscriber[] {
    return [...this.#byUri].flatMap(([base, subscribers]) => (isWithin(uri, base) ? [...subscribers] : []));
  }
}
