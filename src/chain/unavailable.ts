/** What clients get instead of an answer when a server behind the chain cannot give one. */

import { StartTimeoutError } from '../client/errors.js';
import { McpError, ProtocolError } from '../protocol/errors.js';
import { ALONE } from './targets.js';

/** Names the server and what happened, and nothing of its output: that is for operators. */
export class ServerUnavailableError extends ProtocolError {
  /** Whether the request may have reached the server. */
  readonly sent: boolean;

  constructor(server: string, reason: string, cause?: unknown, sent = false) {
    const which = server === ALONE ? 'The server' : `The server "${server}"`;
    super('internal_error', `${which} is not available: ${reason}`, { cause });
    this.sent = sent;
  }
}

export function describeUnavailable(error: unknown): string {
  if (error instanceof StartTimeoutError)
    return `it did not answer within ${error.waitedMs / 1_000} s of its start`;
  if (!(error instanceof McpError)) return 'an unexpected failure';
  switch (error.code) {
    case 'timeout':
      return 'it did not answer in time';
    case 'connection_closed':
      return 'it ended';
    case 'spawn_failed':
      return 'its command could not be started';
    case 'no_common_revision':
      return 'it speaks no protocol revision that is spoken here';
    default:
      return `it could not be reached (${error.code})`;
  }
}
