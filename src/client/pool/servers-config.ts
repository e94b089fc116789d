/** The `mcpServers` map as Claude Desktop, Cursor and VS Code write it, read into targets. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { McpError } from '../../protocol/errors.js';
import type { ConnectOptions } from '../options.js';
import type { HttpTarget, StdioTarget, Target } from '../target.js';

export interface StdioServerConfig {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly cwd?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly type?: string | undefined;
  /** How long a call to this server may take, in milliseconds. */
  readonly timeout?: number | undefined;
  /** How long the server may take to start and answer: `'90s'`, or milliseconds. Default: `initTimeout` of the pool. */
  readonly connectTimeout?: Duration | undefined;
}

export interface HttpServerConfig {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly disabled?: boolean | undefined;
  readonly type?: string | undefined;
  /** How long a call to this server may take, in milliseconds. */
  readonly timeout?: number | undefined;
  /** How long the server may take to start and answer: `'90s'`, or milliseconds. Default: `initTimeout` of the pool. */
  readonly connectTimeout?: Duration | undefined;
}

/** An entry of the map, or any target, such as a server in this process. */
export type ServerConfig = StdioServerConfig | HttpServerConfig | Target;

export type ServersConfig =
  | { readonly mcpServers: Readonly<Record<string, ServerConfig>> }
  | Readonly<Record<string, ServerConfig>>;

export interface NamedTarget {
  readonly name: string;
  readonly target: Target;
  /** What the entry says about the connection rather than about the way to the server. */
  readonly options: Pick<ConnectOptions, 'timeout' | 'initTimeout'>;
}

/** Some clients use seconds; so few milliseconds are never meant as the limit of every call. */
const LEAST_TIMEOUT_MS = 1_000;

export function namedTargets(config: ServersConfig): NamedTarget[] {
  const { mcpServers } = config;
  const servers: unknown = mcpServers ?? config;
  if (!isRecord(servers)) throw invalid('mcpServers must be an object of servers by name');
  return Object.entries(servers).flatMap(([name, entry]) => {
    const target = targetOf(name, entry);
    return target === undefined ? [] : [{ name, target, options: optionsOf(entry) }];
  });
}

function targetOf(name: string, entry: unknown): Target | undefined {
  if (typeof entry === 'string' || entry instanceof URL) return entry;
  if (isTransportLike(entry)) return entry;
  if (!isRecord(entry)) throw invalid(`"${name}" must be an object with a command or a url`);
  if (entry.disabled === true) return undefined;
  const problem = problemOf(entry);
  if (problem !== undefined) throw invalid(`"${name}" ${problem}`);
  if (isProgram(entry) || isAddress(entry)) return entry;
  throw invalid(`"${name}" needs a command or a url`);
}

function optionsOf(entry: unknown): NamedTarget['options'] {
  if (!isRecord(entry) || isTransportLike(entry)) return {};
  const { timeout, connectTimeout } = entry;
  return {
    ...(typeof timeout === 'number' ? { timeout } : {}),
    ...(isDuration(connectTimeout) ? { initTimeout: connectTimeout } : {}),
  };
}

/** What else a target may say is for the transport to judge. */
function isProgram(entry: JsonObject): entry is JsonObject & StdioTarget {
  return typeof entry.command === 'string';
}

function isAddress(entry: JsonObject): entry is JsonObject & HttpTarget {
  return typeof entry.url === 'string' || entry.url instanceof URL;
}

function problemOf({ args, env, headers, timeout, connectTimeout }: JsonObject): string | undefined {
  if (args !== undefined && !isStrings(args)) return 'has args that are not a list of strings';
  if (env !== undefined && !isStringMap(env)) return 'has an env that is not an object of strings';
  if (timeout !== undefined && !(typeof timeout === 'number' && timeout >= LEAST_TIMEOUT_MS)) {
    const example = typeof timeout === 'number' && timeout > 0 ? ` (${timeout} s is ${timeout * 1_000})` : '';
    return `has a timeout of ${JSON.stringify(timeout)}; write it in milliseconds, at least ${LEAST_TIMEOUT_MS}${example}`;
  }
  if (connectTimeout !== undefined && !isDuration(connectTimeout))
    return `has a connectTimeout of ${JSON.stringify(connectTimeout)}; write 90s, 2m or a number of milliseconds`;
  const given = headers === undefined || typeof headers === 'function' || isStringMap(headers);
  return given ? undefined : 'has headers that are not an object of strings';
}

function isTransportLike(entry: unknown): entry is Exclude<Target, string | URL> {
  if (typeof entry !== 'object' || entry === null) return false;
  return ('transport' in entry && typeof entry.transport === 'function') || 'start' in entry;
}

function isDuration(value: unknown): value is Duration {
  if (typeof value === 'number') return value > 0;
  try {
    return typeof value === 'string' && milliseconds(value) > 0;
  } catch {
    return false;
  }
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringMap(value: unknown): value is Record<string, string> {
  return isRecord(value) && Object.values(value).every((item) => typeof item === 'string');
}

function invalid(problem: string): McpError<'invalid_argument'> {
  return new McpError('invalid_argument', `This is no configuration of servers: ${problem}`);
}
