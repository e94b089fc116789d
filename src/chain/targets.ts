/** What users write for the servers behind a chain. */

import type { HttpTarget, StdioTarget, Target, TransportSource } from '../client/target.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { UPSTREAM_OPTIONS, type UpstreamOptions } from './upstream-options.js';

/** A server behind a chain: what `connect` takes, with options of its own. */
export type Destination =
  | Target
  | (StdioTarget & UpstreamOptions)
  | (HttpTarget & UpstreamOptions)
  | ({ readonly server: TransportSource } & UpstreamOptions);

export interface Destinations {
  readonly [name: string]: Destination;
}

export interface NamedDestination {
  readonly name: string;
  readonly target: Target;
  readonly options: UpstreamOptions;
}

/** Other hosts write in their files how a server is reached; its command or its URL says the same. */
const REDUNDANT = { type: true };

const PROGRAM_OPTIONS: OptionNames<StdioTarget & UpstreamOptions> = {
  ...REDUNDANT,
  command: true,
  args: true,
  cwd: true,
  env: true,
  inheritEnv: true,
  stderr: true,
  onStderr: true,
  shutdown: true,
  maxLineBytes: true,
  maxQueueBytes: true,
  tap: true,
  ...UPSTREAM_OPTIONS,
};

const REMOTE_OPTIONS: OptionNames<HttpTarget & UpstreamOptions> = {
  ...REDUNDANT,
  url: true,
  tap: true,
  sseFallback: true,
  openStream: true,
  maxBodyBytes: true,
  headTimeout: true,
  closeTimeout: true,
  reconnect: true,
  signal: true,
  ...UPSTREAM_OPTIONS,
};

/** The name of a server that stands alone and was given none. */
export const ALONE = 'server';

export function destinationsOf(given: Destination | Destinations): NamedDestination[] {
  if (isDestination(given)) return [named(ALONE, given)];
  return Object.entries(given).map(([name, destination]) => named(name, destination));
}

function isDestination(given: Destination | Destinations): given is Destination {
  if (typeof given === 'string' || given instanceof URL) return true;
  if ('start' in given || 'transport' in given) return true;
  const fields: Readonly<Record<string, unknown>> = { ...given };
  return typeof fields.command === 'string' || isUrl(fields.url) || isServer(fields.server);
}

/** Whether the server runs elsewhere, behind a URL. */
export function isRemoteTarget(target: Target): boolean {
  return isUrl(target) || (typeof target === 'object' && 'url' in target && isUrl(target.url));
}

function isUrl(value: unknown): boolean {
  return typeof value === 'string' || value instanceof URL;
}

/** `{ server }` is an entry with options, unless it is a map with a server of that name. */
function isServer(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'transport' in value;
}

function named(name: string, destination: Destination): NamedDestination {
  if (typeof destination === 'string' || destination instanceof URL)
    return { name, target: destination, options: {} };
  if ('start' in destination || 'transport' in destination) return { name, target: destination, options: {} };
  if ('server' in destination) {
    const { server, ...options } = destination;
    assertOptionNames(`Server "${name}"`, options, UPSTREAM_OPTIONS);
    return { name, target: server, options };
  }
  if ('command' in destination) assertOptionNames(`Server "${name}"`, destination, PROGRAM_OPTIONS);
  else if ('url' in destination) assertOptionNames(`Server "${name}"`, destination, REMOTE_OPTIONS);
  const { isolate, maxProcesses, revisions, timeout, initTimeout, auth, lock, onDrift, ...named } =
    destination as (StdioTarget | HttpTarget) & UpstreamOptions;
  const { prefix, rename, include, exclude, priority, ...target } = named;
  const naming = { prefix, rename, include, exclude, priority };
  const options = { isolate, maxProcesses, revisions, timeout, initTimeout, auth, lock, onDrift, ...naming };
  return { name, target: target as Target, options: defined(options) };
}

function defined(
  options: { readonly [Key in keyof UpstreamOptions]: UpstreamOptions[Key] | undefined },
): UpstreamOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Functions, such as those that get stderr, do not count. */
export function sameValue(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** One that is observed is another one. */
export function sameTarget(one: Target, other: Target): boolean {
  if (one === other) return true;
  return isPlain(one) && isPlain(other) && sameValue(one, other) && tapOf(one) === tapOf(other);
}

/** Written down rather than made: two of them with the same text are the same. */
function isPlain(target: Target): boolean {
  return typeof target === 'string' || target instanceof URL || 'command' in target || 'url' in target;
}

function tapOf(target: Target): unknown {
  return typeof target === 'object' && 'tap' in target ? target.tap : undefined;
}
