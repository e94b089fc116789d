/** What a transport adds to the intake: where a message comes from, and what only the transport knows of it. */

import type { Decoded, Malformed } from '../jsonrpc/decode.js';
import type { Request, RequestId } from '../jsonrpc/message.js';
import type { Awaitable } from '../protocol/awaitable.js';
import type { ProtocolError } from '../protocol/errors.js';
import type { Channel } from './channel.js';
import type { SessionIdentity } from './lifecycle/handshake.js';
import type { Peer } from './peer.js';
import type { Reply } from './reply.js';
import type { Session } from './session.js';

/** How a message is answered: a reply, those of a batch, or nothing. */
export type Received = Reply | readonly Reply[] | undefined;

export type ClientAnswer = Extract<Decoded, { kind: 'result' | 'error' }>;

/** The words of a transport for messages that come before or after their place in the lifecycle. */
export interface LifecycleRules {
  /** Why a message outside of a session is refused. */
  readonly uninitialized: string;
  /** Why a second `initialize` is refused. */
  readonly initialized: string;
  /** Whether `ping` is answered before `initialize`. */
  readonly answersPing: boolean;
}

/** Where a message comes from (a connection, or one POST), and what only its transport knows. */
export interface IntakeSource extends Channel {
  readonly principal: string | undefined;
  /** See `Peer.account`. */
  readonly account: string | undefined;
  readonly rules: LifecycleRules;
  /** Whether something beside the body announces a stateless message: over HTTP, the version header. */
  readonly announcesEnvelope: boolean;
  /** Calls of this connection or session that are running. */
  readonly running: number;
  isRunning(id: RequestId): boolean;
  /** The session that the message belongs to; undefined without one; a reply where the transport refuses it. */
  session(): Awaitable<Session | Reply | undefined>;
  /** Called before a request is judged and dispatched: whom it is served for, and what its message weighs. */
  serve(peer: Peer, weight: number): void;
  /** Whether what surrounds the message contradicts the revision it names. Asked before the revision is judged. */
  versionMismatch?(version: string): ProtocolError | undefined;
  /** Whether what surrounds the message contradicts the rest of it. */
  requestMismatch?(request: Request): ProtocolError | undefined;

  /** Whether an `initialize` comes from within a session. */
  readonly isInitialized: boolean;
  sessionIdentity(): SessionIdentity;
  /** Keeps a new session, or returns the refusal of the `initialize` with this id. */
  keep(session: Session, id: RequestId): Awaitable<Reply | undefined>;
  /** The client is about to get the answer to `initialize`. */
  introduce(session: Session): void;
  /** Forgets a session whose `initialize` failed. */
  drop(session: Session, reason: string): Awaitable<void>;
  /** Stores what has changed in a session, where it does not live with its connection. */
  save(session: Session): Awaitable<void>;

  cancel(id: RequestId, reason: string, session: Session | undefined): Awaitable<void>;
  /** The client has answered a request of the server. */
  answered(answer: ClientAnswer, session: Session, text: string | undefined): Awaitable<void>;
  /** The same, with an answer that is malformed: the handler must not wait for another one. */
  misanswered(answer: Malformed, session: Session, text: string | undefined): Awaitable<void>;
}
