/**
 * Tasks of a server: calls that go on after they were answered. They belong to their principal, are bounded in number
 * and in bytes, expire, and are kept in the store that the nodes share, or in memory.
 */

import {
  answered,
  cancelled,
  coreTask,
  detailedTask,
  expiryOf,
  extensionTask,
  isFinal,
  relatedTo,
  type TaskRecord,
} from '../../extensions/tasks/record.js';
import { RunningTask, type TaskOutcome } from '../../extensions/tasks/running-task.js';
import { type TaskShelf, TaskStore } from '../../extensions/tasks/task-store.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { invalidParams, ProtocolError } from '../../protocol/errors.js';
import { RepeatedWork } from '../../protocol/repeated-work.js';
import { MAX_TIMER_MS } from '../../protocol/timer.js';
import { type Charge, weigh } from '../../store/budget.js';
import { createMemoryStore } from '../../store/memory.js';
import type { Store } from '../../store/store.js';
import type { Admission } from '../admission.js';
import type { DetachedCall } from '../background-call.js';
import type { CallContext } from '../context.js';
import type { ExtensionNotification } from '../extensions.js';
import type { ChangeHub } from '../hub.js';
import type { TaskSettings } from '../options.js';
import type { Peer } from '../peer.js';
import { BackgroundTask } from './background-task.js';

export interface TaskServiceHost {
  readonly hub: ChangeHub;
  readonly admission: Admission;
  /** Tells the streams that listen to this task. */
  changed(id: string): void;
  onError(error: unknown, method: string): void;
  readonly resumption?: TaskResumption | undefined;
}

/** What a task that another node began does here. */
export interface ResumedCall {
  readonly signal: AbortSignal;
  status(message: string): void;
  ask(method: string, params: JsonObject): Promise<JsonObject>;
}

/** Goes on with tasks of nodes that have died, by what was kept for that. */
export interface TaskResumption {
  accepts(resume: JsonObject): boolean;
  run(resume: JsonObject, call: ResumedCall): Promise<TaskOutcome>;
  /** Ends the work behind a task that was cancelled here, which its own node may not live to do. */
  cancel(resume: JsonObject): Promise<void>;
}

/** Who asks, as far as tasks are concerned. */
export type TaskOwner = Pick<Peer, 'principal'>;

/** What a task takes besides its params and its result. */
const TASK_BYTES = 2048;
/** How often a task that another node works on is looked at for streams and for `tasks/result`. */
const LOOK_MS = 1_000;
const NOT_RESUMED = 'The node that ran the task stopped, and the next one has no room for it; start it again';
const STOPPED = 'The server was stopped before the task had ended; start it again';

export function createTaskService(host: TaskServiceHost, options: TaskSettings): TaskService {
  return new TaskService(host, options);
}

export class TaskService {
  readonly #host: TaskServiceHost;
  readonly #options: TaskSettings;
  readonly #running = new Map<string, { readonly task: RunningTask; readonly background?: BackgroundTask }>();
  /** What is kept is charged to its client until it expires. */
  readonly #charges = new Map<string, Charge>();
  /** Tasks of other nodes that streams of this node listen to. */
  readonly #listened = new Set<string>();
  readonly #looks: RepeatedWork = new RepeatedWork(
    () => void this.#look().catch((error: unknown) => this.#host.onError(error, 'tasks')),
    LOOK_MS,
  );
  #memory: Store | undefined;
  #store: { readonly of: Store; readonly tasks: TaskStore } | undefined;

  constructor(host: TaskServiceHost, options: TaskSettings) {
    this.#host = host;
    this.#options = options;
  }

  /** Makes a task of a call. The task is there for every node before the call is answered with it. */
  async detach(ctx: CallContext): Promise<DetachedCall> {
    const { peer, params } = ctx;
    const { max, maxPerPeer, now, pollInterval } = this.#options;
    if (this.#running.size >= max) throw busy('The server works on as many tasks as it can');
    const bytes = TASK_BYTES + weigh(params);
    const charge = this.#host.admission.state.charge(peer.account, bytes);
    if (charge === undefined) throw busy('The server has no room for another task');
    const tasks = this.#tasks();
    const createdAt = now();
    const record: TaskRecord = {
      id: crypto.randomUUID(),
      owner: ownerOf(peer),
      node: tasks.node,
      status: 'working',
      createdAt,
      updatedAt: createdAt,
      ttlMs: this.#ttl(params),
      pollIntervalMs: pollInterval,
    };
    if (!(await tasks.create(record, shelfOf(peer), maxPerPeer))) {
      charge.release();
      throw busy('You have as many tasks as you may have; wait for some to end, or cancel them');
    }
    this.#keep(record, charge);
    const task = new RunningTask(record.id, tasks, {
      stop: (reason) => ctx.stop(reason),
      failed: (error) => this.#host.onError(error, ctx.method),
    });
    const background = new BackgroundTask(task, ctx, this.#host.hub, {
      settled: () => this.#running.delete(record.id),
      fits: (result) => charge.resize(bytes + weigh(result)),
    });
    this.#running.set(record.id, { task, background });
    await task.begin(record.ttlMs);
    const isCore = peer.revision.tasks === 'core';
    const created = isCore ? { task: coreTask(record) } : { resultType: 'task', ...extensionTask(record) };
    return { created, background };
  }

  /** The task, if it is one of this client. */
  async own(params: JsonObject, who: TaskOwner): Promise<TaskRecord> {
    const { taskId } = params;
    if (typeof taskId !== 'string') throw invalidParams('"taskId" must be a string');
    const record = await this.#tasks().read(taskId);
    // The same answer for the tasks of others: their existence is not the caller's business.
    if (record === undefined || record.owner !== ownerOf(who)) throw unknownTask();
    return record;
  }

  async list(peer: Peer): Promise<TaskRecord[]> {
    return this.#tasks().list(shelfOf(peer));
  }

  /** False when it has ended already. */
  async cancel(params: JsonObject, who: TaskOwner): Promise<TaskRecord | false> {
    const { id, ...before } = await this.own(params, who);
    if (isFinal(before)) return false;
    const after = await this.#tasks().change(id, cancelled);
    if (after === undefined) throw unknownTask();
    if (after.status !== 'cancelled') return false;
    const { resumption, onError } = this.#host;
    if (after.resume !== undefined && resumption !== undefined && !this.#running.has(id))
      resumption.cancel(after.resume).catch((error: unknown) => onError(error, 'tasks/cancel'));
    return after;
  }

  /** Takes answers to the questions of a task. */
  async update(params: JsonObject, who: TaskOwner): Promise<void> {
    const { id } = await this.own(params, who);
    const { inputResponses } = params;
    if (!isRecord(inputResponses)) throw invalidParams('"inputResponses" must be an object');
    const given = Object.entries(inputResponses).map(([key, result]): [string, { result: JsonObject }] => {
      if (!isRecord(result)) throw invalidParams(`inputResponses.${key} must be an object`);
      return [key, { result }];
    });
    await this.#tasks().change(id, (record) => answered(record, Object.fromEntries(given)));
  }

  /**
   * Waits for the end of a task. Its questions are put to the client on the stream of this call, where the revision asks
   * by requests.
   */
  async ended(params: JsonObject, ctx: CallContext): Promise<TaskRecord> {
    const { id } = await this.own(params, ctx.peer);
    const asked = new Set<string>();
    let wake = (): void => undefined;
    const unwatch = await this.#tasks().watch(id, () => wake());
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        const record = await this.own({ taskId: id }, ctx.peer);
        if (isFinal(record)) return record;
        ctx.throwIfCancelled();
        for (const key of Object.keys(record.inputs ?? {})) {
          if (asked.has(key)) continue;
          asked.add(key);
          this.#ask(record, key, ctx).catch((error: unknown) => this.#host.onError(error, ctx.method));
        }
        await untilWoken(woken, ctx.signal);
      }
    } finally {
      await unwatch();
    }
  }

  /** Those of the ids that are tasks of this client. */
  async listenable(ids: readonly string[], who: TaskOwner): Promise<readonly string[]> {
    const records = await Promise.all(ids.map((id) => this.#tasks().read(id)));
    const owner = ownerOf(who);
    const own = records.filter((record) => record !== undefined).filter((record) => record.owner === owner);
    for (const record of own) if (!isFinal(record) && !this.#running.has(record.id)) this.#listen(record.id);
    return own.map(({ id }) => id);
  }

  async notification(id: string): Promise<ExtensionNotification | undefined> {
    const record = await this.#tasks().read(id);
    return record && { method: 'notifications/tasks', params: detailedTask(record) };
  }

  close(): void {
    this.#looks.stop();
    const error = { code: INTERNAL_ERROR, message: STOPPED };
    for (const { task } of this.#running.values())
      task.abandon(STOPPED, error).catch((failure: unknown) => this.#host.onError(failure, 'tasks'));
    this.#running.clear();
    for (const charge of this.#charges.values()) charge.release();
    this.#charges.clear();
  }

  async #ask({ id, inputs }: TaskRecord, key: string, ctx: CallContext): Promise<void> {
    const input = inputs?.[key];
    if (input === undefined) return;
    const related = relatedTo(id, input.params);
    try {
      const result = await ctx.request(input.method, related);
      await this.#tasks().change(id, (record) => answered(record, { [key]: { result } }));
    } catch (error) {
      // The client is gone: it may be asked again when it comes back.
      if (ctx.signal.aborted) return;
      const refusal = error instanceof Error ? error.message : String(error);
      await this.#tasks().change(id, (record) => answered(record, { [key]: { refusal } }));
    }
  }

  /** With the store that nodes share from the moment that there is one. */
  #tasks(): TaskStore {
    const shared = this.#host.hub.relayStore;
    if (shared === undefined) this.#memory ??= createMemoryStore();
    const store = shared ?? this.#memory;
    if (store !== undefined && this.#store?.of !== store) {
      const { now } = this.#options;
      const adoption = {
        accepts: (record: TaskRecord) => this.#accepts(record),
        begin: (record: TaskRecord) => this.#resume(record),
      };
      const tasks = new TaskStore({ store, now, changed: (record) => this.#changed(record), adoption });
      this.#store = { of: store, tasks };
    }
    if (this.#store === undefined) throw new Error('There is no store for tasks');
    return this.#store.tasks;
  }

  #accepts({ resume }: TaskRecord): boolean {
    const { resumption } = this.#host;
    if (resume === undefined || resumption === undefined) return false;
    return this.#running.size < this.#options.max && resumption.accepts(resume);
  }

  /** Goes on with a task of a node that has died. */
  #resume(record: TaskRecord): void {
    const { resumption, admission } = this.#host;
    const { id, resume = {} } = record;
    const controller = new AbortController();
    const keys = `input-${crypto.randomUUID().slice(0, 8)}`;
    const failed = (error: unknown): void => this.#host.onError(error, 'tasks');
    const stop = (reason: unknown): void => controller.abort(reason);
    const task = new RunningTask(id, this.#tasks(), { stop, failed }, keys);
    this.#running.set(id, { task });
    const work = async (): Promise<TaskOutcome> => {
      const charge = admission.state.charge(undefined, TASK_BYTES);
      if (charge === undefined || resumption === undefined)
        return { error: { code: INTERNAL_ERROR, message: NOT_RESUMED } };
      this.#keep(record, charge);
      await task.begin(Math.max(1, expiryOf(record) - this.#options.now()));
      const outcome = await resumption.run(resume, {
        signal: controller.signal,
        status: (message) => task.status(message),
        ask: (method, params) => task.ask(method, params),
      });
      const fits = 'error' in outcome || charge.resize(TASK_BYTES + weigh(outcome.result));
      return fits ? outcome : { error: { code: INTERNAL_ERROR, message: NOT_RESUMED } };
    };
    work()
      .then((outcome) => task.settle(outcome))
      .catch(failed)
      .finally(() => this.#running.delete(id));
  }

  #changed(record: TaskRecord): void {
    this.#running.get(record.id)?.background?.changed(record);
    this.#host.changed(record.id);
  }

  #ttl({ task }: JsonObject): number {
    const { ttl, maxTtl } = this.#options;
    const wanted = isRecord(task) && typeof task.ttl === 'number' && task.ttl > 0 ? task.ttl : ttl;
    return Math.min(Math.ceil(wanted), maxTtl);
  }

  #keep({ id, ttlMs }: TaskRecord, charge: Charge): void {
    this.#charges.set(id, charge);
    const timer = setTimeout(
      () => {
        this.#charges.delete(id);
        charge.release();
      },
      Math.min(ttlMs, MAX_TIMER_MS),
    );
    if (typeof timer === 'object') timer.unref();
  }

  /** A worker that dies says nothing: the tasks of other nodes are looked at as long as streams listen to them. */
  #listen(id: string): void {
    this.#listened.add(id);
    this.#looks.start();
  }

  async #look(): Promise<void> {
    for (const id of this.#listened) {
      const record = await this.#tasks().read(id);
      if (record === undefined || isFinal(record)) this.#listened.delete(id);
    }
    if (this.#listened.size === 0) this.#looks.stop();
  }
}

/** Whose tasks a client may see: those of its principal; without one, those of clients without one, by their ids. */
function ownerOf({ principal }: TaskOwner): string {
  return principal === undefined ? 'anyone' : `principal ${principal}`;
}

/** Whether the tasks of this client can be told from those of others, so that it may list them. */
export function canListTasks({ principal, account, sessionId }: Peer): boolean {
  return principal !== undefined || (account ?? sessionId) === undefined;
}

function shelfOf(peer: Peer): TaskShelf {
  return { owner: ownerOf(peer), account: peer.account };
}

function busy(reason: string): ProtocolError {
  return new ProtocolError('internal_error', `${reason}; try again later`);
}

function unknownTask(): ProtocolError {
  return invalidParams('There is no such task, or it has expired');
}

function untilWoken(woken: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, LOOK_MS);
    signal.addEventListener('abort', end, { once: true });
    woken.then(end, end);
  });
}
