/** Tasks of the server as the client sees them, whichever form of tasks the revision has. */

import { type ErrorObject, isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { TaskStatus } from '../../protocol/model/tasks.js';
import { invalidResult } from '../errors.js';

export interface TaskState {
  readonly id: string;
  readonly status: TaskStatus;
  /** What the server says about it, for people. */
  readonly message: string | undefined;
  /** ISO 8601. */
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  /** How long after its creation the server may forget it; null is never. */
  readonly ttlMs: number | null;
  /** How often the server wants to be asked. */
  readonly pollIntervalMs: number | undefined;
}

/** What the extension adds to that, by status. */
export interface DetailedTaskState extends TaskState {
  readonly inputRequests: JsonObject | undefined;
  readonly result: JsonObject | undefined;
  readonly error: ErrorObject | undefined;
}

const STATUSES: ReadonlySet<unknown> = new Set([
  'working',
  'input_required',
  'completed',
  'failed',
  'cancelled',
] satisfies TaskStatus[]);

export function isOver({ status }: Pick<TaskState, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** Reads a task of either form. */
export function readTask(method: string, value: unknown): DetailedTaskState {
  if (!isRecord(value)) throw invalidResult(method, 'it has no task');
  const { taskId, status } = value;
  if (typeof taskId !== 'string' || !isStatus(status))
    throw invalidResult(method, 'a task needs "taskId" and a known "status"');
  const ttl = value.ttlMs ?? value.ttl;
  const poll = value.pollIntervalMs ?? value.pollInterval;
  return {
    id: taskId,
    status,
    message: typeof value.statusMessage === 'string' ? value.statusMessage : undefined,
    createdAt: typeof value.createdAt === 'string' ? value.createdAt : undefined,
    updatedAt: typeof value.lastUpdatedAt === 'string' ? value.lastUpdatedAt : undefined,
    ttlMs: typeof ttl === 'number' ? ttl : null,
    pollIntervalMs: typeof poll === 'number' ? poll : undefined,
    inputRequests: isRecord(value.inputRequests) ? value.inputRequests : undefined,
    result: isRecord(value.result) ? value.result : undefined,
    error: isError(value.error) ? value.error : undefined,
  };
}

function isStatus(value: unknown): value is TaskStatus {
  return STATUSES.has(value);
}

function isError(value: unknown): value is ErrorObject {
  return isRecord(value) && typeof value.code === 'number' && typeof value.message === 'string';
}
