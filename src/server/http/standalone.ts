/**
 * The GET streams of handshake sessions: what the server says outside of calls. The node that a client is
 * connected to listens for it; when the client comes back elsewhere, that node goes on with the same stream,
 * beginning with what was announced while no client listened.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import type { Store } from '../../store/store.js';
import type { ServerHost } from '../host.js';
import { type Announcement, type Listener, parseAnnouncement, tell, tellAll } from '../hub.js';
import { callerOf, wantsLog } from '../peer.js';
import type { Session } from '../session.js';
import { createStreamId, type EventId, SessionStream, StreamMoved } from './session-stream.js';
import { applyRecord } from './sessions.js';
import { askOnStream } from './stream-question.js';
import type { OpenStream } from './streams.js';

interface Standalone {
  readonly stream: SessionStream;
  readonly session: Session;
  readonly remove: () => void;
  /** Its client has come back, and follows the log. */
  followed: boolean;
  /** Set while the session is being read again. */
  refreshing?: Promise<void> | undefined;
}

const NO_STREAM = '-';
/** How long a session with two streams stays with the one that it has. */
const YIELD_MS = 60_000;
const MAX_YIELDED = 10_000;

export class StandaloneStreams {
  readonly #host: ServerHost;
  readonly #store: Store;
  /** Ends the connection of a client that follows the stream in the log. */
  readonly #cut: (session: string, stream: string) => void;
  /** Sessions whose stream was given up because they have another, and when: not for ever in turns. */
  readonly #yielded = new Map<string, number>();
  /** The newest stream of each session: a message goes to one stream only. */
  readonly #current = new Map<string, Standalone>();

  constructor(host: ServerHost, store: Store, cut: (session: string, stream: string) => void) {
    this.#host = host;
    this.#store = store;
    this.#cut = cut;
  }

  get size(): number {
    return this.#current.size;
  }

  /** Sessions with a stream that is served here, whether or not its client is connected. */
  sessions(): Iterable<string> {
    return this.#current.keys();
  }

  /**
   * A session begins. What is announced from now on is meant for it too: a client may have subscribed, and know so,
   * before its stream is open.
   */
  async begin(id: string): Promise<void> {
    if (!this.#isRelayed) return;
    const { changes, events } = this.#store;
    await events.claim(id, NO_STREAM, await changes.newest());
  }

  /** A new stream; returns its id. `claimed` is called when the session is told of changes on it. */
  open(
    session: Session,
    id: string,
    sink: OpenStream,
    auth: AuthInfo | undefined,
    claimed: (stream: string) => Promise<void>,
  ): string {
    const stream = this.#listen(session, id, createStreamId('g'), auth, undefined);
    stream.queue(() => claimed(stream.id));
    stream.attach(sink, session.revision.http.polling);
    return stream.id;
  }

  /** Notes what the client has seen, before it can believe that it listens again. */
  async confirm(id: string, { stream, entry }: EventId): Promise<void> {
    if (!this.#isRelayed) return;
    const { changes, events } = this.#store;
    await events.claim(id, stream, await changes.newest(), entry);
  }

  /** The connection of a client has lasted for a while: it knows the stream. */
  async settle(id: string, stream: string): Promise<void> {
    if (this.#isRelayed) await this.#store.events.settle(id, stream);
  }

  /** Goes on with a stream that was served by another node. Its client follows the log. */
  takeOver(session: Session, id: string, { stream, entry }: EventId, auth: AuthInfo | undefined): void {
    const current = this.#current.get(id);
    if (current?.stream.id === stream) current.followed = true;
    else this.#listen(session, id, stream, auth, entry);
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

  /** A client resumed this stream; what held it before is dead. `here`: it did so on this node. */
  resumed(session: string, stream: string, here: boolean): void {
    const standalone = this.#current.get(session);
    if (standalone?.stream.id !== stream) return;
    standalone.stream.detach();
    if (!here) this.close(session);
  }

  /**
   * The session has claimed a stream, perhaps elsewhere. Nodes hear of that late, or twice: what the store says counts,
   * so that the one that has the session's stream never lets go of it.
   */
  opened(session: string, by: string): void {
    const standalone = this.#current.get(session);
    if (standalone === undefined || standalone.stream.id === by) return;
    const { stream } = standalone;
    if (!this.#isRelayed) this.#drop(session, standalone);
    else
      this.#queue(stream, async () => {
        if (this.#current.get(session) !== standalone) return;
        if (!(await this.#store.events.isCurrent(session, stream.id))) this.#drop(session, standalone);
      });
  }

  #drop(session: string, standalone: Standalone): void {
    if (this.#current.get(session) === standalone) this.#current.delete(session);
    standalone.remove();
  }

  /** A request changed the session, perhaps on another node: what is delivered depends on it. */
  refresh(id: string): Promise<void> {
    const standalone = this.#current.get(id);
    if (standalone === undefined) return Promise.resolve();
    const read = (): Promise<void> => this.#refresh(id, standalone.session);
    const refreshing = (standalone.refreshing?.then(read, read) ?? read())
      .catch((error: unknown) => {
        this.#giveUp(standalone.stream);
        throw error;
      })
      .finally(() => {
        if (standalone.refreshing === refreshing) standalone.refreshing = undefined;
      });
    standalone.refreshing = refreshing;
    return refreshing;
  }

  async #refresh(id: string, session: Session): Promise<void> {
    // What this very session object has changed is on its way to the store.
    if (session.changed) return;
    const record = await this.#store.sessions.peek(id);
    if (record === undefined || session.changed) return;
    applyRecord(session, record);
    this.#host.hub.changed(session);
  }

  #listen(
    session: Session,
    id: string,
    streamId: string,
    auth: AuthInfo | undefined,
    seen: string | undefined,
  ): SessionStream {
    this.#current.get(id)?.remove();
    const stream = new SessionStream(this.#store, id, streamId, (error) => this.#host.onError(error, 'GET'));
    const listener = this.#listener(session, stream, auth);
    const remove = this.#host.hub.add(listener);
    const standalone: Standalone = { stream, session, remove, followed: seen !== undefined };
    this.#current.set(id, standalone);
    // Before anything that is announced from now on.
    if (this.#isRelayed) this.#queue(stream, () => this.#catchUp(listener, stream, auth, seen));
    return stream;
  }

  /**
   * The step of a stream whose failure must not be passed over: what it was to tell, or its place in the
   * order, may be lost to this node. The client reconnects, here or elsewhere, and gets everything that it
   * has not received.
   */
  #queue(stream: SessionStream, step: () => Awaitable<void>): void {
    stream.queue(async () => {
      try {
        await step();
      } catch (error) {
        if (error instanceof StreamMoved) {
          this.#moved(stream);
          return;
        }
        this.#giveUp(stream);
        throw error;
      }
    });
  }

  /**
   * Another stream is the session's. Its client may be here all the same, where the other one is that of a connection
   * it had before, claimed late: it comes back and claims its own. A client that has two streams hears on one of them.
   */
  #moved(stream: SessionStream): void {
    const now = Date.now();
    const last = this.#yielded.get(stream.session);
    if (last !== undefined && now - last < YIELD_MS) {
      const standalone = this.#current.get(stream.session);
      if (standalone?.stream === stream) this.#drop(stream.session, standalone);
      return;
    }
    this.#yielded.delete(stream.session);
    this.#yielded.set(stream.session, now);
    const [oldest] = this.#yielded.size > MAX_YIELDED ? this.#yielded.keys() : [];
    if (oldest !== undefined) this.#yielded.delete(oldest);
    this.#giveUp(stream);
  }

  #giveUp({ session, id }: SessionStream): void {
    if (this.#current.get(session)?.stream.id !== id) return;
    this.close(session);
    this.#cut(session, id);
  }

  #listener(session: Session, stream: SessionStream, auth: AuthInfo | undefined): Listener {
    const announced = this.#host.introduction().capabilities;
    const listener: Listener = {
      session,
      ask: (method, params, signal) =>
        askOnStream(this.#store, stream.session, (text) => stream.send(text), { method, params, signal }),
      wantsList: (kind) => session.ready && announced[kind]?.listChanged === true,
      wantsResource: (uri) => session.subscriptions.has(uri),
      wantsLog: (level) => session.ready && wantsLog(session, level),
      resources: () => session.subscriptions,
      deliver: (method, params) => {
        void this.#host.dispatcher.announce(method, params, callerOf(session, auth), (text) =>
          stream.send(text),
        );
      },
    };
    if (!this.#isRelayed) return listener;
    listener.refresh = () => {
      this.refresh(stream.session).catch((error: unknown) => this.#host.onError(error, 'refresh'));
    };
    listener.hear = (announcement, change) =>
      this.#queue(stream, async () => {
        // What a client has just subscribed to on another node counts.
        await this.#current.get(stream.session)?.refreshing;
        // After one that could not be told, a later one would take its place: the session would never get the first.
        if (this.#current.get(stream.session)?.stream !== stream) return;
        await this.#pass(announcement, change, listener, stream, auth);
      });
    return listener;
  }

  /** Whether the log that announcements come from is that of the sessions. */
  get #isRelayed(): boolean {
    return this.#host.hub.relayStore === this.#store;
  }

  /** Says what a change means for this session, if anything. */
  #pass(
    announcement: Announcement,
    change: string,
    listener: Listener,
    stream: SessionStream,
    auth: AuthInfo | undefined,
  ): Awaitable<void> {
    const { session } = listener;
    if (session === undefined) return;
    const { dispatcher } = this.#host;
    const passed: Promise<void>[] = [];
    const deliver = (method: string, params: JsonObject): void => {
      const sending = new Sending((text) => stream.sendChange(text, change));
      const announced = dispatcher.announce(method, params, callerOf(session, auth), sending.send);
      passed.push(Promise.resolve(announced).then(sending.settle));
    };
    tell({ ...listener, deliver }, announcement);
    // A change means one notification at most.
    return passed[0];
  }

  /** What was announced since the session last heard something, on whichever node. */
  async #catchUp(
    listener: Listener,
    stream: SessionStream,
    auth: AuthInfo | undefined,
    seen: string | undefined,
  ): Promise<void> {
    const { changes, events } = this.#store;
    const newest = await changes.newest();
    // It may have been changed between the moment it was read and the moment from which this node is
    // notified.
    await this.refresh(stream.session);
    // Its client may have gone elsewhere meanwhile; the session is then no longer ours to claim.
    const standalone = this.#current.get(stream.session);
    if (standalone?.stream !== stream) return;
    // Or it is gone: it comes back for this stream, which claims it, or has opened another by now.
    const isGone = (): boolean => !stream.isConnected && !standalone.followed;
    const isWanted = (): boolean => this.#current.get(stream.session) === standalone && !isGone();
    let heard: string | undefined;
    while (heard === undefined) {
      if (!isWanted()) return this.#drop(stream.session, standalone);
      heard = await events.claim(stream.session, stream.id, newest, seen, isWanted);
    }
    if (heard === newest) return;
    // Those that are newer come from the hub, after the earlier changes of the session.
    const missed = await changes.since(heard, newest);
    if (missed === undefined) return tellAll(listener);
    for (const { id, text } of missed) {
      const announcement = parseAnnouncement(text);
      if (announcement !== undefined) await this.#pass(announcement, id, listener, stream, auth);
    }
  }
}

/** Keeps the failure of the stream from the middleware in between, which would report it and go on. */
class Sending {
  readonly #write: (text: string) => Awaitable<void>;
  #failure: { readonly error: unknown } | undefined;

  constructor(write: (text: string) => Awaitable<void>) {
    this.#write = write;
  }

  readonly send = async (text: string): Promise<void> => {
    try {
      await this.#write(text);
    } catch (error) {
      this.#failure = { error };
    }
  };

  /** To be called when it has been sent. */
  readonly settle = (): void => {
    if (this.#failure !== undefined) throw this.#failure.error;
  };
}
