/** What the parts of one HTTP endpoint share on this node. */

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
  readonly calls: SessionCalls;
  /** Event streams of running calls, by stream id. */
  readonly writers: Map<string, SessionStream>;
}

/** Running calls of handshake sessions, for cancellation. */
export class SessionCalls {
  readonly #sessions = new Map<string, Map<RequestId, RunningCall>>();

  get size(): number {
    let size = 0;
    for (const calls of this.#sessions.values()) size += calls.size;
    return size;
  }

  begin(session: string, id: RequestId, call: RunningCall): void {
    const calls = this.#sessions.get(session);
    if (calls === undefined) this.#sessions.set(session, new Map([[id, call]]));
    else calls.set(id, call);
  }

  end(session: string, id: RequestId, call: RunningCall): void {
    const calls = this.#sessions.get(session);
    if (calls?.get(id) !== call) return;
    calls.delete(id);
    if (calls.size === 0) this.#sessions.delete(session);
  }

  running(session: string): number {
    return this.#sessions.get(session)?.size ?? 0;
  }

  cancel(session: string, id: RequestId, reason: string): boolean {
    const call = this.#sessions.get(session)?.get(id);
    call?.cancel(reason);
    return call !== undefined;
  }

  cancelAll(session: string, reason: string): void {
    for (const call of [...(this.#sessions.get(session)?.values() ?? [])]) call.cancel(reason);
  }
}
