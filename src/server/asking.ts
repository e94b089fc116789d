/**
 * The questions of one call, made when it first asks, or when it comes back with answers. What they are made of is loaded
 * with the first question of a process; from then on everything here happens within the tick.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import { lazily } from '../protocol/lazily.js';
import type { AnswersOf, Ask } from './asks.js';
import type { InputState } from './input-state.js';
import type { AskingCall, Questions } from './questions.js';
import { type AskingHandler, RepeatWarning } from './repeat-warning.js';

type QuestionsModule = typeof import('./questions.js');

const loadQuestions = lazily(() => import('./questions.js'));

export class CallQuestions {
  readonly #call: AskingCall & AskingHandler;
  readonly #repeats = new RepeatWarning();
  #questions: Questions | undefined;
  #loading: Promise<QuestionsModule> | undefined;

  constructor(call: AskingCall & AskingHandler) {
    this.#call = call;
  }

  /** Resolves when what was asked so far has been put, where that takes a moment. */
  get putting(): Promise<void> | undefined {
    const put = (): void => {};
    return this.#loading?.then(put, put);
  }

  ask<Answer>(ask: Ask<Answer>, key: string | undefined): Promise<Answer> {
    this.#repeats.asking(this.#call);
    return this.#with((questions) => questions.ask(ask, key));
  }

  askAll<Asks extends Readonly<Record<string, Ask<unknown>>>>(asks: Asks): Promise<AnswersOf<Asks>> {
    this.#repeats.asking(this.#call);
    return this.#with((questions) => questions.askAll(asks));
  }

  once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    return this.#with((questions) => questions.once(key, fn));
  }

  /** A promise of the context that the handler awaits. */
  follow(promise: Promise<unknown>): void {
    this.#repeats.follow(promise);
  }

  restore(input: InputState, responses: JsonObject | undefined): Promise<void> {
    return this.#with(async (questions) => questions.restore(input, responses));
  }

  async suspended(): ReturnType<Questions['suspended']> {
    return this.#questions?.suspended();
  }

  get isWaiting(): boolean {
    return this.#questions?.isWaiting === true;
  }

  get waitedMs(): number {
    return this.#questions?.waitedMs ?? 0;
  }

  get isSuspended(): boolean {
    return this.#questions?.isSuspended === true;
  }

  #with<T>(work: (questions: Questions) => Promise<T>): Promise<T> {
    if (this.#questions !== undefined) return work(this.#questions);
    if (this.#loading === undefined) {
      const loaded = loadQuestions();
      if (!(loaded instanceof Promise)) return work(this.#begin(loaded));
      this.#loading = loaded;
      loaded.catch(() => {
        // What is asked later tries again.
        this.#loading = undefined;
      });
    }
    // In the order in which they were asked: the names of questions follow from it.
    return this.#loading.then((module) => work(this.#begin(module)));
  }

  #begin({ Questions }: QuestionsModule): Questions {
    this.#loading = undefined;
    this.#questions ??= new Questions(this.#call, this.#repeats);
    return this.#questions;
  }
}
