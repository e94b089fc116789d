/**
 * Questions of the server that it wants answered as tasks (2025-11-25): the question is accepted at once, and the server
 * asks for the answer when it likes. Loaded with the first of them.
 */

import { relatedTo } from '../../extensions/tasks/record.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import {
  invalidParams,
  invalidRequest,
  McpError,
  methodNotFound,
  ProtocolError,
} from '../../protocol/errors.js';
import type { Task, TaskStatus } from '../../protocol/model/tasks.js';
import { MAX_TIMER_MS } from '../../protocol/timer.js';

const DEFAULT_TTL_MS = 60 * 60 * 1000;
const MAX_TTL_MS = 24 * 60 * 60 * 1000;
const POLL_MS = 1_000;

interface ReceivedTask {
  readonly id: string;
  readonly createdAt: string;
  readonly ttl: number;
  readonly answer: Promise<JsonObject>;
  readonly controller: AbortController;
  readonly expiry: ReturnType<typeof setTimeout>;
  status: TaskStatus;
  message?: string;
  updatedAt: string;
}

export class ReceivedTasks {
  readonly #max: number;
  readonly #tasks = new Map<string, ReceivedTask>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Begins to answer, and returns what the question itself is answered with. */
  create(options: JsonObject, answer: (signal: AbortSignal) => Promise<JsonObject>): JsonObject {
    if (this.#tasks.size >= this.#max)
      throw new ProtocolError(
        'internal_error',
        'The client has as many tasks as it can have; try again later',
      );
    const controller = new AbortController();
    const now = new Date().toISOString();
    const wanted = typeof options.ttl === 'number' && options.ttl > 0 ? options.ttl : DEFAULT_TTL_MS;
    const ttl = Math.min(wanted, MAX_TTL_MS, MAX_TIMER_MS);
    const id = crypto.randomUUID();
    const task: ReceivedTask = {
      id,
      createdAt: now,
      updatedAt: now,
      ttl,
      status: 'working',
      controller,
      answer: answer(controller.signal),
      expiry: setTimeout(() => this.#forget(id), ttl),
    };
    if (typeof task.expiry === 'object') task.expiry.unref();
    this.#tasks.set(id, task);
    task.answer.then(
      () => end(task, 'completed'),
      (error: unknown) => end(task, 'failed', reasonOf(error)),
    );
    return { task: shown(task) };
  }

  /** Serves a request of the server about its tasks. */
  async handle(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (method === 'tasks/list') return { tasks: [...this.#tasks.values()].map(shown) };
    const task = this.#tasks.get(String(params.taskId));
    if (task === undefined) throw invalidParams('There is no such task, or it has expired');
    switch (method) {
      case 'tasks/get':
        return shown(task);
      case 'tasks/result': {
        if (task.status === 'cancelled') throw invalidRequest('The task was cancelled');
        return relatedTo(task.id, await untilAborted(task.answer, [signal, task.controller.signal]));
      }
      case 'tasks/cancel':
        if (task.status !== 'working')
          throw invalidParams('The task has ended already, and cannot be cancelled');
        end(task, 'cancelled');
        task.controller.abort(new McpError('cancelled', 'The server cancelled the task'));
        return shown(task);
      default:
        throw methodNotFound(method);
    }
  }

  /** The connection is gone, and with it the server that could ask. */
  close(): void {
    for (const id of this.#tasks.keys()) this.#forget(id);
  }

  #forget(id: string): void {
    const task = this.#tasks.get(id);
    this.#tasks.delete(id);
    clearTimeout(task?.expiry);
    task?.controller.abort(new McpError('cancelled', 'The task has expired'));
  }
}

function end(task: ReceivedTask, status: TaskStatus, message?: string): void {
  if (task.status !== 'working') return;
  task.status = status;
  if (message !== undefined) task.message = message;
  task.updatedAt = new Date().toISOString();
}

/** What the server may know of a failure of ours; the rest is for our own user. */
function reasonOf(error: unknown): string {
  return error instanceof McpError ? error.message : 'The client could not answer';
}

function shown({ id, status, message, createdAt, updatedAt, ttl }: ReceivedTask): Task {
  const times = { createdAt, lastUpdatedAt: updatedAt, ttl, pollInterval: POLL_MS };
  return { taskId: id, status, ...(message === undefined ? {} : { statusMessage: message }), ...times };
}

function untilAborted<T>(promise: Promise<T>, signals: readonly AbortSignal[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (event: Event): void => {
      const { target } = event;
      reject(target instanceof AbortSignal ? target.reason : new Error('Aborted'));
    };
    for (const signal of signals) signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => {
      for (const signal of signals) signal.removeEventListener('abort', abort);
    });
  });
}
