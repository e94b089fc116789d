/** The servers of the hub: an `mcpServers` map like that of a client, in a file of its own. */

import { existsSync } from 'node:fs';
import type { Destination } from '../../chain/index.js';
import { UsageError } from '../failure/failure.js';
import { loadConfig, resolveServer } from '../target/config-file.js';

export interface HubEntry {
  readonly destination: Destination;
  /** `"isolate": "session"`: one process for each client. */
  readonly perClient: boolean;
  /** Which of several logins at the server. */
  readonly account: string | undefined;
}

export function readHubEntry(path: string, name: string): HubEntry {
  const file = existsSync(path) ? loadConfig(path) : undefined;
  const found = file === undefined ? undefined : resolveServer(file, name);
  const entry = file?.servers.get(name);
  if (found === undefined || entry === undefined) {
    const names = [...(file?.servers.keys() ?? [])].join(', ') || 'none';
    throw new UsageError(`The hub has no server "${name}" (found: ${names}); add it with plumb add --hub`);
  }
  const { target, connectTimeout, account } = found;
  return {
    destination: connectTimeout === undefined ? target : { ...target, initTimeout: connectTimeout },
    perClient: entry.isolate === 'session',
    account,
  };
}

export function hubNames(path: string): string[] {
  return existsSync(path) ? [...(loadConfig(path)?.servers.keys() ?? [])] : [];
}
