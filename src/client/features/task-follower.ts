/**
 * Follows a task of the server to its end: asks for its status at the server's interval, answers its questions, and
 * returns what the call would have been answered with. Loaded with the first task.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError, receivedError } from '../../protocol/errors.js';
import { CancelledError, invalidResult, messageOf } from '../errors.js';
import { type DetailedTaskState, isOver, readTask, type TaskState } from './task-state.js';

/** What a follower needs of the connection to the server. */
export interface FollowerHost {
  readonly form: 'core' | 'extension';
  request(method: string, params: JsonObject, timeout: number, signal?: AbortSignal): Promise<JsonObject>;
  /** Answers a question of the task. */
  answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** Hears of every change of the status or its message. */
  changed(task: TaskState): void;
  /** Something went wrong that is no reason to stop. */
  failed(message: string, cause: unknown): void;
}

const DEFAULT_POLL_MS = 1_000;
/** A server that asks for less, or for much more, is asked at these. */
const SHORTEST_POLL_MS = 20;
const LONGEST_POLL_MS = 60_000;
const REQUEST_TIMEOUT_MS = 60_000;

export class TaskFollower {
  readonly id: string;
  readonly #host: FollowerHost;
  readonly #signal: AbortSignal | undefined;
  readonly #answered = new Set<string>();
  readonly #questions = new AbortController();
  readonly #left = new AbortController();
  #state: TaskState | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(host: FollowerHost, id: string, signal?: AbortSignal) {
    this.#host = host;
    this.id = id;
    this.#signal = signal;
  }

  get state(): TaskState | undefined {
    return this.#state;
  }

  /** The result of the call. Rejects with the error that it failed with, or when the task was cancelled. */
  async result(): Promise<JsonObject> {
    const signal = this.#signal;
    const abort = (): void => {
      this.#questions.abort();
      this.cancel().catch((error: unknown) => {
        this.#host.failed(`The task ${this.id} could not be cancelled: ${messageOf(error)}`, error);
      });
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return this.#host.form === 'core' ? await this.#followCore() : await this.#followExtension();
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#questions.abort();
    }
  }

  async refresh(): Promise<DetailedTaskState> {
    const result = await this.#request('tasks/get', { taskId: this.id });
    const task = readTask('tasks/get', result);
    this.report(task);
    return task;
  }

  async cancel(): Promise<void> {
    await this.#request('tasks/cancel', { taskId: this.id });
  }

  /** Follows it no further; the task goes on. */
  leave(): void {
    this.#failure ??= { error: taskLeft(this.id) };
    this.#questions.abort();
    this.#left.abort();
  }

  /** Keeps what is known of the task, and reports what is new. */
  report(task: TaskState): void {
    const before = this.#state;
    const { inputRequests: _, result: __, error: ___, ...state } = { ...EMPTY, ...task };
    this.#state = state;
    if (before?.status !== task.status || before.message !== task.message) this.#host.changed(state);
  }

  async #followExtension(): Promise<JsonObject> {
    for (;;) {
      this.#throwIfEnded();
      const task = await this.refresh();
      if (isOver(task)) return outcomeOf(task);
      if (task.status === 'input_required') this.#answer(task.inputRequests ?? {});
      await this.#pause(task);
    }
  }

  /** The result is waited for, because the server puts its questions while it is; the status is asked for beside it. */
  async #followCore(): Promise<JsonObject> {
    let over = false;
    const { signal: left } = this.#left;
    const result = this.#host
      .request('tasks/result', { taskId: this.id }, Number.POSITIVE_INFINITY, left)
      .finally(() => {
        over = true;
      });
    const watching = async (): Promise<never> => {
      for (;;) {
        this.#throwIfEnded();
        const task = await this.refresh();
        if (!isOver(task)) await this.#pause(task);
        if (over || isOver(task)) return new Promise<never>(() => {});
      }
    };
    const final = await Promise.race([result, watching()]).catch((error: unknown) => {
      this.#throwIfEnded();
      if (this.#state?.status === 'cancelled') throw taskCancelled(undefined);
      throw error;
    });
    // Known without asking once more, before the interval is over.
    if (this.#state !== undefined)
      this.report({ ...this.#state, status: final.isError === true ? 'failed' : 'completed' });
    return final;
  }

  /** Each question is answered once; polling goes on meanwhile. */
  #answer(requests: JsonObject): void {
    for (const [key, request] of Object.entries(requests)) {
      if (this.#answered.has(key)) continue;
      this.#answered.add(key);
      this.#put(key, request).catch((error: unknown) => {
        this.#failure = { error };
      });
    }
  }

  async #put(key: string, request: unknown): Promise<void> {
    if (!isRecord(request) || typeof request.method !== 'string')
      throw invalidResult('tasks/get', `inputRequests.${key} has no method`);
    const { method } = request;
    const params = isRecord(request.params) ? request.params : {};
    const { signal } = this.#questions;
    let answer: JsonObject;
    try {
      answer = await this.#host.answer(method, params, signal);
    } catch (cause) {
      if (signal.aborted) return;
      await this.cancel().catch(() => undefined);
      throw new McpError(
        'input_failed',
        `The task needs ${method}, which could not be answered: ${messageOf(cause)}; give connect() a handler that can`,
        { cause },
      );
    }
    if (!signal.aborted)
      await this.#request('tasks/update', { taskId: this.id, inputResponses: { [key]: answer } });
  }

  #throwIfEnded(): void {
    const signal = this.#signal;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (signal?.aborted === true) throw new CancelledError('tools/call', signal.reason, true);
  }

  #pause({ pollIntervalMs = DEFAULT_POLL_MS }: TaskState): Promise<void> {
    const signal = this.#signal;
    const left = this.#left.signal;
    const interval = Math.min(Math.max(pollIntervalMs, SHORTEST_POLL_MS), LONGEST_POLL_MS);
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        left.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, interval);
      signal?.addEventListener('abort', end, { once: true });
      left.addEventListener('abort', end, { once: true });
      if (signal?.aborted === true || left.aborted) end();
    });
  }

  #request(method: string, params: JsonObject, timeout = REQUEST_TIMEOUT_MS): Promise<JsonObject> {
    return this.#host.request(method, params, timeout);
  }
}

const EMPTY = { inputRequests: undefined, result: undefined, error: undefined };

function outcomeOf({ status, result, error, message }: DetailedTaskState): JsonObject {
  if (status === 'completed') {
    if (result === undefined) throw invalidResult('tasks/get', 'a completed task needs "result"');
    return result;
  }
  if (status === 'cancelled') throw taskCancelled(message);
  if (error === undefined) throw invalidResult('tasks/get', 'a failed task needs "error"');
  throw receivedError(error);
}

function taskLeft(id: string): McpError<'cancelled'> {
  return new McpError('cancelled', `The task ${id} is no longer followed; resume it for its result`);
}

function taskCancelled(message: string | undefined): McpError<'cancelled'> {
  const reason = message === undefined ? '' : ` (${message})`;
  return new McpError(
    'cancelled',
    `The task was cancelled${reason}; call the tool again if it is still wanted`,
  );
}
