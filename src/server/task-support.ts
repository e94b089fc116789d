/**
 * What a server with task tools has from the start: its declarations and routes, and the decision which calls may become
 * tasks. What runs tasks is loaded with the first of them.
 */

import type { Extension } from '../extensions/extension.js';
import { declaredSettings } from '../extensions/negotiation.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import { isRecord } from '../jsonrpc/message.js';
import { methodNotFound } from '../protocol/errors.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import type { Admission } from './admission.js';
import type { DetachedCall } from './background-call.js';
import type { Closing } from './closing.js';
import type { CallContext } from './context.js';
import type { Detacher } from './detached-calls.js';
import type { Dispatcher } from './dispatcher.js';
import type { ErrorHandler } from './error-report.js';
import type { ExtensionImplementation, ServedExtension } from './extensions.js';
import type { ChangeHub } from './hub.js';
import { type ServerTaskOptions, type TaskSettings, taskSettings } from './options.js';
import type { Peer } from './peer.js';
import type { Route } from './route.js';
import type { CoreTaskMethod } from './tasks/core-tasks.js';
import type { TaskResumption, TaskService } from './tasks/task-service.js';

type TasksShape = typeof tasksExtension extends Extension<infer Shape> ? Shape : never;

export interface TaskSupportHost {
  readonly dispatcher: Dispatcher;
  readonly hub: ChangeHub;
  readonly admission: Admission;
  readonly closing: Closing;
  readonly onError: ErrorHandler;
  /** How tasks of nodes that have died are gone on with, where that can be done. */
  readonly resumption?: TaskResumption;
  /** False while there are no tasks: their methods then do not exist. */
  enabled?(): boolean;
  /** Serves the extension, as `server.extension` does. */
  serve(
    extension: typeof tasksExtension,
    implementation: ExtensionImplementation<TasksShape>,
  ): ServedExtension<TasksShape>;
}

/** Declared to clients of the revision that has tasks of its own. */
const DECLARED: NonNullable<ServerCapabilities['tasks']> = {
  list: {},
  cancel: {},
  requests: { tools: { call: {} } },
};

const CORE_METHODS: readonly CoreTaskMethod[] = ['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'];

export class TaskSupport implements Detacher {
  readonly #host: TaskSupportHost;
  readonly #options: TaskSettings;
  readonly #served: ServedExtension<TasksShape>;
  #service: Promise<TaskService> | undefined;

  constructor(host: TaskSupportHost, options: ServerTaskOptions = {}) {
    this.#host = host;
    this.#options = taskSettings(options);
    for (const method of CORE_METHODS) host.dispatcher.route(method, this.#coreRoute(method));
    this.#served = host.serve(tasksExtension, this.#implementation());
    host.dispatcher.detachBy(this);
  }

  /** What is declared to this client of the handshake era. Only who can be told from others may list tasks. */
  capabilitiesFor(peer: Peer): NonNullable<ServerCapabilities['tasks']> {
    const isKnown = peer.principal !== undefined || (peer.account ?? peer.sessionId) === undefined;
    if (isKnown) return DECLARED;
    const { list: _, ...rest } = DECLARED;
    return rest;
  }

  /** Whether the client can have a task for this call: it asks for one, or declared that it knows tasks. */
  wants({ method, params, peer }: CallContext): boolean {
    if (method !== 'tools/call' || this.#host.enabled?.() === false) return false;
    if (peer.revision.tasks === 'core') return isRecord(params.task);
    if (peer.revision.tasks !== 'extension') return false;
    return declaredSettings(peer.capabilities, tasksExtension.id) !== undefined;
  }

  async detach(ctx: CallContext): Promise<DetachedCall> {
    return (await this.#running()).detach(ctx);
  }

  /** For a request of the extension. */
  #serving(method: string): Promise<TaskService> {
    if (this.#host.enabled?.() === false) throw methodNotFound(method);
    return this.#running();
  }

  #running(): Promise<TaskService> {
    this.#service ??= this.#start();
    return this.#service;
  }

  async #start(): Promise<TaskService> {
    const { createTaskService } = await import('./tasks/index.js');
    const { hub, admission, closing, onError, resumption } = this.#host;
    const changed = (id: string): void => this.#served.changed('taskIds', id);
    const service = createTaskService({ hub, admission, changed, onError, resumption }, this.#options);
    closing.onBegin(() => service.close());
    return service;
  }

  #coreRoute(method: CoreTaskMethod): Route {
    return {
      available: () => this.#host.enabled?.() !== false,
      handle: async (params, ctx) => {
        const { serveCoreTask } = await import('./tasks/index.js');
        return serveCoreTask(await this.#running(), method, params, ctx);
      },
    };
  }

  #implementation(): ExtensionImplementation<TasksShape> {
    return {
      methods: {
        'tasks/get': async (params, ctx) => {
          const { detailedTask } = await import('./tasks/index.js');
          return detailedTask(await (await this.#serving('tasks/get')).own(params, ctx.caller));
        },
        'tasks/update': async (params, ctx) => {
          await (await this.#serving('tasks/update')).update(params, ctx.caller);
          return {};
        },
        'tasks/cancel': async (params, ctx) => {
          await (await this.#serving('tasks/cancel')).cancel(params, ctx.caller);
          return {};
        },
      },
      listen: {
        taskIds: {
          honour: async (ids, ctx) => (await this.#running()).listenable(ids, ctx.caller),
          current: async (id) => (await this.#running()).notification(id),
        },
      },
    };
  }
}
