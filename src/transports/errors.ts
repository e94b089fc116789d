import { McpError } from '../protocol/errors.js';

export type TransportErrorCode =
  /** The command could not be started. */
  | 'spawn_failed'
  /** A transport is used once. */
  | 'already_started'
  /** Not open yet, or no longer. */
  | 'connection_closed'
  /** The peer does not read, and the queue towards it is full. */
  | 'queue_full'
  /** HTTP 401: credentials are missing or no longer good. */
  | 'unauthorized'
  /** HTTP 403: these credentials (or this origin) may not do that. */
  | 'forbidden'
  /** An HTTP answer that carries no JSON-RPC message. */
  | 'http_status'
  /** The server could not be reached, or the connection broke before it answered. */
  | 'network'
  /** The server no longer knows the session: initialize again. */
  | 'session_lost'
  /** The answer began to arrive, and its end never came. */
  | 'stream_lost'
  /** The answer is larger than allowed. */
  | 'too_large';

export interface TransportErrorOptions {
  readonly cause?: unknown;
  readonly status?: number | undefined;
  readonly wwwAuthenticate?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly mayHaveActed?: boolean | undefined;
}

/** The connection failed on this side; nothing of it crosses the wire. */
export class TransportError extends McpError<TransportErrorCode> {
  /** The HTTP status, where there was one. */
  readonly status: number | undefined;
  /** The challenge that came with a 401 or 403. */
  readonly wwwAuthenticate: string | undefined;
  /** How long the server asks us to wait before we try again. */
  readonly retryAfterMs: number | undefined;
  /** Whether the server may have carried the request out all the same, so that sending it again could do it twice. */
  readonly mayHaveActed: boolean;

  constructor(code: TransportErrorCode, message: string, options: TransportErrorOptions = {}) {
    super(code, message, 'cause' in options ? { cause: options.cause } : undefined);
    this.status = options.status;
    this.wwwAuthenticate = options.wwwAuthenticate;
    this.retryAfterMs = options.retryAfterMs;
    this.mayHaveActed = options.mayHaveActed ?? false;
  }
}

/** A request that failed on its own, as over HTTP, where there is no connection that all of them share. */
export function isFailedRequest(error: unknown): error is TransportError {
  return error instanceof TransportError && !CONNECTION_CODES.has(error.code);
}

const CONNECTION_CODES: ReadonlySet<TransportErrorCode> = new Set([
  'spawn_failed',
  'already_started',
  'connection_closed',
  'queue_full',
]);

/**
 * A rejected promise whose rejection counts as handled: a sender who does not look at what `send` returns must not
 * bring the process down, and one who awaits it still gets the error.
 */
export function rejected(error: Error): Promise<never> {
  const promise = Promise.reject(error);
  promise.catch(() => {});
  return promise;
}
