/** All that a client can find out about a server without changing anything. */

import type { OfficialClient } from './official-clients.js';
import type { ToolCall } from './servers.js';

export interface Snapshot {
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly server: object | undefined;
  readonly instructions: string | undefined;
  readonly tools: { readonly tools: { name: string; execution?: unknown }[] } | undefined;
  readonly resources: object | undefined;
  readonly templates: object | undefined;
  readonly prompts: object | undefined;
  readonly reads: readonly object[];
  readonly prompted: readonly object[];
  readonly called: object;
  readonly missing: object;
}

/** Reads are for comparison; some servers have hundreds of resources. */
const MOST_READS = 3;

export async function snapshot(client: OfficialClient, harmless: ToolCall): Promise<Snapshot> {
  // Over HTTP without principals tasks are not listed, and 2026-07-28 has another form of them.
  const { tasks: _, ...capabilities } = asRecord(client.capabilities);
  const has = (name: string): boolean => name in capabilities;
  const resources = has('resources') ? await client.listResources() : undefined;
  const prompts = has('prompts') ? await client.listPrompts() : undefined;
  return {
    capabilities,
    server: client.server,
    instructions: client.instructions,
    tools: has('tools') ? await client.listTools() : undefined,
    resources,
    templates: has('resources') ? await outcome(client.listResourceTemplates()) : undefined,
    prompts,
    reads: await each(resources?.resources.slice(0, MOST_READS), ({ uri }) => client.readResource(uri)),
    prompted: await each(prompts?.prompts, ({ name }) => client.getPrompt(name)),
    called: await outcome(client.callTool(harmless)),
    missing: await outcome(client.callTool({ name: 'no such tool', arguments: {} })),
  };
}

async function each<Item>(
  items: readonly Item[] | undefined,
  work: (item: Item) => Promise<object>,
): Promise<object[]> {
  const results: object[] = [];
  for (const item of items ?? []) results.push(await outcome(work(item)));
  return results;
}

/** A result, or what is to be seen of an error; points in time are masked. */
export async function outcome(result: Promise<object>): Promise<object> {
  try {
    const text = JSON.stringify(await result);
    return JSON.parse(text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '(time)'));
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return { message: error.message, ...('code' in error ? { code: error.code } : {}) };
  }
}

function asRecord(value: object | undefined): Record<string, unknown> {
  return { ...value };
}
