/** What the parts of one HTTP endpoint share on this node. */

import { InFlight } from '../../jsonrpc/in-flight.js';
import type { RequestId } from '../../jsonrpc/message.js';
import type { Store } from '../../store/store.js';
import type { RunningCall } from '../channel.js';
import type { ServerHost } from '../host.js';
import type { Intake } from '../intake.js';
import type { HandshakeEndpoint } from './handshake.js';
import type { SessionStream } from './session-stream.js';
import type { Streams } from './streams.js';

export interface EndpointState {
  readonly host: ServerHost;
  readonly store: Store;
  readonly streams: Streams;
  readonly calls: RunningCalls;
  readonly intake: Intake;
  readonly handshake: HandshakeEndpoint;
  /** Event streams of running calls, by stream id. */
  readonly writers: Map<string, SessionStream>;
}

/** Sessions without calls may be kept until there are this many more of them than sessions with calls. */
const SPARE_SESSIONS = 64;

/** Calls that run on this node, for cancellation: by session and id, or on their own. */
export class RunningCalls {
  /** Those without calls stay for a while: most sessions make one call after the other. */
  readonly #sessions = new Map<string, InFlight<RunningCall>>();
  readonly #others = new InFlight<RunningCall>();
  #lastSeat = 0;
  /** Sessions with calls. */
  #busy = 0;

  get size(): number {
    let size = this.#others.size;
    for (const calls of this.#sessions.values()) size += calls.size;
    return size;
  }

  get hasSessions(): boolean {
    return this.#busy > 0;
  }

  /** Sessions with calls that run here. */
  sessions(): string[] {
    return [...this.#sessions].filter(([, calls]) => calls.size > 0).map(([session]) => session);
  }

  begin(session: string | undefined, id: RequestId, call: RunningCall): void {
    if (session === undefined) {
      this.#lastSeat += 1;
      call.seat = this.#lastSeat;
      this.#others.set(call.seat, call);
      return;
    }
    let calls = this.#sessions.get(session);
    if (calls === undefined) {
      calls = new InFlight();
      this.#sessions.set(session, calls);
    }
    if (calls.size === 0) this.#busy += 1;
    calls.set(id, call);
  }

  end(session: string | undefined, id: RequestId, call: RunningCall): void {
    if (session === undefined) {
      if (call.seat !== undefined) this.#others.take(call.seat);
      return;
    }
    const calls = this.#sessions.get(session);
    if (calls?.get(id) !== call) return;
    calls.take(id);
    if (calls.size > 0) return;
    this.#busy -= 1;
    if (this.#sessions.size > SPARE_SESSIONS + 2 * this.#busy) this.#tidy();
  }

  running(session: string): number {
    return this.#sessions.get(session)?.size ?? 0;
  }

  has(session: string, id: RequestId): boolean {
    return this.#sessions.get(session)?.has(id) === true;
  }

  cancel(session: string, id: RequestId, reason: string): boolean {
    const call = this.#sessions.get(session)?.get(id);
    call?.cancel(reason);
    return call !== undefined;
  }

  cancelSession(session: string, reason: string): void {
    for (const call of this.#sessions.get(session)?.values() ?? []) call.cancel(reason);
  }

  cancelAll(reason: string): void {
    for (const session of this.sessions()) this.cancelSession(session, reason);
    for (const call of this.#others.values()) call.cancel(reason);
  }

  #tidy(): void {
    for (const [session, calls] of this.#sessions) if (calls.size === 0) this.#sessions.delete(session);
  }
}
