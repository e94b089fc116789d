/** Who wants to hear about changes of which resource. Outlives connections: a new one is asked for the same again. */

import type { ResourceUpdatedParams } from '../../protocol/model/notifications.js';
import type { Subscriber } from './subscriber.js';
import { isWithin } from './uri.js';

export type UpdateHandler = (update: ResourceUpdatedParams) => unknown;

/** One subscriber, however often it uses the same handler. */
export interface Interest {
  readonly uri: string;
  readonly subscriber: Subscriber<[ResourceUpdatedParams]>;
}

export class Interests {
  readonly #byUri = new Map<string, Set<Interest>>();

  uris(): string[] {
    return [...this.#byUri.keys()];
  }

  add(interest: Interest): void {
    const interests = this.#byUri.get(interest.uri);
    if (interests === undefined) this.#byUri.set(interest.uri, new Set([interest]));
    else interests.add(interest);
  }

  /** Whether it was there, and the last of its URI. */
  remove(interest: Interest): boolean {
    const interests = this.#byUri.get(interest.uri);
    if (interests === undefined || !interests.delete(interest) || interests.size > 0) return false;
    this.#byUri.delete(interest.uri);
    return true;
  }

  concernedBy(uri: string): Interest[] {
    return [...this.#byUri].flatMap(([base, interests]) => (isWithin(uri, base) ? [...interests] : []));
  }
}
