/** Subscriptions of sessions to resources (handshake era). */

import { invalidParams, ProtocolError } from '../protocol/errors.js';
import { weigh } from '../store/budget.js';
import type { LimitNumbers } from './limits.js';
import type { Session } from './session.js';

/** Subscribes the session, or throws when that is more than a session may have. */
export function subscribeWithin(session: Session, uri: string, limits: LimitNumbers): void {
  if (session.subscriptions.has(uri)) {
    // Stored and announced again: the first time, its node may have died before it notified the other nodes.
    session.subscribe(uri);
    return;
  }
  if (session.subscriptions.size >= limits.subscriptions)
    throw invalidParams(`A session has at most ${limits.subscriptions} subscriptions; give some up first`);
  const bytes = session.bytes + weigh(uri);
  if (bytes > limits.sessionBytes)
    throw invalidParams(
      `The subscriptions take more than the ${limits.sessionBytes} bytes that a session may have`,
    );
  if (session.charge?.resize(bytes) === false)
    throw new ProtocolError(
      'internal_error',
      'The server has reached its limit for subscriptions; try again later',
    );
  session.subscribe(uri);
}
