/** A task as it is written down, and as the two forms of tasks show it. */

import { type ErrorObject, isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { META_RELATED_TASK } from '../../protocol/model/meta.js';
import type { Task, TaskStatus } from '../../protocol/model/tasks.js';

export interface TaskInput {
  readonly method: string;
  readonly params: JsonObject;
}

export type TaskAnswer = { readonly result: JsonObject } | { readonly refusal: string };

export interface TaskRecord {
  readonly id: string;
  /** Who may see it, update it and cancel it. */
  readonly owner: string;
  /** The node that works on it. */
  readonly node: string;
  readonly status: TaskStatus;
  readonly statusMessage?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  /** Questions without an answer, by key. */
  readonly inputs?: { readonly [key: string]: TaskInput };
  /** Answers that its worker has not taken yet, by key. */
  readonly answers?: { readonly [key: string]: TaskAnswer };
  readonly result?: JsonObject;
  readonly error?: ErrorObject;
  /** What another node needs to go on with it when the one that works on it dies. */
  readonly resume?: JsonObject;
}

const FINAL: ReadonlySet<TaskStatus> = new Set(['completed', 'failed', 'cancelled']);

export function isFinal({ status }: Pick<TaskRecord, 'status'>): boolean {
  return FINAL.has(status);
}

export function expiryOf({ createdAt, ttlMs }: TaskRecord): number {
  return createdAt + ttlMs;
}

/** The task with these answers; keys that are not asked for are ignored. */
export function answered(
  record: TaskRecord,
  given: { readonly [key: string]: TaskAnswer },
): TaskRecord | undefined {
  const { inputs = {}, answers = {}, ...rest } = record;
  const taken = Object.entries(given).filter(([key]) => Object.hasOwn(inputs, key));
  if (taken.length === 0) return undefined;
  const keys = new Set(taken.map(([key]) => key));
  const open = Object.entries(inputs).filter(([key]) => !keys.has(key));
  return {
    ...rest,
    status: open.length === 0 ? 'working' : 'input_required',
    ...(open.length === 0 ? {} : { inputs: Object.fromEntries(open) }),
    answers: { ...answers, ...Object.fromEntries(taken) },
  };
}

/** The task after its client cancelled it. */
export function cancelled({ inputs: _, answers: __, ...rest }: TaskRecord): TaskRecord {
  return { ...rest, status: 'cancelled', statusMessage: 'Cancelled by the client' };
}

/** As the core protocol has it: a tool result that is an error is a failed task. */
export function coreTask(record: TaskRecord): Task {
  const failed = record.status === 'completed' && record.result?.isError === true;
  return {
    taskId: record.id,
    status: failed ? 'failed' : record.status,
    ...(record.statusMessage === undefined ? {} : { statusMessage: record.statusMessage }),
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.updatedAt).toISOString(),
    ttl: record.ttlMs,
    pollInterval: record.pollIntervalMs,
  };
}

/** As the extension has it, without what depends on the status. */
export function extensionTask(record: TaskRecord): JsonObject {
  return {
    taskId: record.id,
    status: record.status,
    ...(record.statusMessage === undefined ? {} : { statusMessage: record.statusMessage }),
    createdAt: new Date(record.createdAt).toISOString(),
    lastUpdatedAt: new Date(record.updatedAt).toISOString(),
    ttlMs: record.ttlMs,
    pollIntervalMs: record.pollIntervalMs,
  };
}

/** With all questions without an answer, the result, or the error. */
export function detailedTask(record: TaskRecord): JsonObject {
  const task = extensionTask(record);
  if (record.status === 'input_required') return { ...task, inputRequests: record.inputs ?? {} };
  if (record.status === 'completed') return { ...task, result: record.result ?? {} };
  if (record.status === 'failed') return { ...task, error: record.error };
  return task;
}

/** What another version or another program wrote into the store is not a task. */
export function parseRecord(text: string): TaskRecord | undefined {
  const value: unknown = JSON.parse(text);
  return isTaskRecord(value) ? value : undefined;
}

function isTaskRecord(value: unknown): value is TaskRecord {
  return (
    isRecord(value) &&
    typeof value.id === 'string' &&
    typeof value.owner === 'string' &&
    typeof value.node === 'string' &&
    typeof value.status === 'string' &&
    typeof value.createdAt === 'number' &&
    typeof value.ttlMs === 'number'
  );
}

/** A result without the task that it belongs to, which is not part of what the tool returned. */
export function withoutRelation(result: JsonObject): JsonObject {
  if (!isRecord(result._meta) || !(META_RELATED_TASK in result._meta)) return result;
  const { [META_RELATED_TASK]: _, ...meta } = result._meta;
  const { _meta: __, ...rest } = result;
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta };
}

/** The same message, with the task that it belongs to, as the core protocol has it. */
export function relatedTo(taskId: string, message: JsonObject): JsonObject {
  const meta = isRecord(message._meta) ? message._meta : {};
  return { ...message, _meta: { ...meta, [META_RELATED_TASK]: { taskId } } };
}
