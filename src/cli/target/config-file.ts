/** Servers by name, from a file as Claude Desktop, Cursor and VS Code write it. */

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { milliseconds } from '../../protocol/duration.js';
import { UsageError } from '../failure/failure.js';
import { parseJsonc } from './jsonc.js';
import { substitute, type VariableSources } from './variables.js';

/** Where to look without `--config`, first found first served. */
export const CONFIG_PATHS: readonly string[] = [
  'mcp.json',
  '.mcp.json',
  '.vscode/mcp.json',
  '.cursor/mcp.json',
];

export interface ConfigFile {
  readonly path: string;
  readonly servers: ReadonlyMap<string, JsonObject>;
}

export type ConfiguredTarget =
  | {
      readonly command: string;
      readonly args: string[];
      readonly env: Record<string, string>;
      readonly cwd?: string;
    }
  | { readonly url: string; readonly headers: Record<string, string> };

export interface ConfiguredServer {
  readonly target: ConfiguredTarget;
  /** How long it may take to start, in milliseconds. */
  readonly connectTimeout?: number;
  /** Which of several logins at the server. */
  readonly account?: string;
}

/** The file named, or the first of the usual ones in this directory; undefined when there is none. */
export function loadConfig(
  named: string | undefined,
  directory: string = process.cwd(),
): ConfigFile | undefined {
  if (named !== undefined) return readConfig(resolve(directory, named));
  const found = CONFIG_PATHS.map((path) => resolve(directory, path)).find((path) => existsSync(path));
  return found === undefined ? undefined : readConfig(found);
}

function readConfig(path: string): ConfigFile {
  const content = parseFile(path);
  const servers = isRecord(content) ? (content.mcpServers ?? content.servers) : undefined;
  if (!isRecord(servers)) throw new UsageError(`${path} has no "mcpServers" (or "servers") object; add one`);
  const entries = Object.entries(servers).map(([name, entry]): [string, JsonObject] => {
    if (!isRecord(entry)) throw new UsageError(`${path}: server "${name}" must be an object`);
    return [name, entry];
  });
  return { path, servers: new Map(entries) };
}

function parseFile(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UsageError(`Cannot read ${path}; check the path`, { cause });
  }
  try {
    return parseJsonc(text);
  } catch (cause) {
    const detail = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${path} is not valid JSON: ${detail.replaceAll(/\s+/g, ' ')}`, { cause });
  }
}

/** The entry of one server, with its variables filled in. */
export function resolveServer(
  file: ConfigFile,
  name: string,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ConfiguredServer | undefined {
  const entry = file.servers.get(name);
  if (entry === undefined) return undefined;
  const reader = new EntryReader(`${file.path}: server "${name}"`, entry, {
    environment,
    workspace: workspaceOf(file.path),
    home: homedir(),
  });
  const target = targetOf(file, entry, reader);
  const connectTimeout = reader.duration('connectTimeout');
  const account = entry.account === undefined ? {} : { account: reader.text('account') };
  return connectTimeout === undefined ? { target, ...account } : { target, connectTimeout, ...account };
}

function targetOf(file: ConfigFile, entry: JsonObject, reader: EntryReader): ConfiguredTarget {
  if (entry.url !== undefined) return { url: reader.text('url'), headers: reader.map('headers') };
  if (entry.command === undefined) throw new UsageError(`${reader.label} needs a "command" or a "url"`);
  const cwd = entry.cwd === undefined ? undefined : resolve(workspaceOf(file.path), reader.text('cwd'));
  return {
    command: reader.text('command'),
    args: reader.list('args'),
    env: reader.map('env'),
    ...(cwd === undefined ? {} : { cwd }),
  };
}

/** A file in `.vscode/` or `.cursor/` belongs to the directory above. */
function workspaceOf(path: string): string {
  const directory = dirname(path);
  return ['.vscode', '.cursor'].includes(basename(directory)) ? dirname(directory) : directory;
}

class EntryReader {
  readonly label: string;
  readonly #entry: JsonObject;
  readonly #sources: VariableSources;

  constructor(label: string, entry: JsonObject, sources: VariableSources) {
    this.label = label;
    this.#entry = entry;
    this.#sources = sources;
  }

  text(field: string): string {
    return this.#substituted(field, this.#entry[field]);
  }

  /** In milliseconds, as a number or as text with a unit. */
  duration(field: string): number | undefined {
    const value = this.#entry[field];
    if (value === undefined) return undefined;
    try {
      const given = typeof value === 'number' ? value : milliseconds(this.text(field));
      if (given > 0) return given;
    } catch (cause) {
      if (cause instanceof UsageError) throw cause;
    }
    throw new UsageError(
      `${this.label}: "${field}" must be a number of milliseconds, or text such as "90s" or "2m"`,
    );
  }

  list(field: string): string[] {
    const value = this.#entry[field] ?? [];
    if (!Array.isArray(value)) throw new UsageError(`${this.label}: "${field}" must be an array of strings`);
    return value.map((item) => this.#substituted(field, item));
  }

  map(field: string): Record<string, string> {
    const value = this.#entry[field] ?? {};
    if (!isRecord(value)) throw new UsageError(`${this.label}: "${field}" must be an object of strings`);
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.#substituted(field, item)]),
    );
  }

  #substituted(field: string, value: unknown): string {
    // Numbers and booleans are what people write for ports and switches.
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      throw new UsageError(`${this.label}: "${field}" must be text`);
    }
    try {
      return substitute(String(value), this.#sources);
    } catch (error) {
      if (error instanceof UsageError)
        throw new UsageError(`${this.label}: ${error.message}`, { cause: error });
      throw error;
    }
  }
}
