/** The few differences between a direct connection and one through a proxy, each with its reason. */

import type { RealServer } from './servers.js';
import type { Snapshot } from './snapshot.js';

/** What a client of the handshake sees through a proxy, told from what it sees directly. */
export function throughProxy(direct: Snapshot, { speaksFirstRevision }: RealServer): Snapshot {
  const seen = withoutCacheHints(direct);
  // Before 2025-03-26 completion was not declared, so a server with prompts or resources may have it.
  const capabilities = speaksFirstRevision ? { ...seen.capabilities, completions: {} } : seen.capabilities;
  return { ...seen, capabilities };
}

/** The same for a client of 2026-07-28, which removed the execution of tools. */
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
