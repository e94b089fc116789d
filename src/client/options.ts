/** What users may set, for a client and for each call, and the defaults behind it. */

import type { DeclaredExtension, Extension } from '../extensions/extension.js';
import { tasksExtension } from '../extensions/tasks/definition.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { createTelemetry, type Observe, type Telemetry } from '../middleware/observe.js';
import type { OtelApi } from '../middleware/opentelemetry.js';
import { findTracer } from '../middleware/tracer.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { given } from '../protocol/given.js';
import type { Implementation } from '../protocol/model/base.js';
import type { ClientCapabilities, NamedSettings } from '../protocol/model/capabilities.js';
import type { LogLevel, LogMessageParams } from '../protocol/model/logging.js';
import type { RequestMeta } from '../protocol/model/meta.js';
import type { ProgressParams } from '../protocol/model/notifications.js';
import { type Revision, selectRevisions } from '../protocol/revisions/index.js';
import { byteCount, type Size } from '../protocol/size.js';
import { PLUMB_VERSION } from '../protocol/version.js';
import type { Authorizer } from '../transports/http/client/authorization.js';
import type { HttpTransportOptions } from '../transports/http/client/transport.js';
import { declaredCapabilities } from './connection/capabilities.js';
import { type EraVerdicts, SHARED_VERDICTS } from './connection/era-verdicts.js';
import { DEFAULT_POLICY, type ReconnectPolicy } from './connection/machine.js';
import type { ClientFault, ServerNotification } from './events.js';
import type { TaskState } from './features/task-state.js';
import type { AskHandlers } from './input/asks.js';
import type { KeepAliveSettings } from './recovery/keep-alive.js';
import { isProgram, type Target } from './target.js';

/** Options of `connect`. */
export interface ConnectOptions extends AskHandlers {
  /** How this client introduces itself. */
  readonly name?: string | undefined;
  /** The version by which the server knows this program. */
  readonly version?: string | undefined;
  /** The name for people. */
  readonly title?: string | undefined;
  /** Capabilities beyond those that follow from the handlers given. */
  readonly capabilities?: ClientExtras | undefined;
  /** Extensions that this client declares to the server: `[weather]`, or `[weather.with({ unit: 'C' })]`. */
  readonly extensions?: readonly (Extension | DeclaredExtension)[] | undefined;
  /**
   * Whether the server may answer calls of tools with tasks, which `client.tools.call` then follows to their end. It
   * may unless false.
   */
  readonly tasks?: boolean | undefined;
  /** The protocol revisions to use. Default: all of them. */
  readonly revisions?: readonly string[] | undefined;

  /** How long a call may take: `'30s'`, or a number of milliseconds. Default: 30 s. `Infinity` waits for ever. */
  readonly timeout?: Duration | undefined;
  /** How long a call may take however much progress it reports. Default: 5 min. */
  readonly maxTimeout?: Duration | undefined;
  /** How long the server may take to start and to agree on a revision. Default: 60 s for a process, 70 s for others. */
  readonly initTimeout?: Duration | undefined;
  /**
   * How long to wait for an answer in the stateless way before trying the handshake too. Default: 3 s, and
   * never more than half of `initTimeout`.
   */
  readonly probeTimeout?: Duration | undefined;

  /**
   * Whether a lost connection is opened again, and how. On unless false, for targets that can be opened again; a
   * transport given as such cannot.
   */
  readonly recover?: boolean | RecoverOptions | undefined;
  /** `connect` resolves at once and connects in the background, as often as it takes. */
  readonly lazy?: boolean | undefined;
  /** What becomes of a call while there is no connection: it fails at once (the default), or waits for one. */
  readonly whenNotReady?: WhenNotReady | undefined;
  /** How many calls may wait for a connection. Default: 1,000. */
  readonly maxWaiting?: number | undefined;
  /** Pings an idle connection at this interval, and waits `timeout` for the answer. Default: off, and 10 s. */
  readonly keepAlive?: Duration | KeepAliveOptions | undefined;
  /** The longest message that is read: `'16MB'`, or a number of bytes. Default: the limit of the target, or 16 MiB. */
  readonly maxFrameBytes?: Size | undefined;

  /** The least severe log message wanted. */
  readonly logLevel?: LogLevel | undefined;
  /** Receives log messages of the server. */
  readonly onLog?: ((message: LogMessageParams) => unknown) | undefined;
  /** Receives every notification of the server. */
  readonly onNotification?: ((notification: ServerNotification) => unknown) | undefined;
  /** Receives what the server did wrong and the client tolerated. */
  readonly onFault?: ((fault: ClientFault) => unknown) | undefined;

  /** Reuse of results for as long as the server allows; on unless false. */
  readonly cache?: boolean | ClientCacheOptions | undefined;
  /** How often a server may ask for input within one call. Default: 8. */
  readonly maxInputRounds?: number | undefined;
  /** How many questions of the server (sampling, elicitation, roots) may be open at a time. Default: 1,000. */
  readonly maxQuestions?: number | undefined;
  /** How many bytes the questions that are open may have together. Default: 64 MiB. */
  readonly maxQuestionBytes?: Size | undefined;
  /** How many pages a list may have. Default: 1,000. */
  readonly maxPages?: number | undefined;
  /** How many bytes (about) the pages of a list may have together. Default: 64 MiB. */
  readonly maxListBytes?: Size | undefined;
  /** Whether `structuredContent` is checked against the tool's output schema, where known; it is unless false. */
  readonly validateOutput?: boolean | undefined;
  /** What earlier connections found out about servers. Default: shared by the whole process. */
  readonly verdicts?: EraVerdicts | undefined;
  /** Gets and renews credentials for a server behind a URL: `oauth()` and its relatives of `plumb-mcp/auth`. */
  readonly auth?: Authorizer | undefined;
  /** Sent with every request to a server behind a URL. */
  readonly headers?: HttpTransportOptions['headers'];
  /** Used for a server behind a URL instead of the runtime's own HTTP client. */
  readonly fetch?: HttpTransportOptions['fetch'];
  /** Ends the attempt to connect. */
  readonly signal?: AbortSignal | undefined;
  /** Gets a record of every request, change of state, retry, stray answer and violation. */
  readonly observe?: Observe | undefined;
  /**
   * Spans and metrics through OpenTelemetry. By default they are made when an SDK is registered in this process; the
   * API (`import * as api from '@opentelemetry/api'`) may be given too, and false switches them off.
   */
  readonly telemetry?: OtelApi | false | undefined;
  /** Milliseconds that only grow; for tests. */
  readonly clock?: (() => number) | undefined;
  /** Numbers from 0 to 1; for tests. */
  readonly random?: (() => number) | undefined;
}

export interface ClientCacheOptions {
  /** How many results are remembered. Default: 200. */
  readonly maxEntries?: number | undefined;
  /** How many bytes (about) they may have together. Default: 64 MiB. */
  readonly maxBytes?: Size | undefined;
}

export type WhenNotReady = 'fail' | 'wait';

export interface RecoverOptions {
  /** The wait before the first attempt. Default: 1 s. It doubles with each. */
  readonly initialDelay?: Duration | undefined;
  /** The longest wait, chance included. Default: 30 s. */
  readonly maxDelay?: Duration | undefined;
  /** The share of the wait that is left to chance, in both directions. Default: 0.2. */
  readonly jitter?: number | undefined;
  /** Attempts in a row after which the client closes. Default: no limit. */
  readonly maxRetries?: number | undefined;
  /** How often a call that may be repeated is sent again after it was lost. Default: once. */
  readonly maxReplays?: number | undefined;
}

export interface KeepAliveOptions {
  /** How often an idle connection is pinged. Default: never. */
  readonly interval?: Duration | undefined;
  /** How long the answer may take. Default: 10 s. */
  readonly timeout?: Duration | undefined;
}

export interface ClientExtras {
  readonly experimental?: NamedSettings | undefined;
  readonly extensions?: NamedSettings | undefined;
}

/** Options of a single call. */
export interface CallOptions {
  /** How long this call may take; progress starts it again. Default: that of the client. */
  readonly timeout?: Duration | undefined;
  /** How long this call may take, progress or not. Default: that of the client. */
  readonly maxTimeout?: Duration | undefined;
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Asks the server for progress. */
  readonly onProgress?: ((progress: ProgressParams) => unknown) | undefined;
  /** Hears what the server says about a call that runs as a task. */
  readonly onStatus?: ((task: TaskState) => unknown) | undefined;
  /** More for the request's `_meta`. */
  readonly meta?: RequestMeta | undefined;
  /**
   * Whether the call may be sent again when the connection was lost under it. Lists, reads and tools that the server
   * declares read-only or idempotent are unless false; others are not unless true.
   */
  readonly retry?: boolean | undefined;
  /** As in the options of `connect`, for this call. */
  readonly whenNotReady?: WhenNotReady | undefined;
  /** `reload` fetches anew and remembers, `no-store` does neither. */
  readonly cache?: 'default' | 'reload' | 'no-store' | undefined;
}

/** Goes on after a result of a type that an extension added, to the result that the caller gets. */
export interface ResultTypeHandler {
  /** The methods whose results may be of that type. */
  readonly methods: readonly string[];
  follow(result: JsonObject, call: FollowedCall): Promise<JsonObject>;
}

/** The call that was answered so. */
export interface FollowedCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly options: CallOptions;
}

/** On whose behalf a request is made, where that is not this client itself. */
export interface Sender {
  readonly info: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
}

/** The options with every default filled in. */
export interface Settings {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  readonly handlers: AskHandlers;
  /** What goes on after a result of a type that an extension added. */
  readonly resultTypes: Map<string, ResultTypeHandler>;
  readonly revisions: readonly Revision[];
  readonly timeout: number;
  readonly maxTimeout: number;
  readonly initTimeout: number;
  readonly probeTimeout: number;
  readonly policy: ReconnectPolicy;
  readonly maxReplays: number;
  readonly whenNotReady: WhenNotReady;
  readonly maxWaiting: number;
  readonly keepAlive: KeepAliveSettings;
  readonly maxFrameBytes: number;
  readonly maxInputRounds: number;
  readonly maxQuestions: number;
  readonly maxQuestionBytes: number;
  readonly maxPages: number;
  readonly maxListBytes: number;
  readonly maxCacheEntries: number;
  readonly maxCacheBytes: number;
  readonly validateOutput: boolean;
  readonly verdicts: EraVerdicts;
  readonly auth: Authorizer | undefined;
  readonly headers: HttpTransportOptions['headers'];
  readonly fetch: HttpTransportOptions['fetch'];
  readonly signal: AbortSignal | undefined;
  readonly telemetry: Telemetry | undefined;
  readonly clock: () => number;
  readonly random: () => number;
}

const DEFAULT_CACHE_ENTRIES = 200;
/** The first start of a package that has to be downloaded takes 20 to 60 s. */
const DEFAULT_START_TIMEOUT = 60_000;
/** A URL or a server object may be a chain that is just starting a program, and that reports why it does not start. */
const DEFAULT_INIT_TIMEOUT: number = DEFAULT_START_TIMEOUT + 10_000;
const DEFAULT_PROBE_TIMEOUT = 3_000;
/** How long a sign of life may take. */
const DEFAULT_PING_TIMEOUT = 10_000;

/** What seed and specification call the frame: one line, one body, one event. */
const DEFAULT_MAX_FRAME_BYTES: number = 16 * 1024 * 1024;

/** What a server may make us keep at a time, of one kind: four messages of the greatest length. */
const DEFAULT_TOTAL_BYTES: number = 4 * DEFAULT_MAX_FRAME_BYTES;

/** The same, with what takes a moment to find out. */
export async function completeSettings(options: ConnectOptions, target: Target): Promise<Settings> {
  const { telemetry, observe } = options;
  const tracer = telemetry === false ? undefined : await findTracer(telemetry);
  const settings = resolveSettings({ ...options, initTimeout: startLimit(target, options.initTimeout) });
  return { ...settings, telemetry: createTelemetry(observe, tracer, options.clock) };
}

/** How long a server may take to start and to agree on a revision. */
export function startLimit(target: Target, given: Duration | undefined): number {
  if (given !== undefined) return milliseconds(given);
  return isProgram(target) ? DEFAULT_START_TIMEOUT : DEFAULT_INIT_TIMEOUT;
}

export function resolveSettings(options: ConnectOptions): Settings {
  const { elicit, elicitModes, sample, sampleTools, roots } = options;
  const initTimeout = milliseconds(options.initTimeout ?? DEFAULT_INIT_TIMEOUT);
  return {
    info: {
      name: options.name ?? 'plumb-mcp',
      version: options.version ?? PLUMB_VERSION,
      ...(options.title === undefined ? {} : { title: options.title }),
    },
    capabilities: declaredCapabilities(options, withExtensions(options), options.tasks),
    resultTypes: new Map(),
    handlers: { elicit, elicitModes, sample, sampleTools, roots },
    revisions: selectRevisions(options.revisions),
    timeout: milliseconds(options.timeout ?? 30_000),
    maxTimeout: milliseconds(options.maxTimeout ?? 300_000),
    initTimeout,
    probeTimeout: Math.min(milliseconds(options.probeTimeout ?? DEFAULT_PROBE_TIMEOUT), initTimeout / 2),
    policy: policyOf(options),
    maxReplays: (typeof options.recover === 'object' ? options.recover.maxReplays : undefined) ?? 1,
    whenNotReady: options.whenNotReady ?? 'fail',
    maxWaiting: options.maxWaiting ?? 1_000,
    keepAlive: keepAliveOf(options.keepAlive),
    maxFrameBytes: byteCount(options.maxFrameBytes ?? DEFAULT_MAX_FRAME_BYTES),
    maxInputRounds: options.maxInputRounds ?? 8,
    maxQuestions: options.maxQuestions ?? 1_000,
    maxQuestionBytes: byteCount(options.maxQuestionBytes ?? DEFAULT_TOTAL_BYTES),
    maxPages: options.maxPages ?? 1_000,
    maxListBytes: byteCount(options.maxListBytes ?? DEFAULT_TOTAL_BYTES),
    maxCacheEntries: cacheEntries(options.cache),
    maxCacheBytes: byteCount(
      (typeof options.cache === 'object' ? options.cache.maxBytes : undefined) ?? DEFAULT_TOTAL_BYTES,
    ),
    validateOutput: options.validateOutput ?? true,
    verdicts: options.verdicts ?? SHARED_VERDICTS,
    auth: options.auth,
    headers: options.headers,
    fetch: options.fetch,
    signal: options.signal,
    telemetry: undefined,
    clock: options.clock ?? (() => performance.now()),
    random: options.random ?? Math.random,
  };
}

function withExtensions({
  capabilities = {},
  extensions = [],
  tasks = true,
}: ConnectOptions): Pick<ClientCapabilities, keyof ClientExtras> {
  const known = tasks ? [tasksExtension, ...extensions] : extensions;
  if (known.length === 0) return given(capabilities);
  const declared = known.map((one): [string, JsonObject] =>
    'extension' in one ? [one.extension.id, one.settings] : [one.id, {}],
  );
  return {
    ...given(capabilities),
    extensions: { ...capabilities.extensions, ...Object.fromEntries(declared) },
  };
}

function policyOf({ recover = true, lazy = false }: ConnectOptions): ReconnectPolicy {
  const { initialDelay, maxDelay, jitter, maxRetries } = typeof recover === 'object' ? recover : {};
  return {
    recover: recover !== false,
    lazy,
    maxRetries: maxRetries ?? DEFAULT_POLICY.maxRetries,
    initialDelayMs: milliseconds(initialDelay ?? DEFAULT_POLICY.initialDelayMs),
    maxDelayMs: milliseconds(maxDelay ?? DEFAULT_POLICY.maxDelayMs),
    jitter: jitter ?? DEFAULT_POLICY.jitter,
  };
}

function keepAliveOf(keepAlive: ConnectOptions['keepAlive'] = {}): KeepAliveSettings {
  const { interval = 0, timeout = DEFAULT_PING_TIMEOUT } =
    typeof keepAlive === 'object' ? keepAlive : { interval: keepAlive };
  return { intervalMs: milliseconds(interval), timeoutMs: milliseconds(timeout) };
}

function cacheEntries(cache: ConnectOptions['cache']): number {
  if (cache === false) return 0;
  if (cache === undefined || cache === true) return DEFAULT_CACHE_ENTRIES;
  return cache.maxEntries ?? DEFAULT_CACHE_ENTRIES;
}
