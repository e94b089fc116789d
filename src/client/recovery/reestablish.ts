/** Brings a new connection up to what was wanted of the last one: the log level and the subscriptions. */

import type { LogLevel } from '../../protocol/model/logging.js';
import { undeclared, unsubscribable } from '../connection/capabilities.js';
import type { Connection } from '../connection/connection.js';
import { messageOf } from '../errors.js';
import type { ClientFault } from '../events.js';
import type { Interests } from '../features/interests.js';

export interface Wishes {
  readonly logLevel: LogLevel | undefined;
  readonly interests: Interests;
  fault(fault: ClientFault): void;
}

/** What the server no longer supports is reported as a fault; the rest is still re-established. */
export async function reestablish(connection: Connection, wishes: Wishes): Promise<void> {
  await setLogLevel(connection, wishes);
  const { session, feed } = connection.era;
  await feed.sync();
  // Everything that waits for this connection is rejected when it ends.
  if (connection.link.ended !== undefined) return;
  const unsupported = unsubscribable(session.capabilities);
  for (const uri of wishes.interests.uris()) {
    const cause = unsupported ?? feed.refusal(uri);
    if (cause === undefined) continue;
    const message = `The server no longer reports changes of ${uri}: ${messageOf(cause)}`;
    wishes.fault({ kind: 'subscription', message, cause });
  }
}

async function setLogLevel({ era }: Connection, wishes: Wishes): Promise<void> {
  const { logLevel } = wishes;
  const { revision, capabilities } = era.session;
  if (logLevel === undefined || undeclared(revision, capabilities, 'logging') !== undefined) return;
  try {
    await era.setLogLevel(logLevel, {});
  } catch (cause) {
    wishes.fault({ kind: 'deviation', message: 'The server would not take the log level', cause });
  }
}
