/**
 * The client's end of HTTP: Streamable HTTP in every revision that has it, stateless or with sessions, and HTTP+SSE
 * when the server turns out to speak only that. There is no connection to lose: `send` settles when the exchange for
 * its message is over, and rejects with a TransportError when a request in it will never be answered.
 */

import type { DecodedError } from '../../../jsonrpc/decode.js';
import type { Message, RequestId } from '../../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../../protocol/duration.js';
import { HEADER_MISMATCH, MISSING_CAPABILITY, UNSUPPORTED_VERSION } from '../../../protocol/errors.js';
import { byteCount, type Size } from '../../../protocol/size.js';
import { rejected, TransportError } from '../../errors.js';
import { openLegacySse } from '../../legacy-sse/client.js';
import type { CloseReason, Receiver, SendOptions, Transport } from '../../transport.js';
import type { Authorizer } from './authorization.js';
import { Endpoint, type HeaderSource } from './endpoint.js';
import type { HttpPostExchange } from './exchange.js';
import { openRequester } from './open-requester.js';
import { describeOutgoing } from './outgoing.js';
import { type ReconnectOptions, reconnectTimings } from './reconnect.js';
import type { Fetch, RequesterTap } from './requester.js';
import { StreamableConnection } from './streamable.js';

export interface HttpTransportOptions {
  /** The address of the server's endpoint. */
  readonly url: URL | string;
  /** Sent with every request to this origin, and to no other; a function is asked before each request. */
  readonly headers?: HeaderSource | undefined;
  /** Gets and renews credentials: `oauth()` and its relatives of `plumb-mcp/auth`. */
  readonly auth?: Authorizer | undefined;
  /** Used instead of the runtime's own HTTP client. */
  readonly fetch?: Fetch | undefined;
  /** Observes the HTTP exchanges, headers included. */
  readonly tap?: RequesterTap | undefined;
  /** Whether to try HTTP+SSE, the transport of the first revision, when `initialize` is refused. Default: true. */
  readonly sseFallback?: boolean | undefined;
  /** `auto` opens the server's own stream in sessions; false never does, so that unasked messages are missed. */
  readonly openStream?: 'auto' | false | undefined;
  /** The longest answer or event that is read: `'64MB'`, or a number of bytes. Default: 64 MB. */
  readonly maxBodyBytes?: Size | undefined;
  /** How long the server may take to begin its answer. Default: no limit. */
  readonly headTimeout?: Duration | undefined;
  /** How long `close` waits for the server to end the session, and a fallback for its first event. Default: 2 s. */
  readonly closeTimeout?: Duration | undefined;
  /** How to come back to a stream that broke. */
  readonly reconnect?: ReconnectOptions | undefined;
  /** Closes the transport. */
  readonly signal?: AbortSignal | undefined;
}

const DEFAULT_MAX_BODY_BYTES = 64 * 1024 * 1024;
const DEFAULT_CLOSE_TIMEOUT_MS = 2_000;
const ENDPOINT_TIMEOUT_MS = 5_000;

/** Errors that only a server of the stateless era knows: it refuses, but it is no HTTP+SSE server. */
const STATELESS_ERRORS: ReadonlySet<number> = new Set([
  HEADER_MISMATCH,
  MISSING_CAPABILITY,
  UNSUPPORTED_VERSION,
]);

/** A connection to a server over Streamable HTTP, or the old HTTP+SSE: `createHttpTransport({ url })`. */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  return new HttpClientTransport(options);
}

class HttpClientTransport implements Transport {
  readonly label: string;
  readonly endpoint: string;
  readonly #options: HttpTransportOptions;
  readonly #url: URL;
  readonly #closeTimeoutMs: number;
  readonly #maxBodyBytes: number;
  #receiver: Receiver | undefined;
  #endpoint: Endpoint | undefined;
  #connection: StreamableConnection | undefined;
  /** Where messages go once the server has shown to speak HTTP+SSE only. */
  #legacy: Transport | undefined;
  /** The same, while it is being tried. */
  #candidate: Transport | undefined;
  #starting = false;
  #closing: Promise<void> | undefined;
  #ended = false;

  constructor(options: HttpTransportOptions) {
    this.#options = options;
    this.#maxBodyBytes = byteCount(options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES);
    this.#closeTimeoutMs = milliseconds(options.closeTimeout ?? DEFAULT_CLOSE_TIMEOUT_MS);
    this.#url = new URL(options.url);
    // Neither credentials nor a query, which may hold a key, belong into messages and logs.
    this.label = this.#url.origin + this.#url.pathname;
    this.endpoint = this.label;
  }

  async start(receiver: Receiver): Promise<void> {
    if (this.#starting || this.#closing !== undefined) {
      throw new TransportError(
        'already_started',
        `${this.label} was already started or closed; create a new transport`,
      );
    }
    this.#starting = true;
    const { fetch, headers, headTimeout, signal, openStream, tap } = this.#options;
    const maxBodyBytes = this.#maxBodyBytes;
    const headTimeoutMs = headTimeout === undefined ? undefined : milliseconds(headTimeout);
    const timings = reconnectTimings(this.#options.reconnect);
    const opened = await openRequester(fetch, maxBodyBytes);
    const requester = tap === undefined ? opened : tap(opened);
    if (this.#closing !== undefined) {
      requester.close();
      throw new TransportError('connection_closed', `${this.label} was closed before it was open`);
    }
    this.#receiver = receiver;
    const authorization = this.#options.auth?.forServer(this.#url);
    this.#endpoint = new Endpoint({ url: this.#url, headers, authorization, requester, headTimeoutMs });
    this.#connection = new StreamableConnection({
      label: this.label,
      endpoint: this.#endpoint,
      receiver,
      timings,
      maxBodyBytes,
      openStream: openStream !== false,
      onRefused: (exchange, refusal) => this.#refused(exchange, refusal),
    });
    if (signal?.aborted) return this.close();
    signal?.addEventListener('abort', this);
  }

  /** The user's signal fired. */
  handleEvent(): void {
    void this.close();
  }

  send(message: Message | string, options?: SendOptions): void | Promise<void> {
    if (this.#connection === undefined || this.#ended) {
      return rejected(new TransportError('connection_closed', `The connection to ${this.label} is not open`));
    }
    if (this.#legacy !== undefined) return this.#legacy.send(message);
    return this.#connection.send(describeOutgoing(message, options?.request), options?.headers);
  }

  hasLeft(id: RequestId): boolean {
    return this.#legacy !== undefined || this.#connection?.hasLeft(id) !== false;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#options.signal?.removeEventListener('abort', this);
    const connection = this.#connection;
    if (connection === undefined) return;
    const ending = Promise.all([connection.close(), this.#candidate?.close()]);
    this.#end({ kind: 'local' });
    await within(this.#closeTimeoutMs, ending);
    this.#endpoint?.requester.close();
  }

  #end(reason: CloseReason): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#receiver?.closed(reason);
  }

  /** A refused `initialize` may mean that the server is older than Streamable HTTP (backwards compatibility). */
  #refused(exchange: HttpPostExchange, refusal: DecodedError): boolean {
    const { sseFallback = true } = this.#options;
    const status = refusal.httpStatus ?? 0;
    if (!sseFallback || exchange.outgoing.method !== 'initialize') return false;
    if (status < 400 || status >= 500 || STATELESS_ERRORS.has(refusal.error.code)) return false;
    void this.#fallBack(exchange, refusal);
    return true;
  }

  async #fallBack(exchange: HttpPostExchange, refusal: DecodedError): Promise<void> {
    const endpoint = this.#endpoint;
    if (endpoint === undefined) return;
    const maxEventLength = this.#maxBodyBytes;
    const legacy = openLegacySse({
      endpoint,
      label: this.label,
      openTimeoutMs: ENDPOINT_TIMEOUT_MS,
      maxEventLength,
    });
    this.#candidate = legacy;
    try {
      await legacy.start({
        message: (decoded, text) => this.#receiver?.message(decoded, text),
        fault: (fault) => this.#receiver?.fault(fault),
        closed: (reason) => {
          this.#end(reason);
          void this.close();
        },
      });
    } catch (error) {
      // Who may not even ask learns nothing about the server; otherwise its first answer is the one that counts.
      const denied =
        error instanceof TransportError && (error.code === 'unauthorized' || error.code === 'forbidden');
      return denied ? exchange.fail(error) : exchange.refuse(refusal);
    }
    this.#legacy = legacy;
    try {
      await legacy.send(exchange.outgoing.text);
      exchange.drop();
    } catch (error) {
      exchange.fail(
        error instanceof TransportError
          ? error
          : new TransportError('network', String(error), { cause: error }),
      );
    }
  }
}

async function within(milliseconds: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([promise, timeout]);
  clearTimeout(timer);
}
