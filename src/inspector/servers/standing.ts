/** How a connection stands, and how it came to that. */

import type { Failure, ServerState, ServerView, StateStep } from '../api.js';
import { failureOf } from '../failure.js';

const MAX_HISTORY = 50;

export interface Entered {
  readonly error?: unknown;
  readonly retries?: number;
  readonly delayMs?: number | undefined;
}

export class Standing {
  #state: ServerState = 'idle';
  #retries = 0;
  #nextAttemptAt: number | undefined;
  #failure: Failure | undefined;
  #history: readonly StateStep[] = [];

  get state(): ServerState {
    return this.#state;
  }

  enter(state: ServerState, { error, retries = 0, delayMs }: Entered = {}): void {
    this.#state = state;
    this.#retries = retries;
    this.#nextAttemptAt = delayMs === undefined ? undefined : Date.now() + delayMs;
    const failure = error === undefined ? undefined : failureOf(error);
    if (failure !== undefined) this.#failure = failure;
    if (this.#history.at(-1)?.state === state && failure === undefined) return;
    const step = { at: Date.now(), state, retries, ...(failure === undefined ? {} : { failure }) };
    this.#history = [...this.#history, step].slice(-MAX_HISTORY);
  }

  /** A failure stays until the connection works, or is begun anew. */
  forgive(): void {
    this.#failure = undefined;
  }

  view(): Pick<ServerView, 'state' | 'retries' | 'nextAttemptAt' | 'failure' | 'history'> {
    return {
      state: this.#state,
      retries: this.#retries,
      ...(this.#nextAttemptAt === undefined ? {} : { nextAttemptAt: this.#nextAttemptAt }),
      ...(this.#failure === undefined ? {} : { failure: this.#failure }),
      history: this.#history,
    };
  }
}
