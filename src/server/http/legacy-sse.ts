/**
 * The first HTTP transport, for clients that know no other: a GET stream whose first event names the URL that
 * messages are posted to. Each stream is a connection like stdio, so all the rest is served as there.
 */

import { sseMessage } from '../../framing/sse.js';
import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { type Batch, type Decoded, decodeText, decodeValue } from '../../jsonrpc/decode.js';
import { encodeMessage } from '../../jsonrpc/encode.js';
import type { Message } from '../../jsonrpc/message.js';
import type { AuthInfo } from '../../protocol/authorization.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import type {
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
} from '../../transports/http/server/exchange.js';
import type { HttpLimits } from '../../transports/http/server/limits.js';
import type { Receiver, Transport } from '../../transports/transport.js';
import type { ConnectionIdentity } from '../connection.js';
import type { McpHttpEndpoint } from './endpoint.js';
import { sendError } from './refusals.js';
import type { OpenStream, Streams } from './streams.js';

export interface LegacySseServeOptions {
  /** Where clients open the stream. */
  readonly ssePath: string;
  /** Where they post messages. */
  readonly messagesPath: string;
  /** Connections at once. Default: 10,000. */
  readonly maxConnections: number;
  /** Of one principal, or of one address without a principal. */
  readonly maxConnectionsPerPeer: number;
}

export const DEFAULT_LEGACY_SSE: LegacySseServeOptions = {
  ssePath: '/sse',
  messagesPath: '/messages',
  maxConnections: 10_000,
  maxConnectionsPerPeer: 2500,
};

export class LegacySseEndpoint implements HttpEndpoint {
  readonly limits: HttpLimits;
  readonly #main: McpHttpEndpoint;
  readonly #streams: Streams;
  readonly #options: LegacySseServeOptions;
  readonly #connect: (transport: Transport, identity: ConnectionIdentity) => Promise<void>;
  readonly #connections = new Map<string, LegacyConnection>();

  /** `main` judges requests: Host, Origin, credentials and media types are checked in one place. */
  constructor(
    main: McpHttpEndpoint,
    options: LegacySseServeOptions,
    connect: (transport: Transport, identity: ConnectionIdentity) => Promise<void>,
  ) {
    this.#main = main;
    this.limits = main.limits;
    this.#streams = main.streams;
    this.#options = options;
    this.#connect = connect;
  }

  headersFor(request: HttpRequest): HttpHeaders {
    return this.#main.headersFor(request);
  }

  admit(request: HttpRequest, response: HttpResponse): Awaitable<HttpCaller | undefined> {
    const method = request.path === this.#options.ssePath ? 'GET' : 'POST';
    return this.#main.admitOnly(new Set([method]), request, response);
  }

  handle(request: HttpRequest, caller: HttpCaller, body: HttpBody, response: HttpResponse): Awaitable<void> {
    const headers = this.headersFor(request);
    if (request.method === 'GET')
      return this.#open(caller, this.#main.accountOf(request, caller), response, headers);
    return this.#post(request, caller, body, response, headers);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#connections.values()].map((connection) => connection.close()));
  }

  async #open(
    caller: HttpCaller,
    account: string | undefined,
    response: HttpResponse,
    headers: HttpHeaders,
  ): Promise<void> {
    if (this.#isFull(account)) {
      return sendError(response, 503, headers, undefined, {
        code: INVALID_REQUEST,
        message: 'Too many connections; try again later',
      });
    }
    const id = crypto.randomUUID();
    const connection = new LegacyConnection({ ...caller, account }, () => this.#connections.delete(id));
    this.#connections.set(id, connection);
    const stream = this.#streams.open(response, headers, { onGone: () => connection.gone() });
    connection.attach(stream);
    // It may have left while its credentials were checked.
    if (stream.finished) return;
    await this.#connect(connection, connection.identity);
    // The client may send from here on.
    stream.write(`event: endpoint\ndata: ${this.#options.messagesPath}?sessionId=${id}\n\n`);
  }

  #isFull(account: string | undefined): boolean {
    const { maxConnections, maxConnectionsPerPeer } = this.#options;
    if (this.#connections.size >= maxConnections) return true;
    if (account === undefined || this.#connections.size < maxConnectionsPerPeer) return false;
    let own = 0;
    for (const { identity } of this.#connections.values()) if (identity.account === account) own += 1;
    return own >= maxConnectionsPerPeer;
  }

  #post(
    request: HttpRequest,
    caller: HttpCaller,
    body: HttpBody,
    response: HttpResponse,
    headers: HttpHeaders,
  ): void {
    const connection = this.#connections.get(request.query('sessionId') ?? '');
    // Someone else's connection is as unknown as none.
    if (connection === undefined || connection.identity.principal !== caller.principal) {
      const message = 'No such connection; open the stream again';
      sendError(response, 404, headers, undefined, { code: INVALID_REQUEST, message });
      return;
    }
    const decoded = 'text' in body ? (body.decoded ?? decodeText(body.text)) : decodeValue(body.value);
    if (this.#main.forbids(decoded, caller, response, headers)) return;
    response.send(202, headers);
    connection.receive(decoded, 'text' in body ? body.text : '', caller);
  }
}

class LegacyConnection implements Transport {
  readonly label = 'HTTP+SSE';
  /** Its `auth` is that of the message at hand: each POST is verified anew. */
  readonly identity: ConnectionIdentity & { auth?: AuthInfo | undefined };
  readonly #onClose: () => void;
  #stream: OpenStream | undefined;
  #receiver: Receiver | undefined;
  #closed = false;

  constructor(identity: ConnectionIdentity, onClose: () => void) {
    this.identity = { ...identity, requiresScopes: true };
    this.#onClose = onClose;
  }

  attach(stream: OpenStream): void {
    this.#stream = stream;
  }

  start(receiver: Receiver): Promise<void> {
    if (this.#receiver !== undefined) throw new Error('A transport is used once');
    this.#receiver = receiver;
    return Promise.resolve();
  }

  send(message: Message | string): void {
    this.#stream?.write(sseMessage(typeof message === 'string' ? message : encodeMessage(message)));
  }

  receive(decoded: Decoded | Batch, text: string, caller: HttpCaller): void {
    this.identity.auth = caller.auth;
    this.#receiver?.message(decoded, text);
  }

  /** The client has closed the stream. */
  gone(): void {
    this.#finish({ kind: 'remote' });
  }

  close(): Promise<void> {
    this.#stream?.end();
    this.#finish({ kind: 'local' });
    return Promise.resolve();
  }

  #finish(reason: { kind: 'remote' } | { kind: 'local' }): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClose();
    this.#receiver?.closed(reason);
  }
}
