/** The few differences between a direct connection and one through a proxy, each with its reason. */

import type { Snapshot } from './snapshot.js';

/** What a client of 2026-07-28 sees, which removed the execution of tools. */
export function withoutExecution(seen: Snapshot): Snapshot {
  const tools = seen.tools?.tools.map(({ execution: _, ...tool }) => tool);
  return tools === undefined ? seen : { ...seen, tools: { ...seen.tools, tools } };
}

/** Some servers send the cache hints of 2026-07-28 to clients of every revision; a proxy between revisions removes them. */
export function withoutCacheHints(direct: Snapshot): Snapshot {
  return JSON.parse(JSON.stringify(direct), (_, value) => {
    if (typeof value !== 'object' || value === null || !('ttlMs' in value)) return value;
    const { ttlMs: _ttl, cacheScope: _scope, ...rest } = value;
    return rest;
  });
}
