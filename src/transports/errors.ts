import { McpError } from '../protocol/errors.js';

export type TransportErrorCode =
  /** The command could not be started. */
  | 'spawn_failed'
  /** A transport is used once. */
  | 'already_started'
  /** Not open yet, or no longer. */
  | 'connection_closed'
  /** The peer does not read, and the queue towards it is full. */
  | 'queue_full';

/** The connection failed on this side; nothing of it crosses the wire. */
export class TransportError extends McpError<TransportErrorCode> {}

/**
 * A rejected promise whose rejection counts as handled: a sender who does not look at what `send` returns must not
 * bring the process down, and one who awaits it still gets the error.
 */
export function rejected(error: Error): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}
