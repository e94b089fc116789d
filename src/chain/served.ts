/**
 * Capabilities that a chain can keep its word for. Tasks are not among them: their requests go to the server that made
 * the task, and the chain does not know which one that was. So neither side hears of them from the other.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type {
  ClientCapabilities,
  NamedSettings,
  ServerCapabilities,
} from '../protocol/model/capabilities.js';

const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';

/** What clients hear of a server's capabilities. */
export function servedCapabilities(declared: ServerCapabilities): ServerCapabilities {
  const { tools, prompts, resources, completions, logging, experimental, extensions } = declared;
  const served: { [Key in keyof ServerCapabilities]: ServerCapabilities[Key] | undefined } = {
    tools,
    prompts,
    resources,
    completions,
    logging,
    experimental,
    extensions: withoutTasks(extensions),
  };
  return Object.fromEntries(Object.entries(served).filter(([, value]) => value !== undefined));
}

/** What servers hear of a client's capabilities; the same object where nothing is left out. */
export function passedCapabilities(declared: ClientCapabilities): ClientCapabilities {
  if (declared.tasks === undefined && declared.extensions?.[TASKS_EXTENSION] === undefined) return declared;
  const { tasks: _, extensions, ...rest } = declared;
  const passed = withoutTasks(extensions);
  return passed === undefined ? rest : { ...rest, extensions: passed };
}

/** A server that does not offer tasks ignores that one is wanted (Tasks, capability negotiation). */
export function withoutTask(params: JsonObject): JsonObject {
  if (params.task === undefined) return params;
  const { task: _, ...rest } = params;
  return rest;
}

function withoutTasks(extensions: NamedSettings | undefined): NamedSettings | undefined {
  if (extensions?.[TASKS_EXTENSION] === undefined) return extensions;
  const { [TASKS_EXTENSION]: _, ...rest } = extensions;
  return Object.keys(rest).length === 0 ? undefined : rest;
}
