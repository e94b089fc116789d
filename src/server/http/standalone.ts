/** The GET streams of handshake sessions: what the server says outside of calls. */

import type { AuthInfo } from '../../protocol/authorization.js';
import type { Store } from '../../store/store.js';
import type { ServerHost } from '../host.js';
import { callerOf, wantsLog } from '../peer.js';
import type { Session } from '../session.js';
import { askOnStream } from './post.js';
import { SessionStream } from './session-stream.js';
import { applyRecord } from './sessions.js';
import type { OpenStream } from './streams.js';

interface Standalone {
  readonly stream: SessionStream;
  readonly session: Session;
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

  /** Sessions with a stream that was opened here, whether or not its client is connected. */
  sessions(): Iterable<string> {
    return this.#current.keys();
  }

  open(session: Session, id: string, sink: OpenStream, auth: AuthInfo | undefined): void {
    this.#current.get(id)?.remove();
    const { hub, dispatcher } = this.#host;
    const stream = new SessionStream(this.#store, id, (error) => this.#host.onError(error, 'GET'));
    const announced = this.#host.introduction().capabilities;
    const remove = hub.add({
      session,
      ask: (method, params, signal) =>
        askOnStream(this.#store, id, (text) => stream.send(text), { method, params, signal }),
      wantsList: (kind) => session.ready && announced[kind]?.listChanged === true,
      wantsResource: (uri) => session.subscriptions.has(uri),
      wantsLog: (level) => session.ready && wantsLog(session, level),
      deliver: (method, params) =>
        dispatcher.announce(method, params, callerOf(session, auth), (text) => stream.send(text)),
    });
    this.#current.set(id, { stream, session, remove });
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

  closeAll(): void {
    for (const id of [...this.#current.keys()]) this.close(id);
  }

  /** A client resumed this stream elsewhere; what held it before is dead. */
  detach(session: string, stream: string): void {
    const standalone = this.#current.get(session);
    if (standalone?.stream.id === stream) standalone.stream.detach();
  }

  /** A request changed the session, perhaps on another node: what is delivered depends on it. */
  async refresh(id: string): Promise<void> {
    const session = this.#current.get(id)?.session;
    // What this very session object has changed is on its way to the store.
    if (session === undefined || session.changed) return;
    const record = await this.#store.sessions.peek(id);
    if (record !== undefined && !session.changed) applyRecord(session, record);
  }
}
