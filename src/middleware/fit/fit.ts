/** Tools as a model provider accepts them, and their calls as the server wants them. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Next } from '../compose.js';
import type { Layer } from '../layer.js';
import { argumentsOf } from '../subject.js';
import { fitSchema, fittedName, type Restore } from './fit-schema.js';
import { PROVIDER_RULES, PROVIDERS, type Provider } from './provider-rules.js';

interface Fitted {
  readonly name: string;
  readonly restore: Restore | undefined;
}

const MAX_TOOLS = 10_000;
const MAX_PAGES = 100;

/** Rewrites names and input schemas to what the provider accepts; calls get their own names and arguments back. */
export function fit(provider: Provider): Layer {
  if (!PROVIDERS.includes(provider))
    throw new TypeError(`"${provider}" is no provider; choose one of: ${PROVIDERS.join(', ')}`);
  /** By the name that clients see; undefined inside for tools that are shown as they are. */
  const tools = new Map<string, Fitted | undefined>();
  const show = (tool: unknown): unknown => {
    if (!isRecord(tool)) return tool;
    const { shown, fitted } = fitTool(provider, tool);
    if (tools.size >= MAX_TOOLS) tools.clear();
    tools.set(String(shown.name), fitted);
    return shown;
  };
  return {
    request: async (call, next) => {
      if (call.method === 'tools/list') {
        const result = await next();
        return Array.isArray(result.tools) ? { ...result, tools: result.tools.map(show) } : result;
      }
      if (call.method !== 'tools/call' || typeof call.params.name !== 'string') return next();
      const { name } = call.params;
      // A client may have the list from another time.
      if (!tools.has(name)) await learn(next, show);
      const fitted = tools.get(name);
      if (fitted === undefined) return next();
      const args = argumentsOf(call);
      const restored = fitted.restore === undefined ? args : fitted.restore(args);
      return next({ ...call, params: { ...call.params, name: fitted.name, arguments: restored } });
    },
  };
}

function fitTool(provider: Provider, tool: JsonObject): { shown: JsonObject; fitted: Fitted | undefined } {
  const { pattern, max } = PROVIDER_RULES[provider].name;
  const name = String(tool.name);
  const shownName = pattern.test(name) && name.length <= max ? name : fittedName(name, max);
  const { schema, restore } = fitSchema(provider, isRecord(tool.inputSchema) ? tool.inputSchema : {});
  return {
    shown: { ...tool, name: shownName, inputSchema: schema },
    fitted: shownName === name && restore === undefined ? undefined : { name, restore },
  };
}

async function learn(next: Next, show: (tool: unknown) => unknown): Promise<void> {
  let cursor: unknown;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const result = await next.request('tools/list', cursor === undefined ? {} : { cursor });
    if (Array.isArray(result.tools)) result.tools.forEach(show);
    cursor = result.nextCursor;
    if (cursor === undefined) break;
  }
}
