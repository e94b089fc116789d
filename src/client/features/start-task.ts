/** Begins calls as tasks, in the form that the revision has. Loaded with the first of them. */

import { withoutRelation } from '../../extensions/tasks/record.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { ProgressParams } from '../../protocol/model/notifications.js';
import type { CallToolResult } from '../../protocol/model/tools.js';
import type { OutgoingCall } from '../connection/outgoing-call.js';
import type { Core } from '../core.js';
import type { CallOptions, FollowedCall } from '../options.js';
import { createFollower } from './client-follower.js';
import type { TaskFollower } from './task-follower.js';
import { readTask } from './task-state.js';
import { FinishedCall, FollowedTask, type TaskHandle } from './tasks.js';

export interface TaskCall {
  readonly name: string;
  readonly args: object;
  readonly options: CallOptions;
  readonly read: (result: JsonObject) => CallToolResult | Promise<CallToolResult>;
  /** What the tool says of tasks, where clients choose. */
  readonly support: string | undefined;
}

/** The follower of a task from the result that created it. */
export function followCreated(core: Core, result: JsonObject, call: FollowedCall): TaskFollower {
  const { method, params, options } = call;
  const { signal, onStatus } = options;
  const task = readTask(method, isRecord(result.task) ? result.task : result);
  const follower = createFollower(core, task.id, { signal, onStatus, call: { method, params } });
  follower.report(task);
  return follower;
}

export async function startTask(
  core: Core,
  { name, args, options, read, support }: TaskCall,
  send: (call: OutgoingCall<JsonObject>) => Promise<JsonObject>,
): Promise<TaskHandle> {
  const method = 'tools/call';
  const params: JsonObject = { name, arguments: args };
  const asTask = support === 'required' || support === 'optional';
  const call = { method, params: asTask ? { ...params, task: {} } : params, raw: true, read: asItIs };
  const { progress, sent } = asTask ? watchProgress(core, options) : { progress: undefined, sent: options };
  let result: JsonObject;
  try {
    result = await send({ ...call, options: sent });
  } catch (error) {
    progress?.();
    throw error;
  }
  const isTask = asTask ? isRecord(result.task) : result.resultType === 'task';
  if (!isTask) {
    progress?.();
    return new FinishedCall(await read(result));
  }
  const follower = followCreated(core, result, { method, params, options });
  return new FollowedTask(follower, (final) => {
    progress?.();
    return read(withoutRelation(final));
  });
}

function asItIs(result: JsonObject): JsonObject {
  return result;
}

/** The token of the call goes on to be used after it was answered, so a call's own ear is not enough. */
function watchProgress(
  core: Core,
  options: CallOptions,
): { readonly progress?: () => void; readonly sent: CallOptions } {
  const { onProgress, ...rest } = options;
  if (onProgress === undefined) return { sent: options };
  const progressToken = crypto.randomUUID();
  const progress = core.on('notification', ({ method, params }) => {
    if (method !== 'notifications/progress' || !isProgress(params)) return;
    if (params.progressToken === progressToken) core.guard('onProgress', () => onProgress(params));
  });
  return { progress, sent: { ...rest, meta: { ...options.meta, progressToken } } };
}

function isProgress(params: JsonObject): params is ProgressParams {
  return typeof params.progress === 'number';
}
