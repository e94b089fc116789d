/**
 * From a target to a connection that is ready for calls, or to nothing at all. A failed attempt rejects at once and leaves
 * no process: what it has opened is closed by then or on its way out, since a program may take seconds to leave.
 */

import { McpError, ProtocolError } from '../../protocol/errors.js';
import { TransportError } from '../../transports/errors.js';
import type { Transport } from '../../transports/transport.js';
import { CancelledError, ConnectionClosedError } from '../errors.js';
import type { Settings } from '../options.js';
import { isReopenable, openTransport, type Target } from '../target.js';
import { ClientConnection, type ConnectionOwner } from './connection.js';
import { Link } from './link.js';
import { type Agreement, Negotiation } from './negotiate.js';
import { NegotiationHandlers } from './negotiation-handlers.js';

export interface ConnectionAttempt {
  /** Ends the attempt. */
  readonly signal: AbortSignal;
  /** The transport is open. */
  opened(): void;
  /** The attempt has failed, and this is the end of what it opened. */
  leaves(closing: Promise<void>): void;
}

export async function openConnection(
  target: Target,
  owner: ConnectionOwner,
  attempt: ConnectionAttempt,
  handshakeFirst = false,
): Promise<ClientConnection> {
  const handlers = new NegotiationHandlers(owner);
  const settings = { ...owner.settings, signal: attempt.signal };
  const link = new Link(await opened(target, settings, attempt.signal), handlers, owner);
  try {
    await started(link, owner.settings.initTimeout, attempt.signal);
    attempt.opened();
    const agreement = await new Negotiation(link, handlers, settings).run(handshakeFirst);
    if (agreement !== 'reopen') return adopt(link, handlers, agreement, owner);
    if (!isReopenable(target)) throw lostToProbe(link);
  } catch (error) {
    attempt.leaves(link.close());
    throw explained(error, link, handlers);
  }
  await link.close().catch(() => {});
  return openConnection(target, owner, attempt, true);
}

/**
 * A program that ended after it wrote something else than messages has usually said why, in the wrong place. Nothing of
 * the user's was sent yet, so nothing can have been carried out.
 */
function explained(error: unknown, link: Link, { noise }: NegotiationHandlers): unknown {
  if (!(error instanceof ConnectionClosedError)) return error;
  return new ConnectionClosedError(link.label, error.reason, false, noise);
}

/** Rejects when the attempt is over, whatever becomes of what it waits for. */
function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const aborted = (): void => reject(new CancelledError('connect', signal.reason, false));
    if (signal.aborted) return aborted();
    signal.addEventListener('abort', aborted);
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', aborted));
  });
}

/** A source may take its time, and one that brings a transport after all that is not wanted any more gets it closed. */
async function opened(target: Target, settings: Settings, signal: AbortSignal): Promise<Transport> {
  const opening = openTransport(target, { ...settings, signal });
  try {
    return await unlessAborted(signal, opening);
  } catch (error) {
    void opening.then((transport) => transport.close()).catch(() => {});
    throw error;
  }
}

/** Not every transport comes to an end with its start. */
async function started(link: Link, timeout: number, signal: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(neverOpened(link, timeout)), timeout);
  });
  try {
    await unlessAborted(signal, Promise.race([link.start(), late]));
  } finally {
    clearTimeout(timer);
  }
}

/**
 * The connection over HTTP of before, if the server still knows us; otherwise a new session over it. A session holds
 * what the server keeps for us, so it is not given up for a network that was away for a moment.
 */
export async function reviveConnection(
  shaken: ClientConnection,
  owner: ConnectionOwner,
  attempt: ConnectionAttempt,
): Promise<ClientConnection> {
  attempt.opened();
  // Without a session there is nothing to keep, and the server may be another one by now.
  if (shaken.era.session.revision.lifecycle === 'stateless') return renewSession(shaken, owner, attempt);
  try {
    await shaken.era.ping({ timeout: owner.settings.keepAlive.timeoutMs, signal: attempt.signal });
    return shaken;
  } catch (error) {
    if (error instanceof ProtocolError) return shaken;
    const forgotten = error instanceof TransportError && error.code === 'session_lost';
    if (!forgotten) throw error;
    return renewSession(shaken, owner, attempt);
  }
}

/** A new session with a server that has forgotten the old one, over the connection that is there. */
export async function renewSession(
  lost: ClientConnection,
  owner: ConnectionOwner,
  { signal }: Pick<ConnectionAttempt, 'signal'>,
): Promise<ClientConnection> {
  const { link } = lost;
  const handlers = new NegotiationHandlers(owner);
  const settings = { ...owner.settings, signal };
  const handshakeFirst = lost.era.session.revision.lifecycle === 'handshake';
  link.handlers = handlers;
  try {
    const agreement = await new Negotiation(link, handlers, settings).run(handshakeFirst);
    if (agreement === 'reopen') throw lostToProbe(link);
    lost.era.end();
    return adopt(link, handlers, agreement, owner);
  } catch (error) {
    // The next call gets another try, unless this was the end.
    link.handlers = lost;
    if (link.ended !== undefined) lost.closed(link.ended);
    throw error;
  }
}

function adopt(
  link: Link,
  handlers: NegotiationHandlers,
  session: Exclude<Agreement, 'reopen'>,
  owner: ConnectionOwner,
): ClientConnection {
  if (link.ended !== undefined) throw link.ended;
  const connection = new ClientConnection(link, session, owner);
  handlers.moveTo(link, connection);
  return connection;
}

function neverOpened(link: Link, timeout: number): McpError<'handshake_failed'> {
  return new McpError(
    'handshake_failed',
    `${link.label} did not open within ${timeout} ms; raise initTimeout if it starts slowly`,
  );
}

function lostToProbe(link: Link): McpError<'handshake_failed'> {
  return new McpError(
    'handshake_failed',
    `${link.label} ended when it was asked for its revisions; pass a target that can be opened again, such as ` +
      '{ command, args }, or leave the stateless revisions out of the revisions option',
    { cause: link.ended },
  );
}
