/** The tools of a client or a pool under names and schemas that a provider accepts, and the way back to the server. */

import type { CallOptions, Client, Pool } from '../client/index.js';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { fitSchema, fittedName, type Restore } from '../middleware/fit/fit-schema.js';
import { PROVIDER_RULES, type Provider } from '../middleware/fit/provider-rules.js';
import { isForModels } from '../protocol/model/apps.js';
import type { CallToolResult, Tool } from '../protocol/model/tools.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';

/** Where tools come from. */
export type ToolSource = Client | Pool;

/** Which tools a model gets, and how they are called. */
export interface AdapterOptions {
  /** Which tools the model gets, of those that are not for apps alone. Default: all of them. */
  readonly include?: ((tool: Tool) => boolean) | undefined;
  /** For every call: time limits, a signal, `onProgress`. */
  readonly call?: CallOptions | undefined;
  /** Hears of calls that failed on their way. The model gets their message too, so that it can go on. */
  readonly onError?: ((error: unknown, tool: string) => void) | undefined;
}

const ADAPTER_OPTIONS: OptionNames<AdapterOptions> = { include: true, call: true, onError: true };

export interface AdaptedTool {
  /** The name that the model uses. */
  readonly name: string;
  readonly description: string | undefined;
  readonly title: string | undefined;
  readonly schema: JsonObject;
}

interface Known extends AdaptedTool {
  readonly originalName: string;
  readonly restore: Restore | undefined;
}

export class Toolset {
  readonly #source: ToolSource;
  readonly #options: AdapterOptions;
  readonly #known: ReadonlyMap<string, Known>;

  private constructor(source: ToolSource, options: AdapterOptions, tools: readonly Known[]) {
    this.#source = source;
    this.#options = options;
    this.#known = new Map(tools.map((tool) => [tool.name, tool]));
  }

  /** `adapter`: its name, for messages. */
  static async of(
    adapter: string,
    source: ToolSource,
    provider: Provider | undefined,
    options: AdapterOptions,
  ): Promise<Toolset> {
    assertOptionNames(adapter, options, ADAPTER_OPTIONS);
    const { include = () => true } = options;
    const listed: readonly Tool[] =
      'servers' in source ? (await source.tools.list()).toArray() : await source.tools.list();
    const tools = listed
      .filter((tool) => isForModels(tool) && include(tool))
      .map((tool) => adapted(provider, tool));
    return new Toolset(source, options, tools);
  }

  get tools(): AdaptedTool[] {
    return [...this.#known.values()];
  }

  /**
   * Calls a tool by the name that the model used. What goes wrong becomes a failed result, because the model can do
   * something about it; only a call that was aborted rejects.
   */
  async call(name: string, args: unknown, options: CallOptions = {}): Promise<CallToolResult> {
    const tool = this.#known.get(name);
    if (tool === undefined)
      return failed(`There is no tool "${name}". There are: ${[...this.#known.keys()].join(', ') || 'none'}`);
    if (!isRecord(args)) return failed(`The arguments of "${name}" must be a JSON object`);
    const restored = tool.restore === undefined ? args : tool.restore(args);
    const callOptions = { ...this.#options.call, ...options };
    try {
      return await this.#call(tool.originalName, isRecord(restored) ? restored : args, callOptions);
    } catch (error) {
      if (callOptions.signal?.aborted === true) throw error;
      this.#options.onError?.(error, tool.originalName);
      return failed(error instanceof Error ? error.message : String(error));
    }
  }

  #call(name: string, args: JsonObject, options: CallOptions): Promise<CallToolResult> {
    const source = this.#source;
    return 'servers' in source ? source.call(name, args, options) : source.tools.call(name, args, options);
  }
}

/** A provider that is not known gets the strictest names, and schemas as they are. */
function adapted(provider: Provider | undefined, tool: Tool): Known {
  const { pattern, max } = PROVIDER_RULES[provider ?? 'openai'].name;
  const name = pattern.test(tool.name) && tool.name.length <= max ? tool.name : fittedName(tool.name, max);
  const { schema, restore } =
    provider === undefined
      ? { schema: tool.inputSchema, restore: undefined }
      : fitSchema(provider, tool.inputSchema);
  const { title, description } = tool;
  return { name, originalName: tool.name, description: description ?? title, title, schema, restore };
}

function failed(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
