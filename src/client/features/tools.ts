import type { JsonObject } from '../../jsonrpc/message.js';
import { HEADER_MISMATCH, ProtocolError } from '../../protocol/errors.js';
import type { CallToolResult, Tool } from '../../protocol/model/tools.js';
import type { Outgoing } from '../connection/exchange.js';
import type { Core } from '../core.js';
import type { CallOptions } from '../options.js';
import { PaginatedList } from './paginated.js';
import { type Page, readToolResult, TOOL_LIST } from './results.js';

const NO_OPTIONS: CallOptions = {};

/** The server's tools. Iterate over it for the tools themselves. */
export class Tools extends PaginatedList<Tool> {
  readonly #core: Core;

  constructor(core: Core) {
    super(core, 'tools', TOOL_LIST, (page) => learn(core, page));
    this.#core = core;
    core.repeatableTools.listedBy((options) => this.list(options));
  }

  /**
   * Calls a tool. A tool that fails resolves with `isError: true`; rejections are about the call itself.
   * Structured results are checked where the tool's output schema is known from a list.
   */
  call(name: string, args: object = {}, options: CallOptions = NO_OPTIONS): Promise<CallToolResult> {
    const core = this.#core;
    // Only a connection determines the form of a call.
    if (!core.isReady) {
      return core.ready('tools/call', options).then(() => this.call(name, args, options));
    }
    const call: Outgoing<CallToolResult> = {
      method: 'tools/call',
      params: { name, arguments: args },
      options,
      read: (result) => this.#read(name, result),
    };
    return core.mirrorsArguments ? this.#callMirrored(name, args, call) : core.call('tools', call);
  }

  async #callMirrored(name: string, args: object, call: Outgoing<CallToolResult>): Promise<CallToolResult> {
    const core = this.#core;
    const attempt = (): Promise<CallToolResult> =>
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
  return core.mirrorsArguments ? { ...page, items: core.argumentHeaders.learn(page.items) } : page;
}
