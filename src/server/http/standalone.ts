/** The GET streams of handshake sessions: what the server says outside of calls. */

import { encodeNotification } from '../../jsonrpc/encode.js';
import type { Store } from '../../store/store.js';
import type { ServerHost } from '../host.js';
import { wantsLog } from '../peer.js';
import type { Session } from '../session.js';
import { SessionStream } from './session-stream.js';
import type { OpenStream } from './streams.js';

interface Standalone {
  readonly stream: SessionStream;
  readonly remove: () => void;
}

export class StandaloneStreams {
  readonly #host: ServerHost;
  readonly #store: Store;
  /** The newest stream of each session: a message goes to one stream only. */
  readonly #current = new Map<string, Standalone>();

  constructor(host: ServerHost, store: Store) {
    this.#host = host;
    this.#store = store;
  }

  get size(): number {
    return this.#current.size;
  }

  open(session: Session, id: string, sink: OpenStream): void {
    this.#current.get(id)?.remove();
    const stream = new SessionStream(this.#store, id, (error) => this.#host.onError(error, 'GET'));
    const announced = this.#host.capabilities();
    const remove = this.#host.hub.add({
      wantsList: (kind) => session.ready && announced[kind]?.listChanged === true,
      wantsResource: (uri) => session.subscriptions.has(uri),
      wantsLog: (level) => session.ready && wantsLog(session, level),
      deliver: (method, params) => stream.send(encodeNotification(method, params)),
    });
    this.#current.set(id, { stream, remove });
    stream.attach(sink, session.revision.http.polling);
  }

  /** The session has ended. */
  close(id: string): void {
    const standalone = this.#current.get(id);
    if (standalone === undefined) return;
    this.#current.delete(id);
    standalone.remove();
    standalone.stream.detach();
  }

  /** A client resumed this stream elsewhere; what held it before is dead. */
  detach(stream: string): void {
    for (const standalone of this.#current.values()) {
      if (standalone.stream.id === stream) standalone.stream.detach();
    }
  }

  /** An open stream keeps its session; a session that is gone takes its stream along. */
  async sweep(): Promise<void> {
    for (const [id, { stream }] of [...this.#current]) {
      const record = await (stream.attached ? this.#store.sessions.get(id) : this.#store.sessions.peek(id));
      if (record === undefined) this.close(id);
    }
  }
}
