/** GET: a new stream of a session, or the rest of one that the client has lost. */

import type { AuthInfo } from '../../protocol/authorization.js';
import type { HttpHeaders, HttpResponse } from '../../transports/http/server/exchange.js';
import type { Session } from '../session.js';
import type { Control, ControlBus } from './control.js';
import type { Follower } from './follower.js';
import type { EventId } from './session-stream.js';
import { StandaloneStreams } from './standalone.js';
import type { EndpointState } from './state.js';

export interface GetExchange {
  readonly session: Session;
  readonly sessionId: string;
  readonly response: HttpResponse;
  readonly headers: HttpHeaders;
  readonly auth: AuthInfo | undefined;
}

export class GetStreams {
  readonly standalone: StandaloneStreams;
  readonly #state: Omit<EndpointState, 'handshake'>;
  readonly #control: ControlBus;
  /** Clients that came back for a stream, by session and stream: a session that names another's gets nothing. */
  readonly #followers = new Map<string, Follower>();

  constructor(state: Omit<EndpointState, 'handshake'>, control: ControlBus) {
    this.#state = state;
    this.#control = control;
    const cut = (session: string, stream: string): void =>
      this.#followers.get(followerKey(session, stream))?.end();
    this.standalone = new StandaloneStreams(state.host, state.store, cut);
  }

  async open({ session, sessionId, response, headers, auth }: GetExchange): Promise<void> {
    await this.#ready();
    const settling = new Settling((stream) => this.#settle(sessionId, stream));
    const onFinish = (): void => settling.stop();
    const sink = this.#state.streams.open(response, headers, { session: sessionId, onFinish });
    // A client that did not wait may have another stream by now, which this one must not replace.
    if (sink.finished) return;
    const claimed = (stream: string): Promise<void> =>
      this.#control.tell({ type: 'opened', session: sessionId, stream });
    settling.start(this.standalone.open(session, sessionId, sink, auth, claimed));
  }

  async resume(exchange: GetExchange, event: EventId): Promise<void> {
    const { kind, stream, entry } = event;
    const { session, sessionId, response, headers, auth } = exchange;
    const { store, streams, host } = this.#state;
    const { Follower, LostCallWatch } = await import('./resumed-stream.js');
    await this.#ready();
    const onError = (error: unknown): void => host.onError(error, 'GET');
    const follower = new Follower(store, { session: sessionId, stream, after: entry, onError });
    const lost = new LostCallWatch(store, sessionId, stream, onError);
    const key = followerKey(sessionId, stream);
    this.#followers.get(key)?.end();
    this.#followers.set(key, follower);
    // The connection that carried the stream before may look alive; its holder must release it first.
    await this.#control.tell({ type: 'resumed', session: sessionId, stream, by: follower.id });
    if (kind === 'g') await this.standalone.confirm(sessionId, event);
    const settling = new Settling((settled) => this.#settle(sessionId, settled));
    const onFinish = (): void => {
      follower.stop();
      lost.stop();
      settling.stop();
      if (this.#followers.get(key) === follower) this.#followers.delete(key);
    };
    const sink = streams.open(response, headers, { session: sessionId, onFinish });
    await follower.start(sink, session.revision.http.polling);
    if (sink.finished) return;
    if (kind === 'g') {
      this.standalone.takeOver(session, sessionId, event, auth);
      settling.start(stream);
    } else if ((await store.events.unfinished(sessionId, stream)) === undefined) await follower.finish();
    else lost.start();
  }

  /** Lets go of a stream that its client has resumed. Only its own session can do that. */
  resumed({ session, stream, by }: Extract<Control, { type: 'resumed' }>): void {
    const writer = this.#state.writers.get(stream);
    if (writer?.session === session) writer.detach();
    const follower = this.#followers.get(followerKey(session, stream));
    const here = follower?.id === by;
    this.standalone.resumed(session, stream, here);
    if (!here) follower?.end();
  }

  #settle(session: string, stream: string): void {
    this.standalone.settle(session, stream).catch((error: unknown) => this.#state.host.onError(error, 'GET'));
  }

  async #ready(): Promise<void> {
    await Promise.all([this.#control.listen(), this.#state.host.hub.listening()]);
  }
}

/** After this long a client that is still connected has seen the first event, which is sent with the headers. */
const SETTLED_MS = 2_000;

class Settling {
  readonly #settle: (stream: string) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settle: (stream: string) => void) {
    this.#settle = settle;
  }

  start(stream: string): void {
    this.#timer = setTimeout(() => this.#settle(stream), SETTLED_MS);
    if (typeof this.#timer === 'object' && 'unref' in this.#timer) this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function followerKey(session: string, stream: string): string {
  return `${session} ${stream}`;
}
