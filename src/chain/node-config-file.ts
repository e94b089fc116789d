/** A chain from a configuration file, and its changes while it runs. */

import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Middleware } from '../middleware/compose.js';
import type { Layer } from '../middleware/layer.js';
import { Chain } from './chain.js';
import { type ChainConfig, ConfigError, parseConfig } from './config.js';
import { createLayer } from './configured-layers.js';
import { filesIn } from './node-files.js';
import { followFile } from './node-follow-file.js';
import { readLock } from './node-lock-file.js';
import type { ChainOptions } from './options.js';
import type { Destination, Destinations } from './targets.js';

/** Completes the servers of a file with what does not stand in it, such as credentials. */
export type Prepare = (servers: Destinations) => Destinations;

const AS_THEY_ARE: Prepare = (servers) => servers;

/** A chain from a YAML or JSON file. Node only. */
export async function loadChain(
  path: string,
  prepare: Prepare = AS_THEY_ARE,
  more: ChainOptions = {},
): Promise<Chain> {
  const config = await readConfig(path);
  const { servers: _, locks: __, middleware: ___, ...options } = config;
  return new Chain(
    { ...more, ...options },
    await layersOf(config, path),
    prepare(await lockedServers(config, path)),
  );
}

/** Follows the file: changes apply from the next call on, without disconnecting clients. */
export function followConfig(
  chain: Chain,
  path: string,
  told: (outcome: { readonly error?: unknown }) => void,
  prepare: Prepare = AS_THEY_ARE,
): () => void {
  return followFile(path, async () => {
    try {
      const config = await readConfig(path);
      await chain.replace(prepare(await lockedServers(config, path)), await layersOf(config, path));
      told({});
    } catch (error) {
      // The chain goes on with what it has.
      told({ error });
    }
  });
}

async function readConfig(path: string): Promise<ChainConfig> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`Cannot read ${path}; check the path`, { cause });
  }
  return parseConfig(text, path, process.env);
}

/** The servers with the contents of their lock files, which stand beside the configuration. */
async function lockedServers({ servers, locks }: ChainConfig, path: string): Promise<Destinations> {
  const entries = Object.entries(servers).map(async ([name, server]): Promise<[string, Destination]> => {
    const lock = locks.get(name);
    if (lock === undefined || typeof server !== 'object' || !('command' in server || 'url' in server))
      return [name, server];
    try {
      const approved = await readLock(resolve(dirname(path), lock.file));
      return [name, { ...server, lock: approved, onDrift: lock.onDrift }];
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new ConfigError(`${lock.place}.lock: ${reason}`, { cause });
    }
  });
  return Object.fromEntries(await Promise.all(entries));
}

function layersOf({ middleware }: ChainConfig, path: string): Promise<(Layer | Middleware)[]> {
  const files = filesIn(dirname(path));
  return Promise.all(middleware.map((entry) => createLayer(entry, files)));
}
