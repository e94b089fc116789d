import { tasksExtension } from '../../extensions/tasks/definition.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { HEADER_MISMATCH, ProtocolError } from '../../protocol/errors.js';
import type { CallToolResult, Tool } from '../../protocol/model/tools.js';
import type { AnySchema, InferOutput } from '../../protocol/schema/infer.js';
import type { OutgoingCall } from '../connection/outgoing-call.js';
import type { Core } from '../core.js';
import type { CallOptions, FollowedCall } from '../options.js';
import { PaginatedList } from './paginated.js';
import { type Page, readToolResult, TOOL_LIST } from './results.js';
import type { TaskHandle } from './tasks.js';
import { toolValue } from './tool-value.js';

const NO_OPTIONS: CallOptions = {};

export interface CallToolOptions<Output extends AnySchema | undefined = AnySchema | undefined>
  extends CallOptions {
  /**
   * A schema of the value that is wanted. The call then resolves with that value, checked and typed, and rejects when
   * the tool fails.
   */
  readonly output?: Output | undefined;
}

/** Without a schema the call resolves with the result as it came. */
export type UntypedCallOptions = CallOptions & { readonly output?: undefined };

/** The server's tools. Iterate over it for the tools themselves. */
export class Tools extends PaginatedList<Tool> {
  readonly #core: Core;

  constructor(core: Core) {
    super(core, 'tools', TOOL_LIST, (page) => learn(core, page));
    this.#core = core;
    core.repeatableTools.listedBy((options) => this.list(options));
    core.settings.resultTypes.set('task', {
      methods: tasksExtension.resultTypes.task,
      follow: (result, call) => this.#follow(result, call),
    });
  }

  /**
   * Calls a tool. A tool that fails resolves with `isError: true`; rejections are about the call itself.
   * Structured results are checked where the tool's output schema is known from a list. A call that the server makes a
   * task of is followed to its end.
   */
  call(name: string, args?: object, options?: UntypedCallOptions): Promise<CallToolResult>;
  call<const Output extends AnySchema>(
    name: string,
    args: object,
    options: CallToolOptions<Output> & { readonly output: Output },
  ): Promise<InferOutput<Output>>;
  call(name: string, args: object = {}, options: CallToolOptions = NO_OPTIONS): Promise<unknown> {
    const { output } = options;
    if (output === undefined) return this.#call(name, args, options);
    const { output: _, ...callOptions } = options;
    return this.#call(name, args, callOptions).then((result) => toolValue(name, result, output));
  }

  #call(name: string, args: object, options: CallOptions): Promise<CallToolResult> {
    const core = this.#core;
    // Only a connection determines the form of a call.
    if (!core.isReady) {
      return core.ready('tools/call', options).then(() => this.#call(name, args, options));
    }
    const call: OutgoingCall<CallToolResult> = {
      method: 'tools/call',
      params: { name, arguments: args },
      options,
      read: (result) => this.#read(name, result),
    };
    if (core.takesTasks) return this.#callCore(name, args, call);
    return core.mirrorsArguments ? this.#mirrored(name, args, call) : core.call('tools', call);
  }

  /** Begins a call. Where the server makes a task of it, the handle has an id, and the call can be left and resumed. */
  async start(name: string, args: object = {}, options: CallOptions = NO_OPTIONS): Promise<TaskHandle> {
    const core = this.#core;
    if (!core.isReady) await core.ready('tools/call', options);
    const { startTask } = await import('./start-task.js');
    const read = (result: JsonObject): CallToolResult | Promise<CallToolResult> => this.#read(name, result);
    const support = core.takesTasks ? await this.taskSupport(name, options) : undefined;
    return startTask(core, { name, args, options, read, support }, (call) =>
      core.mirrorsArguments ? this.#mirrored(name, args, call) : core.call('tools', call),
    );
  }

  /** Where clients choose, tools are called as they always were, but for those that are tasks and nothing else. */
  async #callCore(name: string, args: object, call: OutgoingCall<CallToolResult>): Promise<CallToolResult> {
    // Servers refuse the others in many ways, also with a result, so it is better to know before.
    const support = await this.taskSupport(name, call.options);
    if (support !== 'required') return this.#core.call('tools', call);
    return (await this.start(name, args, call.options)).result();
  }

  /** What the tool says of tasks, in the revision in which clients choose them. */
  async taskSupport(
    name: string,
    { signal, timeout }: CallOptions = NO_OPTIONS,
  ): Promise<string | undefined> {
    const { taskTools } = this.#core;
    if (!taskTools.has(name)) {
      // A tool that is not listed may be there all the same, and a server that does not list may have it.
      await this.list({ signal, timeout }).catch((error: unknown) => {
        if (signal?.aborted === true) throw error;
      });
      if (!taskTools.has(name)) taskTools.set(name, 'unknown');
    }
    return taskTools.get(name);
  }

  async #follow(result: JsonObject, call: FollowedCall): Promise<JsonObject> {
    const { followCreated } = await import('./start-task.js');
    return followCreated(this.#core, result, call).result();
  }

  async #mirrored<T>(name: string, args: object, call: OutgoingCall<T>): Promise<T> {
    const core = this.#core;
    const attempt = (): Promise<T> =>
      core.call('tools', { ...call, headers: core.argumentHeaders.of(name, { ...args }) });
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ProtocolError) || error.rpcCode !== HEADER_MISMATCH) throw error;
      // The server wants other headers than we know of, and has done nothing yet: ask it which, and try once more.
      await this.list({ signal: call.options.signal, timeout: call.options.timeout, cache: 'reload' });
      return attempt();
    }
  }

  #read(name: string, result: JsonObject): CallToolResult | Promise<CallToolResult> {
    const core = this.#core;
    const read = readToolResult(result);
    const checks =
      core.settings.validateOutput && core.connection.era.session.revision.structuredContent !== 'none';
    return checks ? core.schemas.check(name, read) : read;
  }
}

function learn(core: Core, page: Page<Tool>): Page<Tool> {
  core.schemas.learn(page.items);
  core.repeatableTools.learn(page.items);
  if (core.takesTasks)
    for (const { name, execution } of page.items)
      core.taskTools.set(name, execution?.taskSupport ?? 'forbidden');
  return core.mirrorsArguments ? { ...page, items: core.argumentHeaders.learn(page.items) } : page;
}
