/** `--store`: what this process shares with other nodes of the same service. */

import type { Command } from 'commander';
import { McpError } from '../../protocol/errors.js';
import type { Store } from '../../store/index.js';
import { CommandFailure, EXIT_UNREACHABLE, UsageError } from '../failure/failure.js';

export interface StoreFlags {
  readonly store?: string;
}

export function addStoreOption(command: Command): Command {
  return command.option(
    '--store <url>',
    'share sessions and streams over Redis: redis://host:6379 or redis+cluster://host1:6379,host2:6379 (with --http)',
  );
}

/** Runs `work` with the store that the flags name, if they do, and releases it afterwards. */
export async function withStore(
  flags: StoreFlags & { readonly http?: number },
  work: (store: Store | undefined) => Promise<number>,
): Promise<number> {
  if (flags.store === undefined) return work(undefined);
  if (flags.http === undefined) throw new UsageError('--store needs --http: a pipe has one client only');
  const store = await open(flags.store);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

async function open(url: string): Promise<Store> {
  const { createRedisStore } = await import('../../store/redis.js');
  try {
    return await createRedisStore(url);
  } catch (error) {
    if (error instanceof McpError)
      throw new CommandFailure(EXIT_UNREACHABLE, error.message, { cause: error });
    throw error;
  }
}
