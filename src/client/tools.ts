import type { JsonObject } from '../jsonrpc/message.js';
import type { CallToolResult, Tool } from '../protocol/model/tools.js';
import type { Core } from './core.js';
import type { CallOptions } from './options.js';
import { PaginatedList } from './paginated.js';
import { readToolResult, TOOL_LIST } from './results.js';

const NO_OPTIONS: CallOptions = {};

/** The server's tools. Iterate over it for the tools themselves. */
export class Tools extends PaginatedList<Tool> {
  readonly #core: Core;

  constructor(core: Core) {
    super(core, 'tools', TOOL_LIST, (page) => core.schemas.learn(page.items));
    this.#core = core;
  }

  /**
   * Calls a tool. A tool that fails resolves with `isError: true`; rejections are about the call itself.
   * Structured results are checked where the tool's output schema is known from a list.
   */
  call(name: string, args: JsonObject = {}, options: CallOptions = NO_OPTIONS): Promise<CallToolResult> {
    return this.#core.call('tools', {
      method: 'tools/call',
      params: { name, arguments: args },
      options,
      read: (result) => this.#read(name, result),
    });
  }

  #read(name: string, result: JsonObject): CallToolResult | Promise<CallToolResult> {
    const core = this.#core;
    const read = readToolResult(result);
    const checks =
      core.settings.validateOutput && core.connection.era.session.revision.structuredContent !== 'none';
    return checks ? core.schemas.check(name, read) : read;
  }
}
