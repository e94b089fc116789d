/** Saved calls as a file that `plumb test` runs. Values that may be secret are left out. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { SavedCall } from './api.js';
import type { InspectedServer } from './servers/server.js';
import { addressOf } from './servers/target.js';

export function testFile(
  name: string,
  calls: readonly SavedCall[],
  servers: readonly InspectedServer[],
): string {
  const used = new Set(calls.map(({ server }) => server));
  const known = servers.filter((server) => used.has(server.name));
  const content = {
    name,
    servers: Object.fromEntries(known.map((server) => [server.name, reachOf(server)])),
    tools: calls.flatMap((call) =>
      call.target.kind === 'tool'
        ? [{ tool: call.target.name, ...common(call), args: call.target.arguments }]
        : [],
    ),
    resources: calls.flatMap((call) =>
      call.target.kind === 'resource' ? [{ uri: call.target.uri, ...common(call) }] : [],
    ),
    prompts: calls.flatMap((call) =>
      call.target.kind === 'prompt'
        ? [{ prompt: call.target.name, ...common(call), args: call.target.arguments }]
        : [],
    ),
    requests: calls.flatMap((call) =>
      call.target.kind === 'raw'
        ? [{ ...common(call), method: call.target.method, params: call.target.params }]
        : [],
    ),
  };
  const filled = Object.entries(content).filter(([, value]) => !Array.isArray(value) || value.length > 0);
  return `${JSON.stringify(Object.fromEntries(filled), null, 2)}\n`;
}

function common({ name, server }: SavedCall): { readonly name: string; readonly server: string } {
  return { name, server };
}

function reachOf({ target }: InspectedServer): JsonObject {
  const address = addressOf(target);
  if (address.kind === 'url') return { url: address.url };
  const { command, args, cwd } = address;
  return { command, args: [...args], ...(cwd === undefined ? {} : { cwd }) };
}
