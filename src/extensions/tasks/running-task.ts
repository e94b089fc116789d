/**
 * A task on the node that works on it: what its handler says and asks is written down, in that order, and what other
 * nodes wrote (answers, a cancellation) is passed to the handler.
 */

import type { ErrorObject, JsonObject } from '../../jsonrpc/message.js';
import { McpError } from '../../protocol/errors.js';
import { MAX_TIMER_MS } from '../../protocol/timer.js';
import type { Unsubscribe } from '../../store/store.js';
import { isFinal, type TaskAnswer, type TaskRecord } from './record.js';
import type { TaskChange, TaskStore } from './task-store.js';

export type TaskOutcome = { readonly result: JsonObject } | { readonly error: ErrorObject };

export interface TaskHost {
  /** The handler is to stop: its task was cancelled, or is over. */
  stop(reason: McpError<'cancelled'>): void;
  failed(error: unknown): void;
}

interface OpenQuestion {
  resolve(answer: JsonObject): void;
  reject(error: unknown): void;
}

/** How often a worker looks for what the bus may have lost. */
const LOOK_MS = 5_000;
/** How soon something is written again that could not be. */
const RETRY_MS = 1_000;

export class RunningTask {
  readonly id: string;
  readonly #store: TaskStore;
  readonly #host: TaskHost;
  readonly #keys: string;
  readonly #questions = new Map<string, OpenQuestion>();
  #asked = 0;
  #message: string | undefined;
  #tail: Promise<void> = Promise.resolve();
  #unwatch: Unsubscribe | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  /** `keys` begins the keys of its questions: those of an earlier worker must not be used again. */
  constructor(id: string, store: TaskStore, host: TaskHost, keys = 'input') {
    this.id = id;
    this.#store = store;
    this.#host = host;
    this.#keys = keys;
  }

  /** Listens to what happens to the task elsewhere. */
  async begin(ttlMs: number): Promise<void> {
    this.#unwatch = await this.#store.watch(this.id, () => this.#look());
    this.#timer = setInterval(() => this.#look(), LOOK_MS);
    const limit = Math.min(ttlMs, MAX_TIMER_MS);
    this.#expiry = setTimeout(() => this.#end('The task took longer than its time to live'), limit);
    for (const timer of [this.#timer, this.#expiry]) if (typeof timer === 'object') timer.unref();
  }

  /** What the task is doing, for the client to read. Of several in a row, the last one is written. */
  status(message: string): void {
    if (this.#over) return;
    const isWaiting = this.#message !== undefined;
    this.#message = message;
    if (isWaiting) return;
    this.#write(() => {
      const statusMessage = this.#message ?? message;
      this.#message = undefined;
      return (record) => ({ ...record, statusMessage });
    });
  }

  /** Another node may go on with it by this, when this one is gone. */
  resumable(resume: JsonObject): void {
    this.#write(() => (record) => ({ ...record, resume }), true);
  }

  /** Asks the client; resolves with its answer. */
  ask(method: string, params: JsonObject): Promise<JsonObject> {
    if (this.#over) return Promise.reject(new McpError('cancelled', 'The task is over'));
    this.#asked += 1;
    const key = `${this.#keys}-${this.#asked}`;
    return new Promise((resolve, reject) => {
      this.#questions.set(key, { resolve, reject });
      this.#write(
        () => (record) => ({
          ...record,
          status: 'input_required',
          inputs: { ...record.inputs, [key]: { method, params } },
        }),
        true,
      );
    });
  }

  /** The handler has ended. Resolves when that is written down. */
  settle(outcome: TaskOutcome, isPersistent = true): Promise<void> {
    this.#write(
      () =>
        ({ inputs: _, answers: __, ...record }) =>
          'result' in outcome
            ? { ...record, status: 'completed', result: outcome.result }
            : { ...record, status: 'failed', statusMessage: outcome.error.message, error: outcome.error },
      isPersistent,
    );
    return this.#tail.finally(() => this.#end(undefined));
  }

  /** The work ends here, whatever the handler does. */
  abandon(reason: string, error: ErrorObject): Promise<void> {
    const settled = this.settle({ error }, false);
    this.#stop(reason);
    return settled;
  }

  /**
   * One change after the other; each is made when its turn comes. Without its result or its question a task would wait
   * for ever, so these are written again until the store is back, for as long as the task lives.
   */
  #write(make: () => TaskChange, isPersistent = false): void {
    this.#tail = this.#tail.then(async () => {
      const change = make();
      while (!(await this.#tryWrite(change)) && isPersistent && !this.#over) await pause(RETRY_MS);
    });
  }

  async #tryWrite(change: TaskChange): Promise<boolean> {
    try {
      const record = await this.#store.change(this.id, change);
      if (record === undefined || isFinal(record)) this.#end(reasonOf(record));
      return true;
    } catch (error) {
      this.#host.failed(error);
      return false;
    }
  }

  #look(): void {
    if (this.#over) return;
    this.#tail = this.#tail.then(async () => {
      if (this.#over) return;
      try {
        const record = await this.#store.read(this.id);
        if (record === undefined || isFinal(record)) this.#end(reasonOf(record));
        else if (record.answers !== undefined) await this.#takeAnswers();
      } catch (error) {
        this.#host.failed(error);
      }
    });
  }

  async #takeAnswers(): Promise<void> {
    let taken: { readonly [key: string]: TaskAnswer } = {};
    await this.#store.change(this.id, ({ answers = {}, ...record }) => {
      taken = answers;
      return record;
    });
    for (const [key, answer] of Object.entries(taken)) {
      const question = this.#questions.get(key);
      this.#questions.delete(key);
      if ('result' in answer) question?.resolve(answer.result);
      else
        question?.reject(new McpError('ask_refused', `The client refused the question: ${answer.refusal}`));
    }
  }

  #end(reason: string | undefined): void {
    if (this.#over) return;
    this.#over = true;
    clearInterval(this.#timer);
    clearTimeout(this.#expiry);
    Promise.resolve(this.#unwatch?.()).catch((error: unknown) => this.#host.failed(error));
    if (reason !== undefined) this.#stop(reason);
  }

  #stop(reason: string): void {
    const error = new McpError('cancelled', reason);
    for (const question of this.#questions.values()) question.reject(error);
    this.#questions.clear();
    this.#host.stop(error);
  }
}

function reasonOf(record: TaskRecord | undefined): string | undefined {
  if (record === undefined) return 'The task is gone';
  return record.status === 'cancelled' ? 'The task was cancelled' : undefined;
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    if (typeof timer === 'object') timer.unref();
  });
}
