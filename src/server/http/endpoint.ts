/** The MCP endpoint over HTTP: one path for every revision. It judges requests; the intake judges their messages. */

import { INVALID_REQUEST } from '../../jsonrpc/codes.js';
import { type Batch, type Decoded, decodeText, decodeValue } from '../../jsonrpc/decode.js';
import type { Awaitable } from '../../protocol/awaitable.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import type { Store } from '../../store/store.js';
import type { Cors } from '../../transports/http/server/cors.js';
import type {
  Authenticate,
  HttpAuth,
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
  Unauthenticated,
} from '../../transports/http/server/exchange.js';
import { createGuard, type Guard, type GuardOptions } from '../../transports/http/server/guard.js';
import { type HttpLimitOptions, type HttpLimits, httpLimits } from '../../transports/http/server/limits.js';
import { type Accepted, isJsonBody, parseAccept } from '../../transports/http/server/media.js';
import type { ServerHost } from '../host.js';
import { Intake } from '../intake.js';
import { HandshakeEndpoint } from './handshake.js';
import { Permissions } from './permissions.js';
import { PostExchange } from './post.js';
import { refuse, sendError } from './refusals.js';
import { type EndpointState, RunningCalls } from './state.js';
import { Streams } from './streams.js';

export interface HttpOptions extends GuardOptions {
  /**
   * False serves the handshake era without sessions: no streams from the server, no questions to the client.
   * `'optional'` serves requests that name no session in the same way, beside those of sessions.
   */
  readonly sessions?: boolean | 'optional' | undefined;
  /** Where sessions and their events are kept; in memory by default. */
  readonly store?: Store | undefined;
  /** What bounds requests: sizes, times, connections. */
  readonly limits?: HttpLimitOptions | undefined;
  /** Time between comments on open streams, which keep proxies from closing them. Default: 15 s. */
  readonly keepAlive?: Duration | undefined;
  /** Identifies the caller. Runs on every request, before its body is read. */
  readonly authenticate?: Authenticate | undefined;
  /** Protects the endpoint with access tokens: `bearer({ ... })` of `plumb-mcp/auth`. */
  readonly auth?: HttpAuth | undefined;
  /**
   * The address of a client, which what it does is charged to while it has no principal. Default: that of its
   * connection; behind a reverse proxy, read it from the header that the proxy sets.
   */
  readonly clientAddress?: ((request: HttpRequest) => string | undefined) | undefined;
}

/** Counts of what an endpoint holds on this node, for metrics and tests. */
export interface HttpOpen {
  /** Event streams with a connected client. */
  readonly streams: number;
  readonly calls: number;
  /** GET streams of sessions, whether or not their client is connected. */
  readonly standalone: number;
  /** The listeners for changed lists and resources, on every transport of the server. */
  readonly listeners: number;
}

const ANONYMOUS: HttpCaller = { principal: undefined };
const DEFAULT_KEEP_ALIVE_MS = 15_000;
const JSON_HEADERS: HttpHeaders = { 'Content-Type': 'application/json' };

export class McpHttpEndpoint implements HttpEndpoint {
  readonly limits: HttpLimits;
  readonly #host: ServerHost;
  readonly #guard: Guard;
  readonly #cors: Cors | undefined;
  readonly #authenticate: Authenticate | undefined;
  readonly #clientAddress: (request: HttpRequest) => string | undefined;
  readonly #permissions: Permissions;
  readonly #state: EndpointState;
  readonly #handshake: HandshakeEndpoint;
  readonly streams: Streams;
  readonly #methods: ReadonlySet<string>;
  readonly #calls = new RunningCalls();
  /** Exchanges that are being served. */
  #active = 0;
  #onIdle: (() => void) | undefined;
  #closed = false;

  constructor(host: ServerHost, store: Store, options: HttpOptions, cors: Cors | undefined) {
    this.#host = host;
    this.limits = httpLimits(options.limits);
    this.#guard = createGuard(options);
    this.#cors = cors;
    this.#authenticate = authenticatorOf(options);
    this.#clientAddress = options.clientAddress ?? (({ address }) => address);
    this.#permissions = new Permissions(host, options.auth);
    this.streams = new Streams({
      keepAliveMs: milliseconds(options.keepAlive ?? DEFAULT_KEEP_ALIVE_MS),
      backlog: this.limits.backlogBytes,
      onRound: () => void this.#handshake.sweep().catch((error: unknown) => host.onError(error, 'sweep')),
      isBusy: () => this.#handshake.isBusy,
    });
    const state = {
      host,
      store,
      streams: this.streams,
      calls: this.#calls,
      intake: new Intake(host),
      writers: new Map(),
    };
    const sessions = options.sessions !== false && host.handshakeRevisions.length > 0;
    this.#handshake = new HandshakeEndpoint(
      state,
      sessions && options.sessions === 'optional' ? 'optional' : sessions,
    );
    this.#state = { ...state, handshake: this.#handshake };
    this.#methods = new Set(sessions ? ['GET', 'POST', 'DELETE'] : ['POST']);
  }

  /** What is open on this node. */
  get open(): HttpOpen {
    return {
      streams: this.streams.size,
      calls: this.#calls.size,
      standalone: this.#handshake.standalone,
      listeners: this.#host.hub.size,
    };
  }

  admit(request: HttpRequest, response: HttpResponse): Awaitable<HttpCaller | undefined> {
    return this.admitOnly(this.#methods, request, response);
  }

  /** Host and Origin alone, for documents that need no credentials. False when the request has been refused. */
  admitPublic(request: HttpRequest, response: HttpResponse): boolean {
    const refusal = this.#guard.refusal(request);
    if (refusal !== undefined) this.#refuse(request, response, 403, refusal);
    return refusal === undefined;
  }

  /** The checks that every path of this server makes: Host, Origin, credentials, method and media type. */
  admitOnly(
    methods: ReadonlySet<string>,
    request: HttpRequest,
    response: HttpResponse,
  ): Awaitable<HttpCaller | undefined> {
    const refusal = this.#guard.refusal(request);
    if (refusal !== undefined) return this.#refuse(request, response, 403, refusal);
    if (request.method === 'OPTIONS') {
      const allow = [...methods].join(', ');
      response.send(204, { ...this.#cors?.preflight(request, allow), Allow: allow });
      return undefined;
    }
    if (this.#closed) return this.#refuse(request, response, 503, 'The server is closing');
    if (this.#authenticate === undefined) return this.#admitMethod(methods, request, response, ANONYMOUS);
    const caller = this.#authenticate(request);
    return caller instanceof Promise
      ? caller.then((settled) => this.#admitCaller(methods, request, response, settled))
      : this.#admitCaller(methods, request, response, caller);
  }

  /** Answers within this tick unless something has to be waited for: a promise for each request would cost more. */
  handle(request: HttpRequest, caller: HttpCaller, body: HttpBody, response: HttpResponse): Awaitable<void> {
    this.#active += 1;
    let handled: Awaitable<void>;
    try {
      handled = this.#handle(request, caller, body, response);
    } catch (error) {
      this.#left();
      throw error;
    }
    if (!(handled instanceof Promise)) {
      this.#left();
      return;
    }
    return handled.then(
      () => this.#left(),
      (error: unknown) => {
        this.#left();
        throw error;
      },
    );
  }

  #left(): void {
    this.#active -= 1;
    if (this.#active === 0) this.#onIdle?.();
  }

  /** True when the call needs scopes that the caller lacks, and has been answered so. */
  forbids(
    decoded: Decoded | Batch,
    caller: HttpCaller,
    response: HttpResponse,
    headers: HttpHeaders,
  ): boolean {
    const refusal = this.#permissions.refusal(decoded, caller);
    if (refusal === undefined) return false;
    const id = decoded.kind === 'request' ? decoded.message.id : undefined;
    const error = { code: INVALID_REQUEST, message: refusal.message };
    sendError(response, refusal.status, { ...headers, ...refusal.headers }, id, error);
    return true;
  }

  /** Refuses what is new, lets running calls finish within the limit, and cancels those that do not. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    this.streams.endIdle();
    await this.#idle(graceMs);
    this.#calls.cancelAll('The server is closing');
    this.streams.endAll();
    await this.#handshake.close();
  }

  #handle(request: HttpRequest, caller: HttpCaller, body: HttpBody, response: HttpResponse): Awaitable<void> {
    const headers = this.headersFor(request);
    if (request.method === 'GET') return this.#handshake.get(request, response, headers, caller);
    if (request.method === 'DELETE') return this.#handshake.delete(request, response, headers, caller);
    const account = this.accountOf(request, caller);
    const decoded = 'text' in body ? (body.decoded ?? decodeText(body.text)) : decodeParsed(body.value);
    if (this.forbids(decoded, caller, response, headers)) return;
    const accepted = parseAccept(request.header('accept'));
    if (decoded.kind !== 'malformed' && !admitsAnswer(accepted, decoded)) {
      const id = decoded.kind === 'request' ? decoded.message.id : undefined;
      return refuse(response, 406, headers, id, 'Accept must admit application/json and text/event-stream');
    }
    const posted = { request, decoded, caller, account, response, headers, accepted };
    return new PostExchange(this.#state, posted).receive('text' in body ? body.text : undefined);
  }

  #idle(graceMs: number): Promise<void> {
    if (this.#active === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #admitCaller(
    methods: ReadonlySet<string>,
    request: HttpRequest,
    response: HttpResponse,
    caller: HttpCaller | Unauthenticated,
  ): HttpCaller | undefined {
    if (!('status' in caller)) return this.#admitMethod(methods, request, response, caller);
    const headers = { ...this.headersFor(request), ...caller.headers };
    sendError(response, caller.status, headers, undefined, {
      code: INVALID_REQUEST,
      message: caller.message,
    });
    return undefined;
  }

  #admitMethod(
    methods: ReadonlySet<string>,
    request: HttpRequest,
    response: HttpResponse,
    caller: HttpCaller,
  ): HttpCaller | undefined {
    if (!methods.has(request.method)) {
      const headers = { ...this.headersFor(request), Allow: [...methods].join(', ') };
      const message = `${request.method} is not supported here`;
      sendError(response, 405, headers, undefined, { code: INVALID_REQUEST, message });
      return undefined;
    }
    if (request.method === 'POST') {
      if (isJsonBody(request.header('content-type'))) return caller;
      // A browser may send text/plain across sites without asking first; nothing else of ours depends on it.
      return this.#refuse(request, response, 415, 'Content-Type must be application/json');
    }
    return caller;
  }

  #refuse(request: HttpRequest, response: HttpResponse, status: number, message: string): undefined {
    sendError(response, status, this.headersFor(request), undefined, { code: INVALID_REQUEST, message });
  }

  /** What a request of this caller is charged to: see `Peer.account`. */
  accountOf(request: HttpRequest, { principal }: HttpCaller): string | undefined {
    return principal ?? this.#clientAddress(request);
  }

  /** Headers of every JSON answer, with CORS where an origin is allowed. */
  headersFor(request: HttpRequest): HttpHeaders {
    return this.#cors === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...this.#cors.headers(request) };
  }
}

function authenticatorOf({ authenticate, auth }: HttpOptions): Authenticate | undefined {
  if (authenticate !== undefined && auth !== undefined) {
    throw new TypeError('Give either "auth" or "authenticate", not both: each of them identifies the caller');
  }
  return auth === undefined ? authenticate : (request) => auth.authenticate(request);
}

/** Whether the client reads what the message may be answered with. A subscription is nothing but its events. */
function admitsAnswer({ json, sse }: Accepted, decoded: Decoded | Batch): boolean {
  return sse || (json && !(decoded.kind === 'request' && decoded.message.method === 'subscriptions/listen'));
}

/** A framework's body parser has been here already. */
function decodeParsed(value: unknown): Decoded | Batch {
  return Array.isArray(value) ? { kind: 'batch', items: value } : decodeValue(value);
}
