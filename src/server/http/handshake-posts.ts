/** What a client of the handshake era posts within its session: calls, notifications, answers, and batches of them. */

import { type Batch, type Decoded, decodeValue } from '../../jsonrpc/decode.js';
import { encodeError } from '../../jsonrpc/encode.js';
import {
  isRequestId,
  type JsonObject,
  type Notification,
  type Request,
  type RequestId,
} from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import { normaliseNotification } from '../../protocol/lenient.js';
import { StoreError } from '../../store/errors.js';
import type { Awaitable } from '../../store/store.js';
import type { HttpHeaders, HttpResponse } from '../../transports/http/server/exchange.js';
import type { Accepted } from '../../transports/http/server/media.js';
import { messageWeight } from '../admission.js';
import type { Reply } from '../dispatcher.js';
import { callerOf } from '../peer.js';
import type { Session } from '../session.js';
import type { ControlBus } from './control.js';
import { answerBox, PostExchange } from './post.js';
import { refuse, refusedItem } from './refusals.js';
import type { HttpSessions } from './sessions.js';
import type { EndpointState } from './state.js';

export interface HandshakePost {
  readonly decoded: Exclude<Decoded, { kind: 'malformed' }> | Batch;
  /** What it was decoded from, unless a framework did that. */
  readonly text: string | undefined;
  readonly response: HttpResponse;
  readonly headers: HttpHeaders;
  readonly accepted: Accepted;
  readonly auth: AuthInfo | undefined;
}

function isFull(error: unknown): error is StoreError {
  return error instanceof StoreError && error.code === 'store_full';
}

const STILL_RUNNING = 'A request with this id is still running';

export class HandshakePosts {
  readonly #state: EndpointState;
  readonly #sessions: HttpSessions;
  readonly #control: ControlBus;
  /** False where there are no sessions; then only its own request knows a call. */
  readonly #enabled: boolean;

  constructor(state: EndpointState, sessions: HttpSessions, control: ControlBus, enabled: boolean) {
    this.#state = state;
    this.#sessions = sessions;
    this.#control = control;
    this.#enabled = enabled;
  }

  serve(session: Session, post: HandshakePost): Awaitable<void> {
    const { decoded, text } = post;
    switch (decoded.kind) {
      case 'request':
        if (decoded.message.method !== 'ping') session.markReady();
        return this.#request(decoded.message, session, post);
      case 'batch':
        return this.#batch(decoded.items, session, post);
      case 'notification':
        return this.#notified(normaliseNotification(decoded.message), session, post.auth).then(() =>
          post.response.send(202, post.headers),
        );
      default:
        return this.#answered(decoded, text, session).then(() => post.response.send(202, post.headers));
    }
  }

  #request(message: Request, session: Session, post: HandshakePost): Awaitable<void> {
    const { response, headers } = post;
    const { host } = this.#state;
    const weight = messageWeight(message, post.text);
    const busy = this.#busy(session, weight);
    if (busy !== undefined) return refuse(response, 429, headers, message.id, busy);
    if (this.#isRunning(session, message.id)) {
      return refuse(response, 400, headers, message.id, STILL_RUNNING);
    }
    const { accepted, auth } = post;
    const answer = { response, headers, accepted };
    const exchange = new PostExchange(this.#state, answer, session, { auth, ids: [message.id], weight });
    const handled = host.dispatcher.handle(message, session, exchange, post.text);
    if (!(handled instanceof Promise)) return this.#finish(exchange, session, handled);
    const watched = this.#watch();
    const replied =
      watched === undefined ? handled : Promise.all([handled, watched]).then(([reply]) => reply);
    return replied.then((reply) => this.#finish(exchange, session, reply));
  }

  /** What the call changed in the session is stored before its answer is sent. */
  #finish(exchange: PostExchange, session: Session, reply: Reply | undefined): Awaitable<void> {
    const replies = reply === undefined ? [] : [reply];
    if (!session.changed || session.sessionId === undefined) return exchange.finish(200, replies, false);
    return this.#save(session).then(
      () => exchange.finish(200, replies, false),
      (error: unknown) => {
        const [id] = exchange.ids;
        if (!isFull(error) || id === undefined) throw error;
        exchange.finish(200, [refusedItem(id, error.message)], false);
      },
    );
  }

  async #batch(
    items: readonly unknown[],
    session: Session,
    { response, headers, accepted, auth, text }: HandshakePost,
  ): Promise<void> {
    const { host } = this.#state;
    if (session.revision.batching !== 'accepted') {
      return refuse(response, 400, headers, undefined, 'Batches are not part of this protocol revision');
    }
    if (items.length === 0 || items.length > host.limits.batch) {
      return refuse(response, 400, headers, undefined, `A batch holds 1 to ${host.limits.batch} messages`);
    }
    session.markReady();
    const messages = items.map(decodeValue);
    const ids = messages.flatMap((decoded) => (decoded.kind === 'request' ? [decoded.message.id] : []));
    const weight = Math.ceil(messageWeight(items, text) / items.length);
    const exchange = new PostExchange(this.#state, { response, headers, accepted }, session, {
      auth,
      ids,
      weight,
    });
    await this.#watch();
    const replies = await Promise.all(
      messages.map((decoded, index) => this.#batchItem(decoded, items[index], session, exchange, weight)),
    );
    try {
      await this.#save(session);
    } catch (error) {
      if (!isFull(error)) throw error;
      const refused = ids.map((id) => refusedItem(id, error.message));
      return exchange.finish(200, refused, true);
    }
    const answers = replies.filter((reply) => reply !== undefined);
    if (answers.length === 0 && !exchange.streaming) return response.send(202, headers);
    exchange.finish(200, answers, true);
  }

  async #batchItem(
    decoded: Decoded,
    item: unknown,
    session: Session,
    exchange: PostExchange,
    weight: number,
  ): Promise<Reply | undefined> {
    switch (decoded.kind) {
      case 'request': {
        if (decoded.message.method === 'initialize')
          return refusedItem(decoded.message.id, '"initialize" cannot be part of a batch');
        if (this.#isRunning(session, decoded.message.id))
          return refusedItem(decoded.message.id, STILL_RUNNING);
        // For each of them: those before it in the batch are running by now.
        const busy = this.#busy(session, weight);
        if (busy !== undefined) return refusedItem(decoded.message.id, busy);
        return this.#state.host.dispatcher.handle(decoded.message, session, exchange);
      }
      case 'notification':
        await this.#notified(normaliseNotification(decoded.message), session, exchange.auth);
        return undefined;
      case 'malformed':
        this.#state.host.stats.malformed += 1;
        return {
          text: encodeError(decoded.id ?? null, { code: decoded.code, message: decoded.reason }),
          errorCode: decoded.code,
        };
      default:
        await this.#answered(decoded, JSON.stringify(item), session);
        return undefined;
    }
  }

  async #notified(notification: Notification, session: Session, auth: AuthInfo | undefined): Promise<void> {
    const { method, params = {} } = notification;
    if (method === 'notifications/initialized') session.markReady();
    await this.#save(session);
    if (method === 'notifications/cancelled') return this.#cancel(params, session);
    this.#state.host.notified(method, params, callerOf(session, auth), session);
  }

  async #cancel(params: JsonObject, session: Session): Promise<void> {
    const { requestId, reason } = params;
    if (session.sessionId === undefined || !isRequestId(requestId)) return;
    const why = typeof reason === 'string' ? reason : '';
    // Usually the call runs here; otherwise another node has it.
    if (this.#state.calls.cancel(session.sessionId, requestId, why)) return;
    await this.#control.tell({ type: 'cancel', session: session.sessionId, id: requestId, reason: why });
  }

  /** An answer to something we asked; the waiter, on any node, receives it on the bus. */
  async #answered(
    decoded: Extract<Decoded, { kind: 'result' | 'error' }>,
    text: string | undefined,
    session: Session,
  ): Promise<void> {
    const id = decoded.kind === 'result' ? decoded.message.id : decoded.id;
    if (session.sessionId === undefined || id === undefined) return;
    const answer =
      text ??
      JSON.stringify(
        decoded.kind === 'result' ? decoded.message : { jsonrpc: '2.0', id, error: decoded.error },
      );
    await this.#state.store.mailboxes.deliver(answerBox(session.sessionId, id), answer);
  }

  /** Why the session may not have another call running; undefined when it may. */
  #busy(session: Session, weight: number): string | undefined {
    const { host, calls } = this.#state;
    if (session.sessionId !== undefined && calls.running(session.sessionId) >= host.limits.concurrentCalls)
      return 'Too many calls at once; wait for some to finish';
    return host.admission.refusal(session.account, weight);
  }

  /** Two calls with one id cannot be distinguished: not cancelled, not counted. */
  #isRunning(session: Session, id: RequestId): boolean {
    return session.sessionId !== undefined && this.#state.calls.has(session.sessionId, id);
  }

  /** A call that did not answer at once can be cancelled from any node, and must not outlive its session. */
  #watch(): Promise<void> | undefined {
    if (!this.#enabled) return undefined;
    this.#state.streams.keepRounds();
    return this.#control.hears ? undefined : this.#control.listen();
  }

  async #save(session: Session): Promise<void> {
    if (!session.changed || session.sessionId === undefined) return;
    await this.#sessions.save(session);
    await this.#control.tell({ type: 'changed', session: session.sessionId });
  }
}
