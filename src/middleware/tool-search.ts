/** Two tools instead of hundreds: one finds tools by words, the other calls what was found. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import { isForModels } from '../protocol/model/apps.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { canonicalName } from './canonical-name.js';
import type { Next } from './compose.js';
import type { Layer } from './layer.js';
import { argumentsOf } from './subject.js';
import { type Searchable, ToolIndex } from './tool-index.js';

export interface ToolSearchOptions {
  /** Lists of at most this many tools, without those for apps alone, stay as they are. Default: 20. */
  readonly above?: number | undefined;
  /** Tools in one answer. Default: 10. */
  readonly results?: number | undefined;
}

const OPTIONS: OptionNames<ToolSearchOptions> = { above: true, results: true };

const SEARCH = 'search_tools';
const CALL = 'call_tool';
const MAX_PAGES = 100;
/** Servers name their tools: what is remembered of them has an end. */
const MAX_REMEMBERED = 10_000;

const TOOLS: readonly JsonObject[] = [
  {
    name: SEARCH,
    description: 'Finds tools by what they do. Returns their names, descriptions and input schemas.',
    inputSchema: {
      type: 'object',
      properties: { query: { type: 'string', description: 'Words that describe what the tool should do' } },
      required: ['query'],
    },
    annotations: { readOnlyHint: true },
  },
  {
    name: CALL,
    description: `Calls a tool that ${SEARCH} has found.`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object' } },
      required: ['name'],
    },
  },
];

/**
 * Shows a tool that searches instead of a long list of tools, and lists what it found. Tools for apps alone stay in the
 * list, where hosts look for them, and are neither found nor called for the model.
 */
export function toolSearch(options: ToolSearchOptions = {}): Layer {
  assertOptionNames('toolSearch', options, OPTIONS);
  const { above = 20, results = 10 } = options;
  const forApps = new ToolsForApps();
  const listed = async (next: Next): Promise<JsonObject[]> => {
    const tools = await allTools(next);
    forApps.learn(tools);
    return tools;
  };
  return {
    // One function for both, so that its own search does not find what it puts in the place of the tools.
    request: async (call, next) => {
      if (call.method === 'tools/list') {
        const tools = await listed(next);
        if (tools.filter(isForModels).length <= above) return { tools };
        return { tools: [...TOOLS, ...tools.filter((tool) => !isForModels(tool))] };
      }
      if (call.method !== 'tools/call') return next();
      const args = argumentsOf(call);
      if (call.params.name === SEARCH) {
        const tools = (await listed(next)).filter(isForModels);
        return found(rank(tools, String(args.query), results));
      }
      if (call.params.name !== CALL) return next();
      if (typeof args.name !== 'string') throw invalidParams('"name" must be the name of a tool');
      if (!forApps.isLearned) await listed(next);
      // Hosts cannot see which tool the model means here, so they cannot refuse it themselves.
      if (forApps.has(args.name)) throw invalidParams(`The tool ${args.name} is for apps only`);
      // As if the client had called it: what is closed to the client stays closed.
      return next.request('tools/call', {
        ...call.params,
        name: args.name,
        arguments: isRecord(args.arguments) ? args.arguments : {},
      });
    },
  };
}

/** The names of the tools that no model may call, as they were listed last. */
class ToolsForApps {
  readonly #names = new Set<string>();
  #isLearned = false;

  /** Whether there was a list to learn from. */
  get isLearned(): boolean {
    return this.#isLearned;
  }

  /** Callers may see different tools: a name that is not in this list stays as it was in another. */
  learn(tools: readonly JsonObject[]): void {
    this.#isLearned = true;
    if (this.#names.size > MAX_REMEMBERED) this.#names.clear();
    for (const tool of tools) {
      const name = canonicalName(String(tool.name));
      if (isForModels(tool)) this.#names.delete(name);
      else this.#names.add(name);
    }
  }

  has(name: string): boolean {
    return this.#names.has(canonicalName(name));
  }
}

async function allTools(next: Next): Promise<JsonObject[]> {
  const tools: JsonObject[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await next.request('tools/list', cursor === undefined ? {} : { cursor });
    if (Array.isArray(result.tools)) tools.push(...result.tools.filter(isRecord));
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
  return tools;
}

/** Nothing for a query without words. */
function rank(tools: readonly JsonObject[], query: string, results: number): JsonObject[] {
  const ranked = new ToolIndex(tools, describe).find(query, results);
  return ranked.filter(({ score }) => score > 0).map(({ item }) => item);
}

function describe({ name, title, description, inputSchema }: JsonObject): Searchable {
  const properties = isRecord(inputSchema) ? inputSchema.properties : undefined;
  return {
    name: String(name),
    title: typeof title === 'string' ? title : undefined,
    description: typeof description === 'string' ? description : undefined,
    parameters: isRecord(properties) ? Object.keys(properties) : [],
  };
}

function found(tools: readonly JsonObject[]): JsonObject {
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const text = shown.length === 0 ? 'No tool matches; try other words' : JSON.stringify(shown);
  return { content: [{ type: 'text', text }] };
}
