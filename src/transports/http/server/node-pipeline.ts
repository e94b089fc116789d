/**
 * Requests that a client sends on a connection before the ones ahead are answered. Their answers wait in line; Node
 * bounds neither how many there are, nor does it say of one of them that its connection has closed, and while enough
 * of them wait it does not even notice that. No client in use sends requests this way, so few are enough.
 */

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

const MAX_IN_LINE = 16;

/** Answers that wait behind others, and what to do when their connection closes. */
type Line = Map<ServerResponse, () => void>;

const lines = new WeakMap<Socket, Line>();

/** False, and the connection is closed, when too many wait already. */
export function joinLine(socket: Socket, outgoing: ServerResponse): boolean {
  let line = lines.get(socket);
  if (line === undefined) {
    line = new Map();
    lines.set(socket, line);
    const waiting = line;
    socket.once('close', () => {
      for (const lost of waiting.values()) lost();
      waiting.clear();
    });
  }
  if (line.size >= MAX_IN_LINE) {
    socket.destroy();
    return false;
  }
  const waiting = line;
  waiting.set(outgoing, ignore);
  outgoing.once('finish', () => waiting.delete(outgoing));
  return true;
}

export function onConnectionLost(socket: Socket, outgoing: ServerResponse, lost: () => void): void {
  const line = lines.get(socket);
  const before = line?.get(outgoing);
  if (before === undefined) return;
  line?.set(outgoing, () => {
    before();
    lost();
  });
}

function ignore(): void {}
