/**
 * Servers that report a lost session in words. The specification has HTTP 404 for it; in the field the same comes as a
 * JSON-RPC error with HTTP 200 or 400, as a plain body, or as an event of a stream.
 */

import { nameOf } from '../../../protocol/mirrored-headers.js';
import type { OutgoingMessage } from './outgoing.js';

/** Beyond this a message does not say more about a session. */
const READ_CHARACTERS = 300;

const GONE =
  'not found|not exist|not valid|not recogni[sz]ed|not active|not initiali[sz]ed|no longer|unknown|invalid|expired|terminated|closed|ended|lost|stale';
/** "Session not found", "Session abc has expired", "session_id is invalid". */
const SESSION_IS_GONE = new RegExp(`\\bsession(?:[ _-]?id)?\\b[^.\\n]{0,80}?\\b(?:${GONE})\\b`, 'i');
/** "Unknown session id 'abc'", "No valid session ID provided", "Invalid or expired MCP session". */
const NO_SUCH_SESSION =
  /\b(?:unknown|invalid|expired|stale|terminated|no(?: such| valid| active)?|not a valid|could not find|cannot find)(?: or \w{1,20})?(?: mcp)?[ -]session/i;
/** "Bad Request: Server not initialized". */
const NOT_INITIALIZED =
  /^(?:bad request: *|error: *)?(?:the )?(?:mcp )?(?:server|connection|transport)(?: is| was| has)? not (?:yet )?(?:been )?initiali[sz]ed/i;

/** Whether the words of an error say that the session of the request is gone. */
export function saysSessionIsGone(message: string): boolean {
  const read = message.slice(0, READ_CHARACTERS);
  return SESSION_IS_GONE.test(read) || NO_SUCH_SESSION.test(read) || saysNotInitialized(message);
}

/** Whether the server says that there never was a handshake. */
export function saysNotInitialized(message: string): boolean {
  return NOT_INITIALIZED.test(message.slice(0, READ_CHARACTERS));
}

/**
 * Decides whether such words are believed. A tool may have sessions of its own, of a browser or a chat, and mean those.
 * When a new session gets the very same call refused in the same way, the words were not about ours, and are not
 * believed any more on this connection.
 */
export class SessionLossReports {
  /** The call whose refusal was believed, until it succeeds. */
  #believed: string | undefined;
  #deceived = false;

  isCredible(outgoing: OutgoingMessage): boolean {
    if (this.#deceived) return false;
    const call = describe(outgoing);
    this.#deceived = this.#believed === call;
    this.#believed = call;
    return !this.#deceived;
  }

  succeeded(outgoing: OutgoingMessage): void {
    if (this.#believed !== undefined && this.#believed === describe(outgoing)) this.#believed = undefined;
  }
}

function describe({ method = '', params }: OutgoingMessage): string {
  return `${method} ${nameOf(method, params) ?? ''}`;
}
