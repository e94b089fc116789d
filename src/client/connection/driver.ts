/**
 * Performs what the machine decides: opens and closes connections, waits, and lets calls wait. It is the only one who
 * knows which connection counts, so that what an older one still reports changes nothing.
 */

import { McpError, ProtocolError } from '../../protocol/errors.js';
import { TransportError } from '../../transports/errors.js';
import type { CloseReason } from '../../transports/transport.js';
import { ConnectionClosedError, messageOf, StateError, TimeoutError } from '../errors.js';
import { KeepAlive } from '../recovery/keep-alive.js';
import { WaitingCalls, type WaitLimits } from '../recovery/waiting-calls.js';
import type { Target } from '../target.js';
import type { ClientConnection, ConnectionOwner } from './connection.js';
import {
  type Effect,
  INITIAL_STATE,
  type MachineEvent,
  type MachineState,
  type ReconnectPolicy,
  type StateName,
  transition,
} from './machine.js';
import { type ConnectionAttempt, openConnection, renewSession, reviveConnection } from './open.js';

/** One step of a connection's life, for listeners. */
export interface StateChange {
  readonly state: StateName;
  readonly previous: StateName;
  /** How often it was tried again since it last worked. */
  readonly retries: number;
  /** How long until the next attempt, in `backoff`. */
  readonly delayMs: number | undefined;
  /** Why the connection was lost, or the attempt failed. */
  readonly error: unknown;
}

export interface DriverHost extends ConnectionOwner {
  /** Puts a connection to use, and brings it up to what is wanted. */
  attach(connection: ClientConnection): Promise<void>;
  changed(change: StateChange): void;
  /** Calls go out again. `first` where there was no connection before. */
  resumed(first: boolean): void;
  finished(reason: CloseReason): void;
}

interface CurrentAttempt {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** How often to look whether the last call has ended. */
const DRAIN_POLL_MS = 10;

/** Whether the server was reached over the connection of before, and that is no longer of use: begin from nothing. */
function isUseless(error: unknown): error is Error {
  if (error instanceof ProtocolError || error instanceof TimeoutError) return true;
  return (
    error instanceof McpError && (error.code === 'handshake_failed' || error.code === 'no_common_revision')
  );
}

export class Driver {
  readonly #target: Target;
  readonly #host: DriverHost;
  readonly #policy: ReconnectPolicy;
  readonly #waiting: WaitingCalls;
  readonly #keepAlive: KeepAlive;
  /** Connections on their way out. */
  readonly #leaving = new Set<Promise<void>>();
  /** The last of those that never stood: a program is not started again before it has left. */
  #failed: Promise<void> | undefined;
  readonly #events: [MachineEvent, unknown][] = [];
  #state: MachineState = INITIAL_STATE;
  #handling = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt: CurrentAttempt | undefined;
  #connection: ClientConnection | undefined;
  #established = false;
  #error: unknown;
  #reason: CloseReason = { kind: 'local' };
  #ending: Promise<void> = Promise.resolve();
  #suspecting = false;
  #drainUntil = 0;
  #first: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(target: Target, host: DriverHost, policy: ReconnectPolicy) {
    const { settings } = host;
    this.#target = target;
    this.#host = host;
    this.#policy = policy;
    this.#waiting = new WaitingCalls(settings.maxWaiting, () => this.state);
    this.#keepAlive = new KeepAlive(settings.keepAlive, (connection, error) =>
      this.#unanswered(connection, error),
    );
  }

  get state(): StateName {
    return this.#state.name;
  }

  get isReady(): boolean {
    return this.#state.name === 'ready';
  }

  get recovers(): boolean {
    return this.#policy.recover;
  }

  /** Why the last connection or attempt failed. */
  get error(): unknown {
    return this.#error;
  }

  /** Resolves when the first connection stands, at once where that may come later. */
  async connect(signal: AbortSignal | undefined): Promise<void> {
    const abort = (): void => {
      if (this.#policy.lazy) void this.close();
      else this.#attempt?.controller.abort(signal?.reason);
    };
    const established = new Promise<void>((resolve, reject) => {
      this.#first = { resolve, reject };
    });
    const settled = established.finally(() => signal?.removeEventListener('abort', abort));
    this.#dispatch({ type: 'connect' });
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) abort();
    if (!this.#policy.lazy) return settled;
    settled.catch(() => {});
  }

  /** Calls under way get so many milliseconds to end; no call goes out any more. */
  close(drainMs = 0): Promise<void> {
    this.#drainUntil = this.#host.settings.clock() + drainMs;
    this.#dispatch({ type: 'close' });
    return this.#ending;
  }

  /** Does not wait for the end of a backoff. */
  hurry(): void {
    this.#dispatch({ type: 'hurry' });
  }

  /** Resolves when calls can go out. */
  ready(patience: WaitLimits): Promise<void> {
    if (this.isReady) return Promise.resolve();
    const over = this.#over();
    return over === undefined ? this.#waiting.wait(patience) : Promise.reject(over);
  }

  /** For a call that does not want to wait. */
  refusal(method: string): Error {
    const next = "look at client.state, or set whenNotReady: 'wait'";
    return this.#over() ?? new StateError(method, this.state, next, this.#error);
  }

  /** The connection has ended. */
  closed(connection: ClientConnection, error: ConnectionClosedError): void {
    if (connection !== this.#connection) return;
    this.#reason = error.reason;
    if (this.#attempt === undefined) this.#lost(error);
    // A peer that ended its side may have left a process or a socket.
    if (this.state !== 'closing') this.#leave(connection.link.close());
  }

  /** The server could not be reached, over a transport where that is no end of a connection. */
  unreachable(connection: unknown, error: unknown): void {
    if (connection === this.#connection && this.isReady && this.#policy.recover) this.#lost(error);
  }

  /** The server has forgotten the session. */
  forgotten(connection: unknown, error: unknown): void {
    if (connection === this.#connection) this.#dispatch({ type: 'forgotten' }, error);
  }

  /**
   * A call was not answered. When a ping is not answered either and no other call waits, the server hangs.
   */
  async suspect(suspected: unknown): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection !== suspected || this.#suspecting) return;
    // A call with more time than the one that failed may still get its answer.
    if (!this.#policy.recover || !this.isReady || connection.link.waiting > 0) return;
    this.#suspecting = true;
    const { received } = connection.link;
    try {
      await connection.era.ping({ timeout: this.#host.settings.keepAlive.timeoutMs });
    } catch (error) {
      const alive = error instanceof ProtocolError || connection.link.received > received;
      if (!alive) this.#unanswered(connection, error);
    } finally {
      this.#suspecting = false;
    }
  }

  #unanswered(connection: ClientConnection, cause: unknown): void {
    if (connection !== this.#connection || !this.isReady) return;
    if (cause instanceof TransportError) {
      if (cause.code === 'session_lost') this.forgotten(connection, cause);
      else this.unreachable(connection, cause);
      return;
    }
    if (!(cause instanceof TimeoutError)) return;
    const error = new Error(`it does not answer: ${messageOf(cause)}`, { cause });
    this.#leave(connection.link.condemn({ kind: 'error', error }));
  }

  #lost(error: unknown): void {
    this.#dispatch({ type: 'lost', chance: this.#host.settings.random() }, error);
  }

  /** Events during an event wait for their turn: a listener may close the client from inside. */
  #dispatch(event: MachineEvent, error?: unknown): void {
    this.#events.push([event, error]);
    if (this.#handling) return;
    this.#handling = true;
    try {
      for (let next = this.#events.shift(); next !== undefined; next = this.#events.shift()) {
        this.#handle(...next);
      }
    } finally {
      this.#handling = false;
    }
  }

  #handle(event: MachineEvent, error: unknown): void {
    const previous = this.#state;
    const { state, effects } = transition(previous, event, this.#policy);
    this.#state = state;
    if (error !== undefined) this.#error = error;
    if (state !== previous && state.name !== previous.name) {
      if (previous.name === 'ready') this.#keepAlive.stop();
      this.#host.changed({
        state: state.name,
        previous: previous.name,
        retries: 'retries' in state ? state.retries : 0,
        delayMs: state.name === 'backoff' ? state.delay : undefined,
        error,
      });
    }
    for (const effect of effects) this.#perform(effect);
  }

  #perform(effect: Effect): void {
    switch (effect.type) {
      case 'open':
        this.#start((attempt) => this.#open(attempt));
        return;
      case 'renew':
        this.#start((attempt) => this.#renew(attempt));
        return;
      case 'wait':
        this.#waiting.refuseImpatient(this.#error);
        this.#timer = setTimeout(() => this.#dispatch({ type: 'elapsed' }), effect.delay);
        return;
      case 'stop_waiting':
        clearTimeout(this.#timer);
        return;
      case 'resume':
        this.#resume();
        return;
      case 'refuse':
        this.#waiting.refuse(this.#error);
        return;
      case 'shut':
        this.#ending = this.#shut();
        return;
      case 'finish':
        this.#finish();
    }
  }

  #start(open: (attempt: ConnectionAttempt) => Promise<ClientConnection>): void {
    const controller = new AbortController();
    const attempt: CurrentAttempt = { controller, done: this.#try(open, controller.signal) };
    this.#attempt = attempt;
  }

  async #try(
    open: (attempt: ConnectionAttempt) => Promise<ClientConnection>,
    signal: AbortSignal,
  ): Promise<void> {
    let outcome: MachineEvent;
    let failure: unknown;
    try {
      const connection = await open({
        signal,
        opened: () => this.#dispatch({ type: 'opened' }),
        leaves: (closing) => {
          this.#failed = this.#leave(closing);
        },
      });
      this.#connection = connection;
      if (signal.aborted) throw signal.reason;
      await this.#host.attach(connection);
      if (connection.link.ended !== undefined) throw connection.link.ended;
      outcome = { type: 'agreed' };
    } catch (error) {
      failure = error;
      outcome = { type: 'failed', chance: this.#host.settings.random() };
    }
    this.#attempt = undefined;
    this.#dispatch(outcome, failure);
    // Whoever waits for the first connection need not wait until the program has left.
    if (this.state === 'closing' && !this.#established) this.#first?.reject(failure);
    // Without recovery a failed renewal leaves the old connection in place, unless that has ended meanwhile.
    const ended = this.#connection?.link.ended;
    if (this.isReady && ended !== undefined) this.#lost(ended);
  }

  async #open(attempt: ConnectionAttempt): Promise<ClientConnection> {
    const last = this.#connection;
    const usable = last !== undefined && last.link.ended === undefined;
    if (!usable) {
      if (this.#failed !== undefined) await this.#failed;
      return openConnection(this.#target, this.#host, attempt);
    }
    try {
      return await reviveConnection(last, this.#host, attempt);
    } catch (error) {
      if (isUseless(error)) this.#leave(last.link.condemn({ kind: 'error', error }));
      throw error;
    }
  }

  #renew(attempt: ConnectionAttempt): Promise<ClientConnection> {
    const last = this.#connection;
    return last === undefined ? this.#open(attempt) : renewSession(last, this.#host, attempt);
  }

  #resume(): void {
    const first = !this.#established;
    this.#established = true;
    this.#error = undefined;
    if (this.#connection !== undefined) this.#keepAlive.start(this.#connection);
    this.#first?.resolve();
    this.#waiting.resume();
    this.#host.resumed(first);
  }

  async #shut(): Promise<void> {
    if (this.#mayDrain()) await this.#drained();
    this.#attempt?.controller.abort(new Error('The client was closed'));
    this.#leaveCurrent();
    await this.#attempt?.done;
    this.#leaveCurrent();
    while (this.#leaving.size > 0) await Promise.all(this.#leaving);
    this.#dispatch({ type: 'ended' });
  }

  /** Whether there are calls under way that still have time. */
  #mayDrain(): boolean {
    const { clock } = this.#host.settings;
    if (this.#attempt !== undefined || this.#connection === undefined) return false;
    const { link } = this.#connection;
    return link.ended === undefined && this.#connection.calls > 0 && clock() < this.#drainUntil;
  }

  async #drained(): Promise<void> {
    while (this.#mayDrain()) await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
  }

  #finish(): void {
    const error = this.#over();
    this.#first?.reject(this.#established ? error : (this.#error ?? error));
    this.#waiting.refuse(error);
    this.#host.finished(this.#reason);
  }

  #leaveCurrent(): void {
    if (this.#connection !== undefined) this.#leave(this.#connection.link.close());
  }

  #leave(closing: Promise<void>): Promise<void> {
    const left = closing
      .catch((cause: unknown) => {
        const message = `A connection could not be closed: ${messageOf(cause)}`;
        this.#host.fault({ kind: 'write', message, cause });
      })
      .finally(() => this.#leaving.delete(left));
    this.#leaving.add(left);
    return left;
  }

  /** Why there will be no connection any more, once that is so. */
  #over(): Error | undefined {
    if (this.state !== 'closed' && this.state !== 'closing') return undefined;
    const { link } = this.#connection ?? {};
    return link?.ended ?? new ConnectionClosedError(link?.label ?? 'the server', this.#reason);
  }
}
