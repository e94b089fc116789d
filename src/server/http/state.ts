/** What the parts of one HTTP endpoint share on this node. */

import { InFlight } from '../../jsonrpc/in-flight.js';
import type { RequestId } from '../../jsonrpc/message.js';
import type { Store } from '../../store/store.js';
import type { RunningCall } from '../channel.js';
import type { ServerHost } from '../host.js';
import type { SessionStream } from './session-stream.js';
import type { Streams } from './streams.js';

export interface EndpointState {
  readonly host: ServerHost;
  readonly store: Store;
  readonly streams: Streams;
  readonly calls: RunningCalls;
  /** Event streams of running calls, by stream id. */
  readonly writers: Map<string, SessionStream>;
}

/** Calls that run on this node, for cancellation: by session and id, or on their own. */
export class RunningCalls {
  readonly #sessions = new Map<string, InFlight<RunningCall>>();
  readonly #others = new Set<RunningCall>();
  /** The last map that became empty: most sessions have one call at a time, each of which would make a new one. */
  #spare: InFlight<RunningCall> | undefined;

  get size(): number {
    let size = this.#others.size;
    for (const calls of this.#sessions.values()) size += calls.size;
    return size;
  }

  /** Sessions with calls that run here. */
  sessions(): ReadonlyMap<string, unknown> {
    return this.#sessions;
  }

  begin(session: string | undefined, id: RequestId, call: RunningCall): void {
    if (session === undefined) {
      this.#others.add(call);
      return;
    }
    let calls = this.#sessions.get(session);
    if (calls === undefined) {
      calls = this.#spare ?? new InFlight();
      this.#spare = undefined;
      this.#sessions.set(session, calls);
    }
    calls.set(id, call);
  }

  end(session: string | undefined, id: RequestId, call: RunningCall): void {
    if (session === undefined) {
      this.#others.delete(call);
      return;
    }
    const calls = this.#sessions.get(session);
    if (calls?.get(id) !== call) return;
    calls.take(id);
    if (calls.size > 0) return;
    this.#sessions.delete(session);
    this.#spare = calls;
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
    for (const session of [...this.#sessions.keys()]) this.cancelSession(session, reason);
    for (const call of [...this.#others]) call.cancel(reason);
  }
}
