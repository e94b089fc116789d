/** Announcements to all nodes, over the change log of a store that they share. */

import type { Change, Store, Unsubscribe } from '../store/store.js';
import { type Announcement, type ChangeHub, type NodeRelay, parseAnnouncement } from './hub.js';

/** Announcements that wait for a store that is away. */
const MAX_OWED = 1024;
const RETRY_MS = 1_000;

export class ChangeRelay implements NodeRelay {
  readonly store: Store;
  readonly #hub: ChangeHub;
  readonly #onError: (error: unknown) => void;
  #following: Promise<Unsubscribe> | undefined;
  #isFollowing = false;
  #closed = false;
  /** Announcements leave in the order in which they were made. */
  #tail: Promise<void> = Promise.resolve();
  /** How many of them are on their way. */
  #leaving = 0;
  /** Those that the store did not take, or did not say so, by their mark, oldest first. */
  readonly #owed = new Map<string, string>();
  #retry: ReturnType<typeof setTimeout> | undefined;

  constructor(store: Store, hub: ChangeHub, onError: (error: unknown) => void) {
    this.store = store;
    this.#hub = hub;
    this.#onError = onError;
  }

  listening(): Promise<void> | undefined {
    if (this.#isFollowing || this.#closed) return undefined;
    return this.#follow();
  }

  publish(announcement: Announcement): void {
    this.#leaving += 1;
    this.#tail = this.#tail
      .then(() => this.#publish(announcement))
      .finally(() => {
        this.#leaving -= 1;
      });
  }

  published(): Promise<void> | undefined {
    return this.#leaving === 0 ? undefined : this.#tail;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    await this.#tail;
    const unsubscribe = await this.#following?.catch(() => undefined);
    await unsubscribe?.();
  }

  async #publish(announcement: Announcement): Promise<void> {
    if (this.#closed) return this.#hub.spread(announcement);
    const text = JSON.stringify(announcement);
    const mark = crypto.randomUUID();
    try {
      await this.#publishOwed();
      await this.listening();
      await this.store.changes.publish(text, mark);
    } catch (error) {
      // The store is away. It may have arrived all the same; the log ensures that it is delivered once.
      this.#onError(error);
      this.#owe(mark, text);
    }
  }

  #owe(mark: string, text: string): void {
    this.#owed.set(mark, text);
    const [oldest] = this.#owed.size > MAX_OWED ? this.#owed.keys() : [];
    if (oldest !== undefined) this.#owed.delete(oldest);
    this.#retryLater();
  }

  #retryLater(): void {
    if (this.#retry !== undefined || this.#closed) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#tail = this.#tail
        .then(() => this.#publishOwed())
        .catch((error: unknown) => {
          this.#onError(error);
          this.#retryLater();
        });
    }, RETRY_MS);
    if (typeof this.#retry === 'object' && 'unref' in this.#retry) this.#retry.unref();
  }

  async #publishOwed(): Promise<void> {
    for (const [mark, text] of this.#owed) {
      if (this.#closed) return;
      await this.listening();
      await this.store.changes.publish(text, mark, true);
      this.#owed.delete(mark);
    }
  }

  async #follow(): Promise<void> {
    this.#following ??= Promise.resolve(
      this.store.changes.follow(
        (change) => this.#hear(change),
        () => this.#hub.spreadAll(),
        () => this.#hub.refresh(),
      ),
    );
    try {
      await this.#following;
      this.#isFollowing = true;
    } catch (error) {
      // The next one who wants to listen tries again.
      this.#following = undefined;
      throw error;
    }
  }

  #hear({ id, text }: Change): void {
    const announcement = parseAnnouncement(text);
    if (announcement !== undefined) this.#hub.spread(announcement, id);
  }
}
