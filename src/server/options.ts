/** Options of createServer, and what holds when they are absent. */

import type { CallState } from '../middleware/compose.js';
import type { Observe } from '../middleware/observe.js';
import type { OtelApi } from '../middleware/opentelemetry.js';
import type { CacheHints, Icon } from '../protocol/model/base.js';
import type { ServerCapabilities } from '../protocol/model/capabilities.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { DefinedTools } from './define-tool.js';
import type { ErrorHandler } from './error-report.js';
import type { ServerLimits } from './host.js';
import type { HttpServeOptions } from './http/service.js';

/** How a server serves, whatever it has. */
export interface ServingOptions {
  /** Protocol revisions to speak; all of them by default. */
  readonly revisions?: readonly string[] | undefined;
  readonly requestState?: RequestStateOptions | undefined;
  /** True sends the messages of unexpected errors to clients. By default they are kept back. */
  readonly exposeErrors?: boolean | undefined;
  /** Receives every unexpected error, the method, and the tool, prompt or resource. Default: writes to stderr. */
  readonly onError?: ErrorHandler | undefined;
  /** Makes the state that each call begins with. */
  readonly state?: (() => object) | undefined;
  readonly limits?: Partial<ServerLimits> | undefined;
  /** Gets a record of every request. */
  readonly observe?: Observe | undefined;
  /** As in the options of `connect`: spans and metrics where an OpenTelemetry SDK is registered, unless false. */
  readonly telemetry?: OtelApi | false | undefined;
  /** For `server.http()`, `server.fetch` and `server.node`. */
  readonly http?: HttpServeOptions | undefined;
}

export interface ServerOptions<State extends object = CallState, Tools extends DefinedTools = DefinedTools>
  extends ServingOptions {
  /** Makes the state of each call, which middleware fills and handlers read: `state: () => ({ user: '' })`. */
  readonly state?: (() => State) | undefined;
  /** Tools by name, made by `defineTool`: with these the compiler knows the server's tools. */
  readonly tools?: Tools | undefined;
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly websiteUrl?: string | undefined;
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
  /** Cache hints of lists. Resources have their own, and are not cached by default. */
  readonly cache?: CacheHints | undefined;
}

export interface ServerTaskOptions {
  /** How long a task is kept, from its creation, unless the client asks for another time. Default: 1 hour. */
  readonly ttlMs?: number;
  /** The longest time that a client may ask for. Default: 24 hours. */
  readonly maxTtlMs?: number;
  /** How often clients should ask for the status. Default: 500 ms. */
  readonly pollIntervalMs?: number;
  /** Tasks that one principal, or one address without a principal, may have. Default: 100. */
  readonly maxPerPeer?: number;
  /** Tasks that may run at once on this node. Default: 1,000. */
  readonly max?: number;
  readonly now?: () => number;
}

export const DEFAULT_TASKS: Required<ServerTaskOptions> = {
  ttlMs: 60 * 60 * 1000,
  maxTtlMs: 24 * 60 * 60 * 1000,
  pollIntervalMs: 500,
  maxPerPeer: 100,
  max: 1_000,
  now: Date.now,
};

export interface RequestStateOptions {
  /** Secrets, newest first. Nodes that share them can finish each other's calls. Random for each process by default. */
  readonly keys?: readonly string[] | undefined;
  /** How long a client may take to answer. */
  readonly ttlMs?: number | undefined;
  readonly now?: (() => number) | undefined;
}

export const DEFAULT_PAGE_SIZE = 1000;
export const DEFAULT_STATE_TTL_MS: number = 60 * 60 * 1000;
const MEBIBYTE = 1024 * 1024;
export const DEFAULT_LIMITS: ServerLimits = {
  concurrentCalls: 1000,
  peerCalls: 2500,
  totalCalls: 10_000,
  batch: 100,
  subscriptions: 1000,
  sessionBytes: 256 * 1024,
  peerStateBytes: 32 * MEBIBYTE,
  stateBytes: 128 * MEBIBYTE,
  peerMessageBytes: 64 * MEBIBYTE,
  messageBytes: 256 * MEBIBYTE,
};
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
  tools: true,
  limits: true,
  observe: true,
  telemetry: true,
  http: true,
};

/** For code that no compiler has read. */
export function assertServerOptions(options: Pick<ServerOptions, 'name' | 'version'>): void {
  assertOptionNames('createServer', options, SERVER_OPTIONS);
  for (const name of ['name', 'version'] as const) {
    const given: unknown = options[name];
    if (typeof given !== 'string' || given === '')
      throw new TypeError(
        `createServer needs a ${name}: createServer({ name: 'weather', version: '1.0.0' })`,
      );
  }
}
