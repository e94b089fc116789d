/** From a target to a connection that is ready for calls, or to nothing at all: a failed attempt leaves no process. */

import { McpError } from '../protocol/errors.js';
import { Connection, type ConnectionOwner } from './connection.js';
import { Link } from './link.js';
import { type Agreement, Negotiation } from './negotiate.js';
import { isReopenable, openTransport, type Target } from './target.js';
import { WaitingRoom } from './waiting-room.js';

export async function openConnection(
  target: Target,
  owner: ConnectionOwner,
  handshakeFirst = false,
): Promise<Connection> {
  const room = new WaitingRoom(owner);
  const link = new Link(await openTransport(target, owner.settings), room);
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

/** A new session with a server that has forgotten the old one, over the connection that is there. */
export async function renewSession(lost: Connection, owner: ConnectionOwner): Promise<Connection> {
  const { link } = lost;
  const room = new WaitingRoom(owner);
  link.handlers = room;
  try {
    const agreement = await new Negotiation(link, room, owner.settings).run(true);
    if (agreement === 'reopen') throw lostToProbe(link);
    lost.era.end();
    return adopt(link, room, agreement, owner);
  } catch (error) {
    // The next call gets another try, unless this was the end.
    link.handlers = lost;
    if (link.ended !== undefined) lost.closed(link.ended);
    throw error;
  }
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
