/** A chain from a configuration file, and its changes while it runs. */

import { readFileSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { Middleware } from '../middleware/compose.js';
import type { Layer } from '../middleware/layer.js';
import { Chain } from './chain.js';
import { type ChainConfig, ConfigError, parseConfig } from './config.js';
import { createLayer } from './configured-layers.js';
import { filesIn } from './node-files.js';

export async function loadChain(path: string): Promise<Chain> {
  const config = await readConfig(path);
  const { servers, middleware: _, ...options } = config;
  return new Chain(options, layersOf(config, path), servers);
}

/** Follows the file: what is new in it holds for the next call, and nobody is disconnected. */
export function followConfig(
  chain: Chain,
  path: string,
  told: (outcome: { readonly error?: unknown }) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const reload = async (): Promise<void> => {
    try {
      const config = await readConfig(path);
      await chain.replace(config.servers, layersOf(config, path));
      told({});
    } catch (error) {
      // The chain goes on with what it has.
      told({ error });
    }
  };
  // Editors replace files rather than write to them, so the directory is watched.
  const watcher = watch(dirname(path), (_event, file) => {
    if (file !== null && file !== basename(path)) return;
    clearTimeout(timer);
    timer = setTimeout(() => void reload(), RELOAD_DELAY_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.close();
  };
}

/** A file is often written in several steps. */
const RELOAD_DELAY_MS = 150;

async function readConfig(path: string): Promise<ChainConfig> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ConfigError(`Cannot read ${path}; check the path`, { cause });
  }
  return parseConfig(text, path, process.env);
}

function layersOf({ middleware }: ChainConfig, path: string): (Layer | Middleware)[] {
  const files = filesIn(dirname(path));
  return middleware.map((entry) => createLayer(entry, files));
}
