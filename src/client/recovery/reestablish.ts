/** Brings a new connection up to what was wanted of the last one: the log level and the subscriptions. */

import type { LogLevel } from '../../protocol/model/logging.js';
import { undeclared, unsubscribable } from '../connection/capabilities.js';
import type { ClientConnection } from '../connection/connection.js';
import { messageOf } from '../errors.js';
import type { ClientFault } from '../events.js';
import type { ResourceSubscriptions } from '../features/resource-subscriptions.js';
import { lossOf } from './replay.js';

export interface StateToRestore {
  readonly logLevel: LogLevel | undefined;
  readonly subscriptions: ResourceSubscriptions;
  fault(fault: ClientFault): void;
}

/**
 * What the server no longer supports is reported as a fault; the rest is still re-established. Rejects when the server
 * cannot be reached: the connection does not stand, and is tried again.
 */
export async function reestablish(connection: ClientConnection, state: StateToRestore): Promise<void> {
  await setLogLevel(connection, state);
  const { session, feed } = connection.era;
  await feed.sync();
  // Everything that waits for this connection is rejected when it ends.
  if (connection.link.ended !== undefined) return;
  const unsupported = unsubscribable(session.capabilities);
  for (const uri of state.subscriptions.uris()) {
    const cause = unsupported ?? feed.refusal(uri);
    if (cause === undefined) continue;
    if (lossOf(cause) !== undefined) throw cause;
    const message = `The server no longer reports changes of ${uri}: ${messageOf(cause)}`;
    state.fault({ kind: 'subscription', message, cause });
  }
}

async function setLogLevel({ era }: ClientConnection, state: StateToRestore): Promise<void> {
  const { logLevel } = state;
  const { revision, capabilities } = era.session;
  if (logLevel === undefined || undeclared(revision, capabilities, 'logging') !== undefined) return;
  try {
    await era.setLogLevel(logLevel, {});
  } catch (cause) {
    if (lossOf(cause) !== undefined) throw cause;
    state.fault({ kind: 'deviation', message: 'The server would not take the log level', cause });
  }
}
