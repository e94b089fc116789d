/** Tasks of a chain: offered to clients where a server behind has tasks, and kept where those of servers are. */

import { tasksExtension } from '../extensions/tasks/definition.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { CallContext } from '../server/context.js';
import type { ServerCore } from '../server/core.js';
import { type HonouredFilter, ServerExtensions } from '../server/extensions.js';
import type { ServerTaskOptions } from '../server/options.js';
import type { Route } from '../server/route.js';
import type { Session } from '../server/session.js';
import { TaskSupport, type TaskSupportHost } from '../server/task-support.js';
import type { TaskResumption } from '../server/tasks/task-service.js';

export class ChainTasks {
  readonly #extensions: ServerExtensions;
  readonly #support: TaskSupport;

  /** `enabled`: whether some server behind has tasks at this moment. */
  constructor(
    core: ServerCore,
    enabled: () => boolean,
    resumption: TaskResumption,
    options?: ServerTaskOptions,
  ) {
    const { dispatcher, hub, admission, closing, onError } = core;
    this.#extensions = new ServerExtensions({ dispatcher, hub, declared: () => undefined });
    const serve: TaskSupportHost['serve'] = (extension, implementation) =>
      this.#extensions.add(extension, implementation);
    const host = { dispatcher, hub, admission, closing, onError, enabled, serve, resumption };
    this.#support = new TaskSupport(host, options);
  }

  honoured(requested: JsonObject, ctx: CallContext): Promise<readonly HonouredFilter[]> | undefined {
    return requested.taskIds === undefined ? undefined : this.#extensions.honoured(requested, ctx);
  }

  /** What a client of the handshake era hears: tasks of its own form. */
  capabilitiesFor(session: Session, capabilities: ServerCapabilities): ServerCapabilities {
    if (capabilities.tasks === undefined) return capabilities;
    const { extensions, ...rest } = capabilities;
    const { [tasksExtension.id]: _, ...others } = extensions ?? {};
    return {
      ...rest,
      ...(Object.keys(others).length === 0 ? {} : { extensions: others }),
      tasks: this.#support.capabilitiesFor(session),
    };
  }
}

/** What is declared of tasks, in both forms; each revision reads its own. */
export function withTasks(capabilities: ServerCapabilities): ServerCapabilities {
  return {
    ...capabilities,
    tasks: { cancel: {}, requests: { tools: { call: {} } } },
    extensions: { ...capabilities.extensions, [tasksExtension.id]: {} },
  };
}

/** Where clients choose, a call that is to be a task becomes one before anything else happens to it. */
export function detachedFirst(routes: Readonly<Record<string, Route>>): Readonly<Record<string, Route>> {
  const { 'tools/call': route } = routes;
  if (route === undefined) return routes;
  const handle: Route['handle'] = (params, ctx) =>
    ctx.detaching !== undefined && ctx.peer.revision.tasks === 'core'
      ? ctx.detach().then(() => route.handle(params, ctx))
      : route.handle(params, ctx);
  return { ...routes, 'tools/call': { ...route, handle } };
}
