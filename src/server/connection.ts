/** A client on a stream of messages (stdio, memory, the old HTTP+SSE): its session, its calls and the way back. */

import { INVALID_REQUEST } from '../jsonrpc/codes.js';
import type { Batch, Decoded, Malformed } from '../jsonrpc/decode.js';
import { encodeNotification } from '../jsonrpc/encode.js';
import { InFlight } from '../jsonrpc/in-flight.js';
import type { JsonObject, RequestId } from '../jsonrpc/message.js';
import type { AuthInfo } from '../protocol/authorization.js';
import { McpError, ProtocolError } from '../protocol/errors.js';
import type {
  CloseReason,
  Receiver,
  SendOptions,
  Transport,
  TransportFault,
} from '../transports/transport.js';
import type { RunningCall } from './channel.js';
import type { ServerHost } from './host.js';
import type { Listener } from './hub.js';
import { Intake } from './intake.js';
import type { ClientAnswer, IntakeSource, LifecycleRules, Received } from './intake-source.js';
import type { SessionIdentity } from './lifecycle/handshake.js';
import { OutgoingAsks } from './outgoing-asks.js';
import { callerOf, type Peer, wantsLog } from './peer.js';
import { errorReply, type Reply, refusedReply, unreadableReply } from './reply.js';
import type { Session } from './session.js';

const RULES: LifecycleRules = {
  uninitialized: 'Not initialized: send "initialize" first',
  initialized: 'Already initialized',
  answersPing: true,
};

const NO_ROOM = 'The server has no room for another session; try again later';

const LISTEN = 'subscriptions/listen';

/** Notifications may be lost where the client does not read; answers and questions are not. */
const EXPENDABLE: SendOptions = { expendable: true };

/** Shorter than clients wait before they terminate a server that has not ended. */
const DRAIN_MS = 1500;

/**
 * The identity of the peer, where the transport knows it. `auth` changes with each message that brings a new
 * token.
 */
export interface ConnectionIdentity {
  readonly principal: string | undefined;
  readonly auth?: AuthInfo | undefined;
  /** Whether tools with scopes are closed to callers whose token lacks them, and to those without any. */
  readonly requiresScopes?: boolean | undefined;
  /** See `Peer.account`. */
  readonly account?: string | undefined;
  /** See `Channel.isLocal`. */
  readonly isLocal?: boolean | undefined;
}

const NOBODY: ConnectionIdentity = { principal: undefined };

export class Connection implements Receiver, IntakeSource {
  readonly rules: LifecycleRules = RULES;
  readonly announcesEnvelope = false;
  readonly #host: ServerHost;
  readonly #intake: Intake;
  readonly #transport: Transport;
  readonly #calls = new InFlight<RunningCall>();
  readonly #asks = new OutgoingAsks((text) => this.#send(text));
  readonly #closed: () => void;
  readonly #identity: ConnectionIdentity;
  #session: Session | undefined;
  /** What the message at hand weighs: a call that does not end at once is begun while it is handled. */
  #weight = 0;
  #draining: ReturnType<typeof setTimeout> | undefined;
  #unlisten: (() => void) | undefined;
  #finished = false;

  constructor(
    host: ServerHost,
    transport: Transport,
    closed: () => void,
    identity: ConnectionIdentity = NOBODY,
  ) {
    this.#host = host;
    this.#intake = new Intake(host);
    this.#transport = transport;
    this.#closed = closed;
    this.#identity = identity;
  }

  get auth(): AuthInfo | undefined {
    return this.#identity.auth;
  }

  get requiresScopes(): boolean | undefined {
    return this.#identity.requiresScopes;
  }

  get isLocal(): boolean | undefined {
    return this.#identity.isLocal;
  }

  /** Calls of the client that are still running. */
  get running(): number {
    return this.#calls.size;
  }

  message(decoded: Decoded | Batch, text?: string): void {
    const received = this.#intake.receive(decoded, this, text);
    if (!(received instanceof Promise)) {
      this.#deliver(decoded, received);
      return;
    }
    received.then(
      (settled) => this.#deliver(decoded, settled),
      (error: unknown) => this.#failed(decoded, error),
    );
  }

  fault(fault: TransportFault): void {
    this.#host.stats.faults += 1;
    if (fault.kind !== 'oversize') return;
    const oversize = { code: INVALID_REQUEST, reason: fault.message, id: undefined } as const;
    this.#send(unreadableReply(this.#session?.revision, oversize).text);
  }

  closed(reason: CloseReason): void {
    this.#unlisten?.();
    this.#asks.close(new McpError('connection_closed', 'The client has gone'));
    if (reason.kind === 'remote' && reason.halfClosed === true) this.#drain();
    else this.#finish();
  }

  /** A client that has ended its input may wait for the rest (`printf ... | server`); a stream has no rest. */
  #drain(): void {
    for (const call of this.#calls.values()) if (call.method === LISTEN) call.cancel('The client has gone');
    if (this.#calls.size === 0) {
      this.#finish();
      return;
    }
    this.#draining = setTimeout(() => this.#finish(), DRAIN_MS);
  }

  #finish(): void {
    clearTimeout(this.#draining);
    this.#draining = undefined;
    for (const call of this.#calls.values()) call.cancel('The client has gone');
    this.#finished = true;
    this.#unlisten?.();
    this.#session?.charge?.release();
    if (this.#session !== undefined) this.#host.ended(this.#session);
    this.#closed();
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  // Channel: the way back of every call on this stream.

  begin(id: RequestId, call: RunningCall): void {
    this.#calls.set(id, call);
    call.weight = this.#weight;
    this.#host.admission.begin(this.#identity.account, call.weight);
  }

  end(id: RequestId, call: RunningCall): void {
    if (this.#calls.get(id) === call) {
      this.#calls.take(id);
      this.#host.admission.end(this.#identity.account, call.weight ?? 0);
    }
    if (this.#draining === undefined || this.#calls.size > 0) return;
    // The answer to this last call is written after it has ended.
    clearTimeout(this.#draining);
    this.#draining = setTimeout(() => this.#finish(), 0);
  }

  notify(text: string): void {
    this.#send(text, EXPENDABLE);
  }

  request(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return this.#asks.ask(method, params, signal);
  }

  /** A stream has nothing to come back to. */
  release(): void {}

  // IntakeSource: what the intake asks of a stream of messages.

  get principal(): string | undefined {
    return this.#identity.principal;
  }

  get account(): string | undefined {
    return this.#identity.account;
  }

  get isInitialized(): boolean {
    return this.#session !== undefined;
  }

  isRunning(id: RequestId): boolean {
    return this.#calls.has(id);
  }

  session(): Session | undefined {
    return this.#session;
  }

  serve(_peer: Peer, weight: number): void {
    this.#weight = weight;
  }

  sessionIdentity(): SessionIdentity {
    const { principal, account } = this.#identity;
    return { principal, account };
  }

  keep(session: Session, id: RequestId): Reply | undefined {
    session.charge = this.#host.admission.state.charge(session.account, session.bytes);
    if (session.charge === undefined) {
      return refusedReply(session.revision, id, new ProtocolError('internal_error', NO_ROOM), 'busy');
    }
    this.#session = session;
    return undefined;
  }

  introduce(session: Session): void {
    if (!this.#finished) this.#unlisten = this.#host.hub.add(this.#listener(session));
  }

  drop(session: Session): void {
    this.#session = undefined;
    session.charge?.release();
    this.#host.ended(session);
  }

  /** The session lives with its connection. */
  save(): void {}

  cancel(id: RequestId, reason: string): void {
    this.#calls.get(id)?.cancel(reason);
  }

  answered(answer: ClientAnswer): void {
    if (answer.kind === 'result') this.#asks.answered(answer.message.id)?.resolve(answer.message.result);
    else if (answer.id !== undefined) this.#asks.answered(answer.id)?.fail(answer.error);
  }

  misanswered({ id, reason }: Malformed): void {
    if (id === undefined) return;
    const error = new McpError('invalid_answer', `The client's answer is malformed: ${reason}`);
    this.#asks.answered(id)?.reject(error);
  }

  #listener(session: Session): Listener {
    const announced = this.#host.introduction().capabilities;
    return {
      session,
      ask: (method, params, signal) => this.request(method, params, signal),
      wantsList: (kind) => session.ready && announced[kind]?.listChanged === true,
      wantsResource: (uri) => session.subscriptions.has(uri),
      wantsLog: (level) => session.ready && wantsLog(session, level),
      resources: () => session.subscriptions,
      deliver: (method, params) => {
        const caller = callerOf(session, this.auth);
        this.#host.dispatcher.announce(method, params, caller, (text) => this.#send(text, EXPENDABLE));
      },
    };
  }

  /** JSON-RPC has no answer to notifications and answers, not even to those that were refused. */
  #deliver(decoded: Decoded | Batch, received: Received): void {
    if (received === undefined || !isAnswerable(decoded)) return;
    if (!('text' in received)) {
      this.#send(`[${received.map(({ text }) => text).join(',')}]`);
      return;
    }
    this.#send(received.text);
    if (decoded.kind === 'request' && decoded.message.method === LISTEN && received.errorCode === 0) {
      this.#send(encodeNotification('notifications/cancelled', endOfListen(decoded.message.id)));
    }
  }

  /** Only our own encoding can fail here (a result that is no JSON, such as a cycle). */
  #failed(decoded: Decoded | Batch, failure: unknown): void {
    this.#host.onError(failure, decoded.kind === 'request' ? decoded.message.method : decoded.kind);
    if (decoded.kind !== 'request') return;
    const revision = this.#session?.revision ?? this.#host.newestRevision;
    const error = new ProtocolError('internal_error', 'Internal error');
    this.#send(errorReply(revision, decoded.message.id, error).text);
  }

  #send(text: string, options?: SendOptions): void {
    const sent = this.#transport.send(text, options);
    if (sent !== undefined) sent.catch(() => this.#host.countLost());
  }
}

function isAnswerable(decoded: Decoded | Batch): boolean {
  switch (decoded.kind) {
    case 'request':
    case 'batch':
      return true;
    case 'malformed':
      return !decoded.isAnswer;
    default:
      return false;
  }
}

/** On stdio a server that ends a stream says so with a cancellation too, for clients that wait for either. */
function endOfListen(id: RequestId): JsonObject {
  return { requestId: id, reason: 'The server is closing' };
}
