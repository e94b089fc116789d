/**
 * One connection to an upstream server, opened when it is first needed and again after it was lost. It knows the calls
 * that run on it, and so whom a question or a log message of the server concerns.
 */

import type { ServerNotification } from '../client/events.js';
import { startLimit } from '../client/options.js';
import { connectRelay, type Relay, type RelayedRequest, type RelayOptions } from '../client/relay.js';
import type { Target } from '../client/target.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import type { JsonObject } from '../jsonrpc/message.js';
import { invalidRequest, McpError, ProtocolError } from '../protocol/errors.js';
import type { ListKind } from '../protocol/list-kind.js';
import { LOG_LEVELS, type LogLevel } from '../protocol/model/logging.js';
import type { Answer } from '../protocol/revisions/result-text.js';
import type { CloseReason } from '../transports/transport.js';
import { type Asker, isAsker, onlyAsker, refusalFor, relatedTask } from './asker.js';
import { completesUndeclared } from './completes.js';
import { DriftError } from './lock/drift.js';
import type { LockGuard } from './lock/guard.js';
import type { ProcessSlots } from './process-slots.js';
import type { ServerEvent } from './server-events.js';
import { ServerReport } from './server-report.js';
import { afterTrailingLogs, logsBySession } from './session-logs.js';
import type { StartAttempts } from './start-attempts.js';
import { isRemoteTarget } from './targets.js';
import { describeUnavailable, ServerUnavailableError } from './unavailable.js';

export interface InstanceEvents {
  /** `completes`: what the capabilities of its revision cannot say. */
  connected(instance: Instance, relay: Relay, completes: boolean): void;
  /** The connection was lost, not closed by us. */
  lost(instance: Instance): void;
  /** The connection was closed because it was idle; the next call opens another. */
  suspended(instance: Instance): void;
  /** It could not be opened. */
  unopened(instance: Instance): void;
  changed(instance: Instance, kind: ListKind): void;
  /** A question outside of all calls. */
  asked(instance: Instance, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** A notification that belongs to no call that we know of. */
  notified(instance: Instance, notification: ServerNotification): void;
  failed(error: unknown): void;
  /** For operators. */
  happened(event: ServerEvent): void;
}

export interface InstanceOptions
  extends Omit<RelayOptions, 'answer' | 'onNotification' | 'onClose' | 'onChanged'> {
  /** The server, for messages. */
  readonly name: string;
  /** Where it is. */
  readonly target: Target;
  /** Shared by all connections to the server. */
  readonly attempts: StartAttempts;
  /** A single caller uses it, so its messages concern that caller only. */
  readonly exclusive: boolean;
  /** Where the number of connections is limited. */
  readonly slots?: ProcessSlots | undefined;
  /** Where the server is held to a lock. */
  readonly guard?: LockGuard | undefined;
}

export interface OwnedRequest extends RelayedRequest {
  readonly owner: Asker | undefined;
  /**
   * The caller hears log messages during this call and at no other time, while the server sends them when it likes:
   * over HTTP they travel on a stream of their own, and may come in just behind the result.
   */
  readonly logs?: boolean;
}

const TAKEN_OUT = 'it was taken out of the chain';

export class Instance {
  readonly name: string;
  readonly running: InFlight<Asker> = new InFlight();
  /** Whose the tasks of the server are that are followed here, by id. */
  readonly taskAskers: Map<string, Asker> = new Map();
  /** Calls are numbered in the order in which they began. */
  #lastSeat = 0;
  readonly #options: InstanceOptions;
  readonly #events: InstanceEvents;
  readonly #report: ServerReport;
  /** Ends an attempt to connect, which may wait for a slow server, when the connection is no longer wanted. */
  readonly #closing = new AbortController();
  #opening: Promise<Relay> | undefined;
  #openingSince = 0;
  /** A client has been answered without it. */
  #awaited = false;
  #relay: Relay | undefined;
  #logLevel: LogLevel | undefined;
  readonly #idle = new Set<() => void>();
  #closed = false;
  /** Calls in flight, also those without a caller. */
  #busy = 0;
  #lastUse = 0;
  #freeSlot: (() => void) | undefined;
  lastError: unknown;

  constructor(options: InstanceOptions, events: InstanceEvents) {
    this.name = options.name;
    this.#options = options;
    this.#events = events;
    this.#report = new ServerReport(options.name, (event) => events.happened(event));
  }

  /** Whether every node of the chain reaches the same server by it. */
  get isRemote(): boolean {
    return isRemoteTarget(this.#options.target);
  }

  /** The open connection, if there is one at this moment. */
  get relay(): Relay | undefined {
    return this.#relay;
  }

  /** Since when no call has run here, in terms of `performance.now()`; undefined while one does. */
  get idleSince(): number | undefined {
    return this.#busy > 0 || this.#opening !== undefined ? undefined : this.#lastUse;
  }

  /** It was closed for good. */
  get isClosed(): boolean {
    return this.#closed;
  }

  get attempts(): StartAttempts {
    return this.#options.attempts;
  }

  /** For how long it has been opening; undefined when it is not. */
  get openingMs(): number | undefined {
    return this.#opening === undefined ? undefined : performance.now() - this.#openingSince;
  }

  /** A client goes on without it, and wants to know when it is there. */
  awaitLater(): void {
    if (this.#relay === undefined) this.#awaited = true;
  }

  /** Whether some client waits to hear that it is there; asked once for each connection. */
  wasAwaited(): boolean {
    const awaited = this.#awaited;
    this.#awaited = false;
    return awaited;
  }

  open(): Promise<Relay> {
    if (this.#closed) return Promise.reject(new ServerUnavailableError(this.name, TAKEN_OUT));
    const refusal = this.#options.guard?.refusal;
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#relay !== undefined) return Promise.resolve(this.#relay);
    if (this.#opening !== undefined) return this.#opening;
    this.#openingSince = performance.now();
    this.#opening = this.#connect().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  request(request: OwnedRequest): Promise<JsonObject> {
    const send = (relay: Relay): Promise<JsonObject> => relay.request(request);
    return this.#relay === undefined
      ? this.open().then((relay) => this.#send(relay, request, send))
      : this.#send(this.#relay, request, send);
  }

  /** The same for a caller that hands the result on as it is. */
  pass(request: OwnedRequest): Promise<Answer> {
    const send = (relay: Relay): Promise<Answer> => relay.pass(request);
    return this.#relay === undefined
      ? this.open().then((relay) => this.#send(relay, request, send))
      : this.#send(this.#relay, request, send);
  }

  #send<T>(relay: Relay, request: OwnedRequest, send: (relay: Relay) => Promise<T>): Promise<T> {
    const { owner } = request;
    this.#lastSeat += 1;
    const seat = this.#lastSeat;
    if (owner !== undefined) this.running.set(seat, owner);
    this.#busy += 1;
    return send(relay).then(
      (result) => {
        if (request.logs === true) return afterTrailingLogs(result).finally(() => this.#left(seat));
        this.#left(seat);
        return result;
      },
      (error: unknown) => {
        this.#left(seat);
        throw this.#failure(error, request.method);
      },
    );
  }

  #left(seat: number): void {
    this.running.take(seat);
    this.#busy -= 1;
    if (this.#options.slots !== undefined) this.#lastUse = performance.now();
    if (this.#idle.size > 0 && this.running.size === 0) for (const idle of this.#idle) idle();
  }

  /** Makes the upstream session at least as talkative as this; only its only user may quiet it again. */
  async setLogLevel(level: LogLevel): Promise<void> {
    const relay = this.#relay;
    if (relay !== undefined && !logsBySession(relay)) return;
    const current = this.#logLevel;
    const quieter = current !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(current);
    if (quieter && (!this.#options.exclusive || level === current)) return;
    this.#logLevel = level;
    // A server that is not there yet gets it when it is.
    await relay?.client.logging.setLevel(level);
  }

  /** Resolves when no call runs here, or when the time is up. */
  whenIdle(withinMs: number): Promise<void> {
    if (this.running.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#idle.delete(done);
        resolve();
      };
      const timer = setTimeout(done, withinMs);
      this.#idle.add(done);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.abort();
    const relay = this.#relay ?? (await this.#opening?.catch(() => undefined));
    await this.#part(relay);
  }

  /** Ends the connection, and the process behind it, until the next call. */
  async suspend(): Promise<void> {
    if (this.#relay === undefined) return;
    this.#events.suspended(this);
    await this.#part(this.#relay);
  }

  async #part(relay: Relay | undefined): Promise<void> {
    const freeSlot = this.#freeSlot;
    this.#relay = undefined;
    this.#freeSlot = undefined;
    await relay?.close().catch((error: unknown) => this.#events.failed(error));
    freeSlot?.();
  }

  async #connect(): Promise<Relay> {
    const { attempts, slots, target, initTimeout } = this.#options;
    const freeSlot = await this.#acquire(slots);
    if (!attempts.admit()) {
      freeSlot?.();
      const next = `it is tried again in ${Math.ceil(attempts.waitMs / 1_000)} s at the earliest`;
      throw new ServerUnavailableError(this.name, `${describeUnavailable(attempts.lastError)}; ${next}`);
    }
    let relay: Relay;
    let completes: boolean;
    try {
      this.#report.starting(startLimit(target, initTimeout));
      relay = await this.#relayed();
      completes = await completesUndeclared(relay);
    } catch (error) {
      freeSlot?.();
      throw this.#unopened(error);
    } finally {
      this.#report.ended();
    }
    attempts.reset();
    this.lastError = undefined;
    if (this.#closed) {
      await relay.close();
      freeSlot?.();
      throw new ServerUnavailableError(this.name, TAKEN_OUT);
    }
    this.#relay = relay;
    this.#freeSlot = freeSlot;
    this.#lastUse = performance.now();
    this.#report.ready();
    this.#events.connected(this, relay, completes);
    this.#restoreLogLevel(relay);
    return relay;
  }

  async #acquire(slots: ProcessSlots | undefined): Promise<(() => void) | undefined> {
    try {
      return await slots?.acquire(this.#closing.signal);
    } catch (error) {
      throw this.#closed ? new ServerUnavailableError(this.name, TAKEN_OUT) : error;
    }
  }

  async #relayed(): Promise<Relay> {
    const { target, guard, name: _, attempts: __, exclusive: ___, slots: ____, ...options } = this.#options;
    let relay: Relay | undefined;
    relay = await connectRelay(this.#report.listenTo(target), {
      // The downstream client sets its own time limit.
      timeout: 300_000,
      maxTimeout: Number.POSITIVE_INFINITY,
      cache: false,
      validateOutput: false,
      signal: this.#closing.signal,
      ...options,
      answer: (_revision, method, params, context) =>
        this.#answer(method, params, context.call?.owner, context.signal),
      onChanged: (kind) => this.#events.changed(this, kind),
      onNotification: (notification) => this.#notified(notification),
      onClose: (reason) => this.#lost(relay, reason),
    });
    await guard?.admit(relay).catch((error: unknown) => relay?.close().then(() => Promise.reject(error)));
    return relay;
  }

  #lost(relay: Relay | undefined, reason: CloseReason): void {
    if (relay === undefined || this.#relay !== relay) return;
    this.#relay = undefined;
    this.#freeSlot?.();
    this.#freeSlot = undefined;
    this.#report.lost(reason);
    this.#events.lost(this);
  }

  #unopened(error: unknown): ServerUnavailableError | DriftError {
    if (this.#closed) {
      this.attempts.abandoned();
      return new ServerUnavailableError(this.name, TAKEN_OUT, error);
    }
    this.lastError = error;
    if (error instanceof DriftError) return error;
    this.attempts.failed(error);
    this.#report.failed(error, this.attempts);
    this.#events.unopened(this);
    return new ServerUnavailableError(this.name, describeUnavailable(error), error);
  }

  /** A server that was started again knows nothing of what was asked of the one before. */
  #restoreLogLevel(relay: Relay): void {
    const level = this.#logLevel;
    if (level === undefined || !logsBySession(relay)) return;
    relay.client.logging.setLevel(level).catch((error: unknown) => this.#events.failed(error));
  }

  async #answer(
    method: string,
    params: JsonObject,
    owner: unknown,
    signal: AbortSignal,
  ): Promise<JsonObject> {
    const { exclusive } = this.#options;
    try {
      const asker = isAsker(owner)
        ? owner
        : (this.taskAskers.get(relatedTask(params) ?? '') ??
          onlyAsker(this.#callers(), exclusive) ??
          onlyAsker(this.running.inOrder(), exclusive));
      if (asker === 'ambiguous') {
        throw invalidRequest(
          `Calls of several clients run here, and ${method} does not identify one of them; ` +
            'run the server once for each session (isolate: "session")',
        );
      }
      return await (asker === undefined
        ? this.#events.asked(this, method, params, signal)
        : asker.ask(method, params, signal));
    } catch (error) {
      throw refusalFor(method, error);
    }
  }

  /** Calls that servers ask and log for, in the order in which they began. */
  #callers(): Asker[] {
    return this.running.inOrder().filter(({ yields }) => yields !== true);
  }

  #notified(notification: ServerNotification): void {
    const { method, params, owner } = notification;
    if (isAsker(owner)) {
      owner.notify(method, params);
      return;
    }
    const asker =
      method === 'notifications/message' ? onlyAsker(this.#callers(), this.#options.exclusive) : undefined;
    // What one caller's call made the server log is none of the others' business.
    if (asker === 'ambiguous') return;
    if (asker === undefined) this.#events.notified(this, notification);
    else asker.notify(method, params);
  }

  #failure(error: unknown, method: string): unknown {
    if (error instanceof ProtocolError || !(error instanceof McpError)) return error;
    if (error.code === 'cancelled') return error;
    this.lastError = error;
    this.#events.happened({ type: 'call_failed', server: this.name, method, error });
    const stopped = `it stopped during ${method}; the next call starts it again`;
    const what = error.code === 'connection_closed' ? stopped : describeUnavailable(error);
    return new ServerUnavailableError(this.name, what, error, true);
  }
}
