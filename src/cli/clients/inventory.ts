/** What is configured where, and what is wrong with it. */

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { mayExist } from '../target/find-program.js';
import type { ClientDefinition, Scope } from './client-definition.js';
import type { ConfigStore } from './config-store.js';
import { readEntries, rootKeys } from './config-text.js';
import { CLIENTS, fileOf, scopesOf } from './definitions.js';
import type { ClientPlaces } from './places.js';
import { referencesIn, type ServerEntry, summaryOf } from './server-entry.js';

export interface EntryProblem {
  readonly message: string;
  readonly fix: string;
  /** Writing the entry anew in the words of its client mends it. */
  readonly rewritable: boolean;
}

export interface InventoryEntry {
  readonly name: string;
  readonly entry: ServerEntry | undefined;
  readonly summary: string;
  readonly disabled: boolean;
  readonly problems: readonly EntryProblem[];
}

export interface InventoryFile {
  readonly client: ClientDefinition;
  readonly scope: Scope;
  readonly path: string;
  /** Why the file as a whole cannot be read. */
  readonly problem?: EntryProblem;
  readonly entries: readonly InventoryEntry[];
}

const CONTAINER_KEYS: readonly string[] = ['mcpServers', 'servers', 'mcp', 'extensions', 'mcp_servers'];

/** Every file of a client that exists; in files with settings of all kinds, those with servers. */
export function takeInventory(
  store: ConfigStore,
  places: ClientPlaces,
  clients: readonly ClientDefinition[] = CLIENTS,
): InventoryFile[] {
  return clients.flatMap((client) =>
    scopesOf(client, places).flatMap((scope) => {
      const path = fileOf(client, scope, places, existsSync);
      const text = path === undefined ? undefined : store.read(path);
      if (path === undefined || text === undefined) return [];
      const file = describeFile(client, scope, path, text, places);
      const silent = client.mixed === true && file.entries.length === 0 && file.problem === undefined;
      return silent ? [] : [file];
    }),
  );
}

function describeFile(
  client: ClientDefinition,
  scope: Scope,
  path: string,
  text: string,
  places: ClientPlaces,
): InventoryFile {
  const file = { client, scope, path };
  try {
    const entries = [...readEntries(client, text)].map(([name, entry]) =>
      describeEntry(client, scope, name, entry, places),
    );
    const problem = entries.length === 0 ? misplaced(client, path, text) : undefined;
    return { ...file, entries, ...(problem === undefined ? {} : { problem }) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return {
      ...file,
      entries: [],
      problem: { message, fix: `mend ${path} in an editor`, rewritable: false },
    };
  }
}

/** Servers under the key of another client. */
function misplaced(client: ClientDefinition, path: string, text: string): EntryProblem | undefined {
  const [key = ''] = client.container({}).path;
  const keys = rootKeys(client, text);
  const other = keys.find((name) => CONTAINER_KEYS.includes(name) && name !== key);
  if (client.mixed === true || keys.includes(key) || other === undefined) return undefined;
  return {
    message: `${client.name} reads "${key}", and this file has "${other}"`,
    fix: `rename "${other}" to "${key}" in ${path}`,
    rewritable: false,
  };
}

function describeEntry(
  client: ClientDefinition,
  scope: Scope,
  name: string,
  value: unknown,
  places: ClientPlaces,
): InventoryEntry {
  const where = `--client ${client.id} --scope ${scope}`;
  const removal = `plumb remove ${name} ${where}`;
  if (!isRecord(value)) {
    const problem = { message: 'is not an object', fix: removal, rewritable: false };
    return { name, entry: undefined, summary: '', disabled: false, problems: [problem] };
  }
  const entry = client.read(value);
  const disabled = value.disabled === true || value.enabled === false;
  const problems = [...problemsOf(client, scope, name, value, entry, removal, places)];
  const summary = entry === undefined ? String(value.type ?? '') : summaryOf(entry);
  return { name, entry, summary, disabled, problems };
}

function* problemsOf(
  client: ClientDefinition,
  scope: Scope,
  name: string,
  value: JsonObject,
  entry: ServerEntry | undefined,
  removal: string,
  places: ClientPlaces,
): Generator<EntryProblem> {
  if (entry === undefined) {
    if (client.isPartial?.(value) === true) return;
    yield { message: 'has neither a command nor a URL', fix: removal, rewritable: false };
    return;
  }
  const supported = client.transports.includes(entry.kind);
  if (!supported) {
    yield {
      message: `is of type ${entry.kind}, which ${client.name} does not take here`,
      fix: removal,
      rewritable: false,
    };
  }
  const unknown = Object.keys(value).filter((field) => !client.fields.includes(field));
  if (unknown.length > 0) {
    const fields = unknown.map((field) => `"${field}"`).join(', ');
    yield {
      message: `has ${unknown.length === 1 ? 'a field' : 'fields'} that ${client.name} does not know: ${fields}`,
      fix: `plumb add ${name} --from ${client.id} --client ${client.id} --scope ${scope} --force`,
      rewritable: supported,
    };
  }
  if (entry.kind !== 'stdio' || referencesIn(entry.command).length > 0) return;
  // A project's file means paths from the project.
  const cwd = entry.cwd ?? (scope === 'project' ? places.directory : undefined);
  const path = entry.env.PATH ?? places.environment.PATH;
  const env = path === undefined ? {} : { env: { PATH: path } };
  if (!mayExist({ command: entry.command, ...(cwd === undefined ? {} : { cwd }), ...env })) {
    yield {
      message: `the command ${entry.command} is not found`,
      fix: `install ${entry.command}, or ${removal}`,
      rewritable: false,
    };
  }
}

/** Clients that seem to be on this machine: their file is there, or the folder that only they use. */
export function detectedClients(places: ClientPlaces): ClientDefinition[] {
  return CLIENTS.filter((client) =>
    client.files('global', places).some((path) => {
      const folder = dirname(path);
      return existsSync(path) || (folder !== places.home && existsSync(folder));
    }),
  );
}
