/** From a target to a connection that is ready for calls, or to nothing at all: a failed attempt leaves no process. */

import { McpError } from '../protocol/errors.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { cancelledError } from './errors.js';
import { Link } from './link.js';
import { type Agreement, Negotiation } from './negotiate.js';
import { isReopenable, openTransport, type Target } from './target.js';
import { WaitingRoom } from './waiting-room.js';

export async function openConnection(
  target: Target,
  owner: ConnectionOwner,
  handshakeFirst = false,
): Promise<Connection> {
  const { signal } = owner.settings;
  if (signal?.aborted === true) throw cancelledError('connect', signal.reason);
  const room = new WaitingRoom(owner);
  const link = new Link(await openTransport(target), room);
  try {
    await link.start();
    const agreement = await new Negotiation(link, room, owner.settings).run(handshakeFirst);
    if (agreement !== 'reopen') return adopt(link, room, agreement, owner);
    if (!isReopenable(target)) throw lostToProbe(link);
  } catch (error) {
    await link.close().catch(() => {});
    throw error;
  }
  await link.close().catch(() => {});
  return openConnection(target, owner, true);
}

function adopt(
  link: Link,
  room: WaitingRoom,
  session: Exclude<Agreement, 'reopen'>,
  owner: ConnectionOwner,
): Connection {
  if (link.ended !== undefined) throw link.ended;
  const connection = new Connection(link, session, owner);
  room.moveTo(link, connection);
  return connection;
}

function lostToProbe(link: Link): McpError<'handshake_failed'> {
  return new McpError(
    'handshake_failed',
    `${link.label} ended when it was asked for its revisions; pass a target that can be opened again, such as ` +
      '{ command, args }, or leave the stateless revisions out of the revisions option',
    { cause: link.ended },
  );
}
