/**
 * Ends answers that were given before their request was read. A connection that is closed while bytes of the client are
 * unread is reset by the operating system, and a client that is still sending then sees the reset instead of the answer
 * (RFC 9112, section 9.6). So the rest of the body is read and thrown away first, within limits.
 */

import type { IncomingMessage, ServerResponse } from 'node:http';

/** How much of a refused body is read, and for how long, before the connection is closed all the same. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024;
const MAX_DISCARD_MS = 5_000;

/** Ends an answer whose head, and body if it has one, have been written. */
export function endAfterRequest(incoming: IncomingMessage, outgoing: ServerResponse): void {
  if (!isUnread(incoming)) {
    outgoing.end();
    return;
  }
  // The client gets the answer now, and may stop sending because of it.
  outgoing.flushHeaders();
  outgoing.on('error', ignore);
  incoming.on('error', ignore);
  let bytes = 0;
  let over = false;
  const end = (): void => {
    if (over) return;
    over = true;
    clearTimeout(timer);
    outgoing.end();
  };
  const cut = (): void => {
    if (over) return;
    end();
    // What is still to come would be taken for the next request.
    incoming.socket.destroySoon();
  };
  const timer = setTimeout(cut, MAX_DISCARD_MS);
  incoming.on('end', end).on('close', end);
  incoming.on('data', (chunk: Buffer | string) => {
    bytes += chunk.length;
    if (bytes > MAX_DISCARDED_BYTES) cut();
  });
  incoming.resume();
}

/** Whether the client may still be sending. */
export function isUnread(incoming: IncomingMessage): boolean {
  if (incoming.complete || incoming.destroyed) return false;
  const { 'content-length': length, 'transfer-encoding': encoding } = incoming.headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

function ignore(): void {}
