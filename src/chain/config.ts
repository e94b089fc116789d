/**
 * A chain written down as YAML or JSON: read, checked, and its `${VARIABLES}` filled in. Errors name the line and the
 * key, and never the value of a variable.
 */

import { isMap, isScalar, LineCounter, type ParsedNode, parseDocument } from 'yaml';
import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { milliseconds } from '../protocol/duration.js';
import { McpError } from '../protocol/errors.js';
import { nearest } from '../protocol/option-names.js';
import { createSchema } from '../protocol/schema/schema.js';
import { CHAIN_SCHEMA } from './config-schema.js';
import type { OnDrift } from './lock/guard.js';
import type { Destination, Destinations } from './targets.js';

export interface ChainConfig {
  readonly name?: string;
  readonly version?: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly revisions?: readonly string[];
  readonly servers: Destinations;
  /** Lock files of servers, by their names. */
  readonly locks: ReadonlyMap<string, LockConfig>;
  readonly middleware: readonly MiddlewareConfig[];
}

export interface MiddlewareConfig {
  readonly name: string;
  readonly options: unknown;
  /** Where it stands, for messages: the file, the line and the key. */
  readonly place: string;
}

export interface LockConfig {
  readonly file: string;
  readonly onDrift: OnDrift;
  /** Where it stands, for messages. */
  readonly place: string;
}

export class ConfigError extends McpError<'invalid_config'> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('invalid_config', message, options);
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** `file` is for messages. */
export async function parseConfig(
  text: string,
  file: string,
  environment: Environment,
): Promise<ChainConfig> {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const [broken] = document.errors;
  if (broken !== undefined) {
    const { line } = lines.linePos(broken.pos[0]);
    const [problem = ''] = broken.message.split('\n');
    const what = problem.replace(/ at line \d+, column \d+:?$/, '');
    throw new ConfigError(`${file}:${line}: ${what}`, { cause: broken });
  }
  const where = (path: readonly string[]): string => {
    const offset = offsetOf(document.contents, path);
    return `${file}:${lines.linePos(offset).line}`;
  };
  const value: unknown = document.toJS();
  assertChainFile(value, file);
  assertNoRenamedKeys(value, where);
  const { issues } = await createSchema(CHAIN_SCHEMA, 'input').check(value);
  const [issue] = issues ?? [];
  if (issue !== undefined) {
    const path = issue.path === '' ? [] : issue.path.split('.');
    throw new ConfigError(
      `${where(path)}: ${issue.path || 'the file'}: ${issue.message}${similarKey(path.at(-1) ?? '')}`,
    );
  }
  const filled = substituted(value, environment, [], (path, name) => {
    const key = path.join('.');
    throw new ConfigError(
      `${where(path)}: ${key}: the environment variable ${name} is not set; set it, or write \${${name}:-default}`,
    );
  });
  if (!isRecord(filled)) throw new ConfigError(`${file}: the file must be an object`);
  return toConfig(filled, where);
}

/** Mistakes of the first minute, in words about chains rather than about schemas. */
function assertChainFile(value: unknown, file: string): void {
  if (value === null) throw new ConfigError(`${file} is empty; it needs "servers"`);
  if (!isRecord(value)) return;
  if (isRecord(value.mcpServers) && value.servers === undefined)
    throw new ConfigError(
      `${file} is the configuration of a client; serve it with: plumb chain --mcp ${file}`,
    );
  if (isRecord(value.servers) && Object.keys(value.servers).length === 0)
    throw new ConfigError(`${file} has no servers; add one under "servers"`);
}

/** For messages: the key that was probably meant by one that does not exist. */
export function similarKey(key: string): string {
  const known = [...propertyNames(CHAIN_SCHEMA)];
  const similar = known.includes(key) ? undefined : nearest(key, known);
  return similar === undefined ? '' : `; did you mean "${similar}"?`;
}

function propertyNames(schema: unknown, found: Set<string> = new Set()): Set<string> {
  if (Array.isArray(schema)) for (const part of schema) propertyNames(part, found);
  if (!isRecord(schema)) return found;
  for (const name of Object.keys(isRecord(schema.properties) ? schema.properties : {})) found.add(name);
  for (const part of Object.values(schema)) propertyNames(part, found);
  return found;
}

/** Keys of options of middleware that have another name now. */
const RENAMED_KEYS: readonly { middleware: string; before: string; now: string }[] = [
  { middleware: 'circuitBreaker', before: 'openMs', now: 'open' },
];

function assertNoRenamedKeys(value: unknown, where: (path: readonly string[]) => string): void {
  const entries: readonly unknown[] =
    isRecord(value) && Array.isArray(value.middleware) ? value.middleware : [];
  for (const [index, entry] of entries.entries()) {
    for (const { middleware, before, now } of RENAMED_KEYS) {
      const options = isRecord(entry) ? entry[middleware] : undefined;
      if (!isRecord(options) || options[before] === undefined) continue;
      const path = ['middleware', String(index), middleware, before];
      throw new ConfigError(
        `${where(path)}: ${path.join('.')}: this option is called "${now}" now; write ${now}: 30s, or a number of milliseconds`,
      );
    }
  }
}

function toConfig(content: JsonObject, where: (path: readonly string[]) => string): ChainConfig {
  const { servers, middleware, $schema: _, ...rest } = content;
  const entries = Object.entries(isRecord(servers) ? servers : {}).map(
    ([name, server]): [string, Destination] => [
      name,
      toDestination(server, `${where(['servers', name])}: servers.${name}`),
    ],
  );
  return {
    ...rest,
    servers: Object.fromEntries(entries),
    locks: locksOf(isRecord(servers) ? servers : {}, where),
    middleware: (Array.isArray(middleware) ? middleware : []).map((entry, index) => {
      const key = ['middleware', String(index)];
      return toMiddleware(entry, `${where(key)}: ${key.join('.')}`);
    }),
  };
}

function toDestination(server: unknown, label: string): Destination {
  if (typeof server === 'string') return server;
  if (!isRecord(server)) throw new ConfigError(`${label}: must be a URL or an object`);
  const { command, url, env, headers, connectTimeout, lock: _, onDrift: __, type: ___, ...other } = server;
  const rest = connectTimeout === undefined ? other : { ...other, initTimeout: limit(connectTimeout, label) };
  if (typeof command === 'string') return { ...rest, command, env: texts(env) };
  if (typeof url === 'string') return { ...rest, url, headers: texts(headers) };
  throw new ConfigError(`${label}: needs "command" (a program) or "url"`);
}

function locksOf(
  servers: JsonObject,
  where: (path: readonly string[]) => string,
): ReadonlyMap<string, LockConfig> {
  const locks = new Map<string, LockConfig>();
  for (const [name, server] of Object.entries(servers)) {
    if (!isRecord(server)) continue;
    const { lock, onDrift } = server;
    const place = `${where(['servers', name, lock === undefined ? 'onDrift' : 'lock'])}: servers.${name}`;
    if (typeof lock === 'string')
      locks.set(name, { file: lock, onDrift: onDrift === 'warn' ? 'warn' : 'block', place });
    else if (onDrift !== undefined)
      throw new ConfigError(`${place}.onDrift: needs "lock", a file that plumb lock wrote`);
  }
  return locks;
}

function limit(value: unknown, label: string): number {
  try {
    return milliseconds(typeof value === 'number' ? value : String(value));
  } catch (cause) {
    throw new ConfigError(`${label}.connectTimeout: write 90s, 2m or a number of milliseconds`, { cause });
  }
}

function toMiddleware(entry: unknown, place: string): MiddlewareConfig {
  if (typeof entry === 'string') return { name: entry, options: {}, place };
  const [[name, options] = ['', {}]] = isRecord(entry) ? Object.entries(entry) : [];
  return { name, options, place };
}

function texts(values: unknown): Record<string, string> {
  if (!isRecord(values)) return {};
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

const REFERENCE = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

function substituted(
  value: unknown,
  environment: Environment,
  path: readonly string[],
  missing: (path: readonly string[], name: string) => never,
): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(REFERENCE, (_whole, name: string, fallback: string | undefined) => {
      return environment[name] ?? fallback ?? missing(path, name);
    });
  }
  if (Array.isArray(value))
    return value.map((item, index) => substituted(item, environment, [...path, String(index)], missing));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    substituted(item, environment, [...path, key], missing),
  ]);
  return Object.fromEntries(entries);
}

/** Where the deepest part of the path that exists begins. */
function offsetOf(node: ParsedNode | null, path: readonly string[]): number {
  let current: unknown = node;
  let offset = node?.range[0] ?? 0;
  for (const key of path) {
    if (isMap(current)) {
      const pair = current.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (pair === undefined) break;
      if (isScalar(pair.key) && pair.key.range) offset = pair.key.range[0];
      current = pair.value;
    } else if (isRecord(current) && Array.isArray(current.items)) {
      const item: unknown = current.items[Number(key)];
      if (isRecord(item) && Array.isArray(item.range)) offset = Number(item.range[0]);
      current = item;
    } else break;
  }
  return offset;
}
