/** A chain that a module exports, and the same module after it was written again. */

import { pathToFileURL } from 'node:url';
import type { Chain, Destination } from '../../chain/index.js';
import { followFile } from '../../chain/node-follow-file.js';
import type { Destinations } from '../../chain/targets.js';
import { UsageError } from '../failure/failure.js';
import type { Serving } from './serve-chain.js';

/** The default export, or the first variable that holds something to serve. */
export async function loadModule(path: string, version = ''): Promise<Serving> {
  // Another query makes it another module: Node keeps what it has once imported.
  const module: Readonly<Record<string, unknown>> = await import(`${pathToFileURL(path).href}${version}`);
  const found = [module.default, ...Object.values(module)].find(isServing);
  if (found !== undefined) return found;
  throw new UsageError(`${path} does not export a chain; write: export default createChain().to(...)`);
}

type PrepareServers = (servers: Destination | Destinations) => Destination | Destinations;

/** Before it serves: its servers are replaced by what `prepare` makes of them. */
export async function prepareModule(serving: Serving, prepare: PrepareServers): Promise<void> {
  if (isChain(serving)) await serving.replace(prepare(serving.parts.destinations));
}

/** Loads the changed module into the chain that is being served, without disconnecting clients. */
export function followModule(
  serving: Serving,
  path: string,
  onReload: (outcome: { readonly error?: unknown }) => void,
  prepare: PrepareServers = (servers) => servers,
): () => void {
  if (!isChain(serving)) return () => {};
  let version = 0;
  return followFile(path, async () => {
    try {
      version += 1;
      const made = await loadModule(path, `?reload=${version}`);
      if (!isChain(made)) throw new UsageError('it no longer exports a chain');
      await serving.replace(prepare(made.parts.destinations), made.parts.layers);
      onReload({});
    } catch (error) {
      // The chain goes on with what it has.
      onReload({ error });
    }
  });
}

function isServing(value: unknown): value is Serving {
  return has(value, ['http', 'stdio', 'close']);
}

/** By what it can do: the module may have a copy of this package of its own. */
function isChain(value: unknown): value is Pick<Chain, 'replace' | 'parts'> {
  return has(value, ['replace']) && typeof value === 'object' && value !== null && 'parts' in value;
}

function has(value: unknown, methods: readonly string[]): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return methods.every((name) => name in value && typeof Reflect.get(value, name) === 'function');
}
