/** Long work of the server: `client.tools.start` begins it, and this finds it again. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { CallToolResult } from '../../protocol/model/tools.js';
import type { Core } from '../core.js';
import { notSupported } from '../errors.js';
import type { CallOptions } from '../options.js';
import { readToolResult } from './results.js';
import type { TaskFollower } from './task-follower.js';
import { readTask, type TaskState } from './task-state.js';

/** A call that is under way. */
export interface TaskHandle<Result = CallToolResult> {
  /** To be kept for `client.tasks.resume`; undefined where the server answered at once, without a task. */
  readonly id: string | undefined;
  /** As it was last heard of. */
  readonly state: TaskState | undefined;
  /** Asks the server for the status now. */
  refresh(): Promise<TaskState | undefined>;
  /** The result of the call, when it is there. */
  result(): Promise<Result>;
  /** Asks the server to stop. */
  cancel(): Promise<void>;
  /** Follows it no further: `result()` rejects, and the task goes on for whoever resumes it. */
  leave(): void;
}

export interface ResumeOptions {
  /** Ends the wait. */
  readonly signal?: AbortSignal | undefined;
  /** Hears of every change of the status or its message. */
  readonly onStatus?: ((task: TaskState) => unknown) | undefined;
}

/** The follower of a task, and how its result is read. */
export class FollowedTask implements TaskHandle {
  readonly #follower: TaskFollower;
  readonly #read: (result: JsonObject) => CallToolResult | Promise<CallToolResult>;
  #result: Promise<CallToolResult> | undefined;

  constructor(
    follower: TaskFollower,
    read: (result: JsonObject) => CallToolResult | Promise<CallToolResult>,
  ) {
    this.#follower = follower;
    this.#read = read;
  }

  get id(): string {
    return this.#follower.id;
  }

  get state(): TaskState | undefined {
    return this.#follower.state;
  }

  async refresh(): Promise<TaskState | undefined> {
    await this.#follower.refresh();
    return this.state;
  }

  result(): Promise<CallToolResult> {
    this.#result ??= this.#follower.result().then((result) => this.#read(result));
    return this.#result;
  }

  cancel(): Promise<void> {
    return this.#follower.cancel();
  }

  leave(): void {
    this.#follower.leave();
  }
}

/** A call that was answered without a task. */
export class FinishedCall implements TaskHandle {
  readonly id: undefined = undefined;
  readonly state: undefined = undefined;
  readonly #result: CallToolResult;

  constructor(result: CallToolResult) {
    this.#result = result;
  }

  async refresh(): Promise<undefined> {
    return undefined;
  }

  async result(): Promise<CallToolResult> {
    return this.#result;
  }

  async cancel(): Promise<void> {}

  leave(): void {}
}

export class Tasks {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  /** Goes on with a task that was begun before, perhaps by another process. */
  async resume(id: string, options: ResumeOptions = {}): Promise<TaskHandle> {
    const { createFollower } = await import('./client-follower.js');
    await this.#ready('tasks/get', {});
    const call = { method: 'tasks/get', params: { taskId: id } };
    const follower = createFollower(this.#core, id, { ...options, call });
    await follower.refresh();
    return new FollowedTask(follower, readToolResult);
  }

  async get(id: string, options: CallOptions = {}): Promise<TaskState> {
    const {
      inputRequests: _,
      result: __,
      error: ___,
      ...state
    } = readTask('tasks/get', await this.#request('tasks/get', { taskId: id }, options));
    return state;
  }

  async cancel(id: string, options: CallOptions = {}): Promise<void> {
    await this.#request('tasks/cancel', { taskId: id }, options);
  }

  /** All tasks of this client. Only 2025-11-25 has such a list, and only servers that declare it. */
  async list(options: CallOptions = {}): Promise<TaskState[]> {
    await this.#ready('tasks/list', options);
    const { revision, capabilities } = this.#core.connection.era.session;
    if (revision.tasks !== 'core' || capabilities?.tasks?.list === undefined)
      throw notSupported('The server has no list of tasks', 'keep the ids of tasks, and get each by its id');
    const tasks: TaskState[] = [];
    let cursor: unknown;
    for (let page = 0; page < this.#core.settings.maxPages; page += 1) {
      const result = await this.#request('tasks/list', cursor === undefined ? {} : { cursor }, options);
      const listed: readonly unknown[] = Array.isArray(result.tasks) ? result.tasks : [];
      for (const task of listed) {
        if (!isRecord(task)) continue;
        const { inputRequests: _, result: __, error: ___, ...state } = readTask('tasks/list', task);
        tasks.push(state);
      }
      cursor = result.nextCursor;
      if (typeof cursor !== 'string') break;
    }
    return tasks;
  }

  async #request(method: string, params: JsonObject, options: CallOptions): Promise<JsonObject> {
    await this.#ready(method, options);
    return this.#core.request({ method, params, options, raw: true, read: (result) => result });
  }

  async #ready(method: string, options: CallOptions): Promise<void> {
    if (!this.#core.isReady) await this.#core.ready(method, options);
    const { revision } = this.#core.connection.era.session;
    if (revision.tasks === 'none')
      throw notSupported(
        `The protocol revision ${revision.version} has no tasks`,
        'wait for the result of the call instead',
      );
  }
}
