/** The task methods of 2025-11-25, where tasks are part of the protocol. */

import { coreTask, relatedTo } from '../../extensions/tasks/record.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { invalidParams, invalidRequest, receivedError } from '../../protocol/errors.js';
import type { CallContext } from '../context.js';
import { canListTasks, type TaskService } from './task-service.js';

const PAGE = 100;

export type CoreTaskMethod = 'tasks/get' | 'tasks/result' | 'tasks/list' | 'tasks/cancel';

export async function serveCoreTask(
  service: TaskService,
  method: CoreTaskMethod,
  params: JsonObject,
  ctx: CallContext,
): Promise<JsonObject> {
  switch (method) {
    case 'tasks/get':
      return coreTask(await service.own(params, ctx.peer));
    case 'tasks/result':
      return resultOfTask(service, params, ctx);
    case 'tasks/list':
      return listTasks(service, params, ctx);
    case 'tasks/cancel': {
      const cancelled = await service.cancel(params, ctx.peer);
      if (cancelled === false) throw invalidParams('The task has ended already, and cannot be cancelled');
      return coreTask(cancelled);
    }
  }
}

/** Exactly what the call itself would have been answered with, and which task it belongs to. */
async function resultOfTask(service: TaskService, params: JsonObject, ctx: CallContext): Promise<JsonObject> {
  const { id, result, error } = await service.ended(params, ctx);
  if (result !== undefined) return relatedTo(id, result);
  throw error === undefined ? invalidRequest('The task was cancelled') : receivedError(error);
}

async function listTasks(
  service: TaskService,
  { cursor }: JsonObject,
  { peer }: CallContext,
): Promise<JsonObject> {
  if (!canListTasks(peer))
    throw invalidRequest('Tasks can be listed by clients with an identity; ask for each by its id');
  const start = cursor === undefined ? 0 : Number(cursor);
  if (!Number.isSafeInteger(start) || start < 0) throw invalidParams('"cursor" is not one of ours');
  const records = await service.list(peer);
  const tasks = records.slice(start, start + PAGE).map(coreTask);
  const next = start + PAGE;
  return next < records.length ? { tasks, nextCursor: String(next) } : { tasks };
}
