/**
 * Calls of tools between clients and servers with either form of tasks, or none. A task of a server is followed to its
 * end here; where the client can have a task, the chain makes one of its own around that.
 */

import { TaskFollower } from '../client/features/task-follower.js';
import { readTask } from '../client/features/task-state.js';
import type { Relay } from '../client/relay.js';
import { declaredSettings } from '../extensions/negotiation.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import { withoutRelation } from '../extensions/tasks/record.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { neverAborted } from '../protocol/cancellation.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { ProgressParams } from '../protocol/model/notifications.js';
import type { Revision } from '../protocol/revisions/index.js';
import { type Answer, resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from '../server/context.js';
import type { Asker } from './asker.js';
import { type BridgeHost, bridgeCall } from './bridge.js';
import { ContextAsker, relayed } from './forward.js';
import type { Instance, OwnedRequest } from './instance.js';
import { resumeOf } from './task-resumption.js';

const METHOD = 'tools/call';

/** Whether a server declares tasks, in the form that its revision has. */
export function declaresTasks(capabilities: ServerCapabilities, form: Revision['tasks']): boolean {
  if (form === 'core') return capabilities.tasks?.requests?.tools?.call !== undefined;
  return form === 'extension' && declaredSettings(capabilities, tasksExtension.id) !== undefined;
}

/** The form of tasks that the server behind a connection has, if any. */
function formOf({ revision, client }: Relay): 'core' | 'extension' | undefined {
  const { tasks } = revision;
  return tasks !== 'none' && declaresTasks(client.capabilities, tasks) ? tasks : undefined;
}

/** Calls a tool, as a task where the server makes it one. */
export function callTool(
  host: BridgeHost,
  instance: Instance,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const { relay } = instance;
  if (relay === undefined) return instance.open().then(() => callTool(host, instance, params, ctx));
  const form = formOf(relay);
  if (form === undefined) return bridgeCall(host, instance, METHOD, params, ctx);
  return form === 'core'
    ? callCore(host, instance, relay, params, ctx)
    : callExtension(host, instance, relay, params, ctx);
}

/** The server decides, and its answer says so. */
async function callExtension(
  host: BridgeHost,
  instance: Instance,
  relay: Relay,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const result = resultOf(await bridgeCall(host, instance, METHOD, params, ctx));
  if (result.resultType !== 'task') return result;
  const asker = new ContextAsker(ctx);
  try {
    await ctx.detach();
  } catch (error) {
    // Nobody would ask for what it comes to.
    const { taskId } = result;
    const cancel = { method: 'tasks/cancel', params: { taskId }, owner: asker, until: neverAborted() };
    await instance.request(relayed(ctx, cancel, relay)).catch(() => undefined);
    throw error;
  }
  return follow(instance, relay, result, ctx, asker, ctx.signal);
}

/** The caller decides, within what the tool allows. */
async function callCore(
  host: BridgeHost,
  instance: Instance,
  relay: Relay,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const support = await relay.client.tools.taskSupport(String(params.name));
  const isWanted = ctx.background !== undefined || ctx.detaching !== undefined;
  if (support !== 'required' && !(support === 'optional' && isWanted))
    return bridgeCall(host, instance, METHOD, params, ctx);
  await ctx.detach();
  const run = async (asker: Asker, signal: AbortSignal): Promise<JsonObject> => {
    const { inputResponses: _, requestState: __, ...original } = params;
    const request = { method: METHOD, params: { ...original, task: {} }, owner: asker, until: signal };
    const { outgoing, end } = withLastingProgress(relayed(ctx, request, relay), relay);
    try {
      const created = await instance.request(outgoing);
      return isRecord(created.task)
        ? await follow(instance, relay, created.task, ctx, asker, signal)
        : created;
    } finally {
      end();
    }
  };
  return ctx.askBy === 'input_required' ? host.parked.run(ctx, run) : run(new ContextAsker(ctx), ctx.signal);
}

/** The token of a task is used until it ends, and the request that it was sent with is answered long before. */
function withLastingProgress(
  request: OwnedRequest,
  { client }: Relay,
): { readonly outgoing: OwnedRequest; end(): void } {
  const { onProgress, ...options } = request.options;
  if (onProgress === undefined) return { outgoing: request, end: () => undefined };
  const progressToken = crypto.randomUUID();
  const end = client.on('notification', ({ method, params }) => {
    if (method === 'notifications/progress' && isProgress(params) && params.progressToken === progressToken)
      onProgress(params);
  });
  return { outgoing: { ...request, options: { ...options, meta: { ...options.meta, progressToken } } }, end };
}

function isProgress(params: JsonObject): params is ProgressParams {
  return typeof params.progress === 'number';
}

async function follow(
  instance: Instance,
  relay: Relay,
  created: JsonObject,
  ctx: CallContext,
  asker: Asker,
  signal: AbortSignal,
): Promise<JsonObject> {
  const task = readTask(METHOD, created);
  const request = (method: string, params: JsonObject, timeout: number): Promise<JsonObject> => {
    // What is said when the client has cancelled must not end with that.
    const until = method === 'tasks/cancel' ? neverAborted() : signal;
    const outgoing = relayed(ctx, { method, params, owner: asker, until }, relay);
    return instance.request({ ...outgoing, options: { ...outgoing.options, timeout } });
  };
  const follower = new TaskFollower(
    {
      form: relay.revision.tasks === 'core' ? 'core' : 'extension',
      request,
      answer: (method, params, asking) => asker.ask(method, params, asking),
      changed: ({ message }) => {
        if (message !== undefined && ctx.background !== undefined) ctx.status(message);
      },
      // The client has its answer, or has gone.
      failed: () => undefined,
    },
    task.id,
    signal,
  );
  follower.report(task);
  const resume = resumeOf(instance, relay, task, ctx);
  if (resume !== undefined) ctx.background?.resumable(resume);
  instance.taskAskers.set(task.id, asker);
  try {
    return withoutRelation(await follower.result());
  } finally {
    instance.taskAskers.delete(task.id);
  }
}
