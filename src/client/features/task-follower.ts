/**
 * Follows a task of the server to its end: asks for its status at the server's interval, answers its questions, and
 * returns what the call would have been answered with. Loaded with the first task.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { McpError, receivedError } from '../../protocol/errors.js';
import type { Core } from '../core.js';
import { CancelledError, invalidResult, messageOf } from '../errors.js';
import type { CallOptions } from '../options.js';
import { type DetailedTaskState, isOver, readTask, type TaskState } from './task-state.js';

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined;
  /** Hears of every change of the status or its message. */
  readonly onStatus?: ((task: TaskState) => unknown) | undefined;
  /** The call that the task belongs to, for the handlers of its questions. */
  readonly call?: { readonly method: string; readonly params: JsonObject } | undefined;
}

const DEFAULT_POLL_MS = 1_000;
/** A server that asks for less, or for much more, is asked at these. */
const SHORTEST_POLL_MS = 20;
const LONGEST_POLL_MS = 60_000;
/** A task is asked about until it ends, however often the connection is lost meanwhile. */
const PATIENT: CallOptions = { retry: true, whenNotReady: 'wait', timeout: 60_000 };

export class TaskFollower {
  readonly id: string;
  readonly #core: Core;
  readonly #options: FollowOptions;
  readonly #answered = new Set<string>();
  readonly #questions = new AbortController();
  #state: TaskState | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(core: Core, id: string, options: FollowOptions = {}) {
    this.#core = core;
    this.id = id;
    this.#options = options;
  }

  get state(): TaskState | undefined {
    return this.#state;
  }

  /** The result of the call. Rejects with the error that it failed with, or when the task was cancelled. */
  async result(): Promise<JsonObject> {
    const { signal } = this.#options;
    const abort = (): void => {
      this.#questions.abort();
      this.cancel().catch((error: unknown) => this.#note('could not be cancelled', error));
    };
    if (signal?.aborted === true) abort();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return this.#isCore ? await this.#followCore() : await this.#followExtension();
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

  /** Keeps what is known of the task, and reports what is new. */
  report(task: TaskState): void {
    const before = this.#state;
    const { inputRequests: _, result: __, error: ___, ...state } = { ...EMPTY, ...task };
    this.#state = state;
    const { onStatus } = this.#options;
    if (onStatus === undefined) return;
    if (before?.status === task.status && before.message === task.message) return;
    this.#core.guard('onStatus', () => onStatus(state));
  }

  get #isCore(): boolean {
    return this.#core.connection.era.session.revision.tasks === 'core';
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
    const result = this.#request('tasks/result', { taskId: this.id }, Number.POSITIVE_INFINITY).finally(
      () => {
        over = true;
      },
    );
    const watching = async (): Promise<never> => {
      for (;;) {
        this.#throwIfEnded();
        const task = await this.refresh();
        if (over || isOver(task)) return new Promise<never>(() => {});
        await this.#pause(task);
      }
    };
    const final = await Promise.race([result, watching()]).catch((error: unknown) => {
      this.#throwIfEnded();
      if (this.#state?.status === 'cancelled')
        throw new CancelledError('tools/call', 'the task was cancelled', true);
      throw error;
    });
    if (this.#options.onStatus !== undefined) await this.refresh().catch(() => undefined);
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
    const { revision } = this.#core.connection.era.session;
    const { signal } = this.#questions;
    const context = { signal, revision: revision.version, call: this.#options.call };
    let answer: JsonObject;
    try {
      answer = await this.#core.answer(revision, method, params, context);
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
    const { signal } = this.#options;
    if (this.#failure !== undefined) throw this.#failure.error;
    if (signal?.aborted === true) throw new CancelledError('tools/call', signal.reason, true);
  }

  #pause({ pollIntervalMs = DEFAULT_POLL_MS }: TaskState): Promise<void> {
    const { signal } = this.#options;
    const interval = Math.min(Math.max(pollIntervalMs, SHORTEST_POLL_MS), LONGEST_POLL_MS);
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, interval);
      signal?.addEventListener('abort', end, { once: true });
      if (signal?.aborted === true) end();
    });
  }

  #request(method: string, params: JsonObject, timeout = PATIENT.timeout): Promise<JsonObject> {
    const options = { ...PATIENT, timeout };
    return this.#core.request({ method, params, options, raw: true, read: (result) => result });
  }

  #note(what: string, cause: unknown): void {
    this.#core.fault({ kind: 'handler', message: `The task ${this.id} ${what}: ${messageOf(cause)}`, cause });
  }
}

const EMPTY = { inputRequests: undefined, result: undefined, error: undefined };

function outcomeOf({ status, result, error, message }: DetailedTaskState): JsonObject {
  if (status === 'completed') {
    if (result === undefined) throw invalidResult('tasks/get', 'a completed task needs "result"');
    return result;
  }
  if (status === 'cancelled')
    throw new CancelledError('tools/call', message ?? 'the task was cancelled', true);
  if (error === undefined) throw invalidResult('tasks/get', 'a failed task needs "error"');
  throw receivedError(error);
}
