/**
 * Outgoing HTTP without the runtime: one request, its head, its body as text or chunk by chunk. Callbacks instead of
 * promises and web streams, because those cost more than all the rest of a call.
 */

import { TransportError } from '../../errors.js';

export interface HttpCall {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly url: URL;
  /** Names (in lower case) and values in turn. The requester may add to it. */
  readonly headers: string[];
  readonly body: string | undefined;
}

export interface HttpHead {
  readonly status: number;
  /** A header by its lower-case name. */
  header(name: string): string | undefined;
  /** All of them: names and values in turn. */
  headers(): readonly string[];
}

/** How the body is to be read: at once, as it comes, or not at all. */
export type BodyMode = 'text' | 'chunks' | 'none';

/** What becomes of a call: `head` at most once, and exactly one of `text`, `end` and `failed` as the last. */
export interface HttpCallEvents {
  head(head: HttpHead): BodyMode;
  /** The whole body, after `head` said `text`. */
  text(body: string): void;
  /** A piece of the body, after `head` said `chunks`. */
  chunk(bytes: Uint8Array): void;
  /** The orderly end of a body that was read as chunks, or not at all. */
  end(): void;
  failed(error: TransportError): void;
}

export interface HttpCallHandle {
  /** False while nothing of the request can have reached the server: its connection is still being made. */
  readonly hasLeft: boolean;
  /** Ends the call. None of its events happens afterwards. */
  abort(): void;
}

export interface HttpRequester {
  /** Headers that calls should have unless the user sets them; names and values in turn. */
  readonly usualHeaders: readonly string[];
  request(call: HttpCall, events: HttpCallEvents): HttpCallHandle;
  /** Ends idle connections too. */
  close(): void;
}

/** Stands between a transport and the HTTP client, for those who watch: every call passes through it. */
export type RequesterTap = (requester: HttpRequester) => HttpRequester;

export type Fetch = (url: URL, init: RequestInit) => Promise<Response>;

/** Failures from before the first byte of the request left. */
const NEVER_SENT =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EPROTO|ERR_INVALID|ERR_TLS|ERR_SSL|ERR_UNESCAPED|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|UND_ERR_CONNECT)/;

export function networkError(url: URL, error: unknown): TransportError {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = stringField(cause, 'code');
  const detail = (cause instanceof Error ? cause.message : String(cause)) || code;
  const neverSent = NEVER_SENT.test(code) || stringField(cause, 'syscall') === 'connect';
  // What OpenSSL makes of the words of a server without TLS.
  const isPlain = url.protocol === 'https:' && /wrong version number|packet length too long/.test(detail);
  const [what, advice] = isPlain
    ? ['it does not speak TLS', `use http://${url.host}, if you trust the network`]
    : [detail, 'check the URL and that the server runs'];
  return new TransportError('network', `${url.origin} could not be reached: ${what}; ${advice}`, {
    cause: error,
    mayHaveActed: !neverSent,
  });
}

function stringField(value: unknown, name: 'code' | 'syscall'): string {
  if (typeof value !== 'object' || value === null || !(name in value)) return '';
  const field: unknown = Reflect.get(value, name);
  return typeof field === 'string' ? field : '';
}

export function tooLarge(url: URL, maxBytes: number): TransportError {
  return new TransportError(
    'too_large',
    `${url.origin} answered with more than ${maxBytes} bytes; raise maxFrameBytes (or maxBodyBytes of the target) if that is normal`,
    { mayHaveActed: true },
  );
}
