/** Options of createServer, and what holds when they are absent. */

import type { CallState } from '../middleware/compose.js';
import type { Observe } from '../middleware/observe.js';
import type { OtelApi } from '../middleware/opentelemetry.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { given, type Optional } from '../protocol/given.js';
import type { InNumbers } from '../protocol/in-numbers.js';
import type { CacheHints, Icon } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { BucketOptions, BucketSchemas } from './buckets/bucket.js';
import type { DefinedTools } from './define-tool.js';
import type { ErrorHandler } from './error-report.js';
import type { HttpServeOptions } from './http/service.js';
import type { ServerLimits } from './limits.js';

/** How a server serves, whatever it has. */
export interface ServingOptions {
  /** Protocol revisions to speak; all of them by default. */
  readonly revisions?: readonly string[] | undefined;
  /** How the state of calls that wait for an answer is sealed, for clients without sessions. */
  readonly requestState?: RequestStateOptions | undefined;
  /** True sends the messages of unexpected errors to clients. By default they are kept back. */
  readonly exposeErrors?: boolean | undefined;
  /** Receives every unexpected error, the method, and the tool, prompt or resource. Default: writes to stderr. */
  readonly onError?: ErrorHandler | undefined;
  /** Makes the state that each call begins with. */
  readonly state?: (() => object) | undefined;
  /** What bounds the use of the server. */
  readonly limits?: Optional<ServerLimits> | undefined;
  /** Gets a record of every request. */
  readonly observe?: Observe | undefined;
  /** As in the options of `connect`: spans and metrics where an OpenTelemetry SDK is registered, unless false. */
  readonly telemetry?: OtelApi | false | undefined;
  /** For `server.http()`, `server.fetch` and `server.node`. */
  readonly http?: HttpServeOptions | undefined;
}

/** Options of `createServer`. */
export interface ServerOptions<
  State extends object = CallState,
  Tools extends DefinedTools = DefinedTools,
  Session extends BucketSchemas = BucketSchemas,
  User extends BucketSchemas = BucketSchemas,
> extends ServingOptions {
  /** Makes the state of each call, which middleware fills and handlers read: `state: () => ({ user: '' })`. */
  readonly state?: (() => State) | undefined;
  /** What `ctx.session` keeps, and for how long. */
  readonly session?: BucketOptions<Session> | undefined;
  /** What `ctx.user` keeps, and for how long. */
  readonly user?: BucketOptions<User> | undefined;
  /** Tools by name, made by `defineTool`: with these the compiler knows the server's tools. */
  readonly tools?: Tools | undefined;
  /** The name by which clients know the server. */
  readonly name: string;
  /** Its version. */
  readonly version: string;
  /** The name for people. */
  readonly title?: string | undefined;
  /** What the server is for. */
  readonly description?: string | undefined;
  /** A page about the server. */
  readonly websiteUrl?: string | undefined;
  /** Pictures for lists of clients. */
  readonly icons?: Icon[] | undefined;
  /** Sent to clients when they connect: how to use this server. */
  readonly instructions?: string | undefined;
  /** Declared in addition to what is registered, e.g. `{ tools: {} }` for tools that come later. */
  readonly capabilities?: ServerCapabilities | undefined;
  /** False declares no logging capability, and `ctx.log` is silent. */
  readonly logging?: boolean | undefined;
  /** Items in one page of a list. */
  readonly pageSize?: number | undefined;
  /** For tools with `task`: how long tasks are kept, how many there may be. */
  readonly tasks?: ServerTaskOptions | undefined;
  /** How long clients may reuse lists. Resources have their own, and are not cached by default. Default: 1 min, private. */
  readonly cache?: ResultCacheOptions | undefined;
}

/** How long clients may reuse a result, where they cache: `{ ttl: '5m', scope: 'public' }`. */
export interface ResultCacheOptions {
  /** How long it stays fresh. Default: 1 min for lists, 0 for resources. */
  readonly ttl?: Duration | undefined;
  /** `public` lets caches share it between users. Default: `private`. */
  readonly scope?: 'public' | 'private' | undefined;
}

/** As results carry it. */
export function cacheHints({ ttl, scope }: ResultCacheOptions = {}): CacheHints {
  return {
    ...(ttl === undefined ? {} : { ttlMs: milliseconds(ttl) }),
    ...(scope === undefined ? {} : { cacheScope: scope }),
  };
}

export interface ServerTaskOptions {
  /** How long a task is kept, from its creation, unless the client asks for another time. Default: 1 hour. */
  readonly ttl?: Duration | undefined;
  /** The longest time that a client may ask for. Default: 24 hours. */
  readonly maxTtl?: Duration | undefined;
  /** How often clients should ask for the status. Default: 500 ms. */
  readonly pollInterval?: Duration | undefined;
  /** Tasks that one principal, or one address without a principal, may have. Default: 100. */
  readonly maxPerPeer?: number | undefined;
  /** Tasks that may run at once on this node. Default: 1,000. */
  readonly max?: number | undefined;
  /** The clock. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The same in numbers, as tasks work with it. */
export type TaskSettings = InNumbers<Required<ServerTaskOptions>>;

export const DEFAULT_TASKS: TaskSettings = {
  ttl: 60 * 60 * 1000,
  maxTtl: 24 * 60 * 60 * 1000,
  pollInterval: 500,
  maxPerPeer: 100,
  max: 1_000,
  now: Date.now,
};

export function taskSettings(options: ServerTaskOptions = {}): TaskSettings {
  const settings = { ...DEFAULT_TASKS, ...given(options) };
  return {
    ...settings,
    ttl: milliseconds(settings.ttl),
    maxTtl: milliseconds(settings.maxTtl),
    pollInterval: milliseconds(settings.pollInterval),
  };
}

export interface RequestStateOptions {
  /** Secrets, newest first. Nodes that share them can finish each other's calls. Random for each process by default. */
  readonly keys?: readonly string[] | undefined;
  /** How long a client may take to answer. Default: 1 hour. */
  readonly ttl?: Duration | undefined;
  /** The clock. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

export const DEFAULT_PAGE_SIZE = 1000;
export const DEFAULT_STATE_TTL_MS: number = 60 * 60 * 1000;
/** Lists stay fresh for a minute unless a change is announced; `private`, because middleware may filter by caller. */
export const DEFAULT_LIST_CACHE: Required<CacheHints> = { ttlMs: 60_000, cacheScope: 'private' };
/** What was read is stale at once unless the author says otherwise. */
export const DEFAULT_READ_CACHE: Required<CacheHints> = { ttlMs: 0, cacheScope: 'private' };

/** Comma-separated, newest first; the way to give several nodes the same keys without code. */
export const STATE_KEYS_VARIABLE = 'PLUMB_STATE_KEYS';

const SERVER_OPTIONS: OptionNames<ServerOptions> = {
  name: true,
  version: true,
  title: true,
  description: true,
  websiteUrl: true,
  icons: true,
  instructions: true,
  capabilities: true,
  logging: true,
  pageSize: true,
  cache: true,
  tasks: true,
  revisions: true,
  requestState: true,
  exposeErrors: true,
  onError: true,
  state: true,
  session: true,
  user: true,
  tools: true,
  limits: true,
  observe: true,
  telemetry: true,
  http: true,
};

const BUCKET_OPTIONS: OptionNames<BucketOptions> = {
  values: true,
  ttl: true,
  maxEntries: true,
  maxBytes: true,
  max: true,
  maxPerPeer: true,
  now: true,
};

/** For code that no compiler has read. */
export function assertServerOptions(
  options: Pick<ServerOptions, 'name' | 'version' | 'session' | 'user' | 'tasks'>,
): void {
  assertOptionNames('createServer', options, SERVER_OPTIONS);
  const given: Readonly<Record<string, unknown>> = { ...options };
  for (const name of ['name', 'version']) {
    if (typeof given[name] !== 'string' || given[name] === '')
      throw new TypeError(
        `createServer needs a ${name}: createServer({ name: 'weather', version: '1.0.0' })`,
      );
  }
  for (const kind of ['session', 'user'] as const)
    assertOptionNames(kind, options[kind] ?? {}, BUCKET_OPTIONS);
  assertOptionNames('tasks', options.tasks ?? {}, DEFAULT_TASKS);
}
