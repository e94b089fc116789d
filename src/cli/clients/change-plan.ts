/** Changes to the files of several clients: all of them are worked out before the first is written. */

import { existsSync } from 'node:fs';
import { printable } from '../../protocol/display.js';
import { UsageError } from '../failure/failure.js';
import type { Terminal } from '../output/terminal.js';
import type { ClientDefinition, Scope } from './client-definition.js';
import { type ConfigChange, ConfigStore } from './config-store.js';
import { readEntries, withEntry, withoutEntry } from './config-text.js';
import { fileOf } from './definitions.js';
import { ConfigSyntaxError } from './editors/editor.js';
import { entryFor } from './entry-for-client.js';
import type { ClientPlaces } from './places.js';
import type { ServerEntry } from './server-entry.js';
import { textDiff } from './text-diff.js';

export interface PlannedChange extends ConfigChange {
  readonly client: ClientDefinition;
  readonly scope: Scope;
  readonly warnings: readonly string[];
  /** There was an entry of this name. */
  readonly replaces: boolean;
}

export interface Planner {
  readonly store: ConfigStore;
  readonly places: ClientPlaces;
}

export function createPlanner(places: ClientPlaces): Planner {
  return { store: new ConfigStore(places), places };
}

export function pathIn({ places }: Planner, client: ClientDefinition, scope: Scope): string {
  const path = fileOf(client, scope, places, existsSync);
  if (path !== undefined) return path;
  throw new UsageError(
    `${client.name} has no file for a ${scope}; use --scope ${scope === 'project' ? 'global' : 'project'}`,
  );
}

export function planAddition(
  planner: Planner,
  client: ClientDefinition,
  scope: Scope,
  name: string,
  entry: ServerEntry,
): PlannedChange {
  const path = pathIn(planner, client, scope);
  const before = planner.store.read(path);
  const { written, warnings } = entryFor(client, name, entry, planner.places.environment);
  return inFile(path, () => ({
    client,
    scope,
    path,
    before,
    after: withEntry(client, before, name, written),
    isPrivate: scope === 'global',
    warnings,
    replaces: before !== undefined && readEntries(client, before).has(name),
  }));
}

/** Undefined when the client has no such entry. */
export function planRemoval(
  planner: Planner,
  client: ClientDefinition,
  scope: Scope,
  name: string,
): PlannedChange | undefined {
  const path = pathIn(planner, client, scope);
  const before = planner.store.read(path);
  if (before === undefined) return undefined;
  return inFile(path, () => {
    if (!readEntries(client, before).has(name)) return undefined;
    const after = withoutEntry(client, before, name, planner.store.earlier(path));
    return {
      client,
      scope,
      path,
      before,
      after,
      isPrivate: scope === 'global',
      warnings: [],
      replaces: true,
    };
  });
}

/** Messages of the editors speak of the text only. */
function inFile<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConfigSyntaxError) {
      throw new UsageError(`${path} is ${error.message}; mend the file first`, {
        cause: error,
      });
    }
    if (error instanceof UsageError) throw new UsageError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

export function showDiff({ path, before, after }: ConfigChange, out: Terminal): void {
  for (const line of textDiff(path, before, after)) {
    const style = line.startsWith('+') ? 'green' : line.startsWith('-') ? 'red' : 'dim';
    out.write(`${out.style(style, printable(line))}\n`);
  }
}

/** Writes the changes, one line each. */
export function applyChanges(
  { store }: Planner,
  changes: readonly PlannedChange[],
  say: (change: PlannedChange) => string,
  out: Terminal,
): void {
  for (const change of changes) {
    const backup = store.apply(change);
    out.write(`${say(change)}\n`);
    if (backup !== undefined) out.write(`${out.style('dim', `  backup: ${backup}`)}\n`);
  }
}
