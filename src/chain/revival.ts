/**
 * Connections that were lost while clients listen: opened again without waiting for the next call, since what those
 * clients wait to hear of can only come over them.
 */

import type { Instance } from './instance.js';

const FIRST_DELAY_MS = 250;
const LAST_DELAY_MS = 30_000;
/** A server that lives for less than this is waited for longer each time. */
const STABLE_MS = 10_000;

/** It is not connected. */
const NEVER = Number.POSITIVE_INFINITY;

interface Life {
  /** When it was last connected. */
  since: number;
  delayMs: number;
}

export class Revival {
  readonly #isListenedTo: (instance: Instance) => boolean;
  readonly #now: () => number;
  readonly #lives = new WeakMap<Instance, Life>();
  readonly #lost = new Map<Instance, ReturnType<typeof setTimeout> | undefined>();
  #closed = false;

  constructor(isListenedTo: (instance: Instance) => boolean, now: () => number = () => performance.now()) {
    this.#isListenedTo = isListenedTo;
    this.#now = now;
  }

  lost(instance: Instance): void {
    const life = this.#lives.get(instance) ?? { since: NEVER, delayMs: FIRST_DELAY_MS };
    if (this.#now() - life.since > STABLE_MS) life.delayMs = FIRST_DELAY_MS;
    // Attempts that fail from here on do not make it a server that lived for long.
    life.since = NEVER;
    this.#lives.set(instance, life);
    this.#schedule(instance);
  }

  /** Whether this connection replaces one that was lost, regardless of what opened it. */
  connected(instance: Instance): boolean {
    const { delayMs = FIRST_DELAY_MS } = this.#lives.get(instance) ?? {};
    this.#lives.set(instance, { since: this.#now(), delayMs });
    clearTimeout(this.#lost.get(instance));
    return this.#lost.delete(instance);
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#lost.values()) clearTimeout(timer);
    this.#lost.clear();
  }

  #schedule(instance: Instance): void {
    if (this.#closed || instance.isClosed) {
      this.#lost.delete(instance);
      return;
    }
    const life = this.#lives.get(instance);
    const delayMs = Math.max(life?.delayMs ?? FIRST_DELAY_MS, instance.attempts.waitMs);
    if (life !== undefined) life.delayMs = Math.min(delayMs * 2, LAST_DELAY_MS);
    clearTimeout(this.#lost.get(instance));
    const timer = setTimeout(() => this.#attempt(instance), delayMs);
    if (typeof timer === 'object') timer.unref();
    this.#lost.set(instance, timer);
  }

  #attempt(instance: Instance): void {
    this.#lost.set(instance, undefined);
    if (instance.isClosed) this.#lost.delete(instance);
    // With no client to notify, or after too many failures, the next call is early enough.
    else if (!this.#isListenedTo(instance) || instance.attempts.isExhausted) return;
    else
      instance.open().catch(() => {
        // A failure has scheduled the next attempt already; a refusal, because another one failed, has not.
        if (this.#lost.has(instance) && this.#lost.get(instance) === undefined) this.#schedule(instance);
      });
  }
}
