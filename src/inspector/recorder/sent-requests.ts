/**
 * Requests that this process has just sent, by their text: a chain of the same process that receives one of them goes on
 * with its call, so that both sides are one exchange. Only used where a chain is watched.
 */

import { digest } from './digest.js';

const MAX_SENT = 1_000;

export class SentRequests {
  readonly #groups = new Map<string, number>();
  #watched = false;

  /** A chain is watched: from now on they are remembered. */
  watch(): void {
    this.#watched = true;
  }

  add(text: string, group: number): void {
    if (!this.#watched) return;
    const [oldest] = this.#groups.keys();
    if (this.#groups.size >= MAX_SENT && oldest !== undefined) this.#groups.delete(oldest);
    this.#groups.set(digest(text), group);
  }

  /** The call that a received request belongs to; each is found once. */
  take(text: string): number | undefined {
    if (this.#groups.size === 0) return undefined;
    const key = digest(text);
    const group = this.#groups.get(key);
    this.#groups.delete(key);
    return group;
  }
}
