/** The client side of a chain: the messages from and to its clients, over every transport. */

import { SseReader } from '../../framing/sse-reader.js';
import { type Batch, type Decoded, decodeText, decodeValue } from '../../jsonrpc/decode.js';
import type { RequestId } from '../../jsonrpc/message.js';
import { SESSION_HEADER } from '../../protocol/mirrored-headers.js';
import type {
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
  HttpStream,
} from '../../transports/http/server/exchange.js';
import type { TransportObserver } from '../../transports/observed.js';
import type { StoredExchange, StoredMessage } from '../timeline/stored.js';
import { RecordedConversation } from './conversation.js';
import type { Recording } from './recording.js';
import { CallScope } from './scope.js';

/** Sessions that ended without a word are forgotten at last. */
const MAX_SESSIONS = 1_000;
const MAX_EVENT_LENGTH = 16 * 1024 * 1024;

export class ClientSide {
  readonly #recording: Recording;
  readonly #server: string;
  readonly #sessions = new Map<string, RecordedConversation>();
  #connections = 0;

  constructor(recording: Recording, server: string) {
    this.#recording = recording;
    this.#server = server;
  }

  readonly tap = (endpoint: HttpEndpoint): HttpEndpoint => ({
    limits: endpoint.limits,
    headersFor: (request) => endpoint.headersFor(request),
    admit: (request, response) => {
      const exchange = this.#begin(request);
      return endpoint.admit(request, {
        send: (status, headers, body) => {
          this.#answered(exchange, status, headers);
          const conversation = this.#find(request) ?? this.#create(request, 0);
          conversation.http('to-client', body ?? `${request.method} ${status}`, exchange);
          response.send(status, headers, body);
        },
        stream: (status, headers) => response.stream(status, headers),
        onDisconnect: (handler) => response.onDisconnect(handler),
      });
    },
    handle: (request, caller, body, response) => this.#handle(endpoint, request, caller, body, response),
  });

  /** For one connection of a client without HTTP. */
  observer(): TransportObserver {
    this.#connections += 1;
    const conversation = new RecordedConversation(this.#recording, {
      server: this.#server,
      source: 'chain',
      hop: 'client',
      connection: this.#connections,
      transport: 'stdio',
    });
    return {
      received: (decoded, text, deliver) => {
        const within = this.#recording.sent.take(text);
        const message = conversation.hear('to-server', text, { within }, decoded);
        scopeOf(message).run(deliver);
      },
      sent: (text) => void conversation.hear('to-client', text),
      missed: (direction, text, at) => void conversation.hear(direction, text, { at }),
      closed: (reason) => {
        const isOver = reason.kind !== 'remote' || reason.halfClosed !== true;
        if (isOver) conversation.end();
        conversation.event('closed', 'The client ended the connection', false);
      },
    };
  }

  #handle(
    endpoint: HttpEndpoint,
    request: HttpRequest,
    caller: HttpCaller,
    body: HttpBody,
    response: HttpResponse,
  ): ReturnType<HttpEndpoint['handle']> {
    if (!this.#recording.timeline.recording) return endpoint.handle(request, caller, body, response);
    const exchange = this.#begin(request);
    const conversation = this.#find(request) ?? this.#create(request, 0);
    const text = 'text' in body ? body.text : JSON.stringify(body.value);
    // Read once for the recorder and the endpoint: a large body takes long.
    const decoded = request.method === 'POST' ? decodeBody(body) : undefined;
    const message =
      decoded === undefined
        ? undefined
        : conversation.hear(
            'to-server',
            text,
            { exchange, within: this.#recording.sent.take(text) },
            decoded,
          );
    const seq = message?.seq;
    const recorded = new RecordedResponse(response, {
      about: decoded?.kind === 'request' ? decoded.message.id : undefined,
      answered: (status, headers) => {
        this.#answered(exchange, status, headers);
        const session = headerOf(headers, SESSION_HEADER);
        if (session !== undefined) this.#remember(session, request, conversation);
        if (seq === undefined) conversation.http('to-client', `${request.method} ${status}`, exchange);
        else this.#recording.timeline.touched(seq);
      },
      said: (said, streamed, about) => {
        const heard = { exchange, streamed, about };
        // Over the first transport the answer to a message comes on another stream than its confirmation.
        const answer = decodeText(said);
        if (answer.kind !== 'malformed') conversation.hear('to-client', said, heard, answer);
      },
      located: (session) => this.#remember(session, request, conversation),
      over: () => {
        exchange.durationMs = this.#recording.now() - exchange.startedAt;
      },
      left: () => {
        // Over the first transport the answer comes on another stream than that of its request.
        if (seq !== undefined && exchange.status !== 202) conversation.abandon(seq, 'cancelled');
      },
    });
    const known = 'text' in body && decoded !== undefined ? { ...body, decoded } : body;
    return scopeOf(message).run(() => endpoint.handle(request, caller, known, recorded));
  }

  #begin(request: HttpRequest): StoredExchange {
    return {
      id: this.#recording.nextExchange(),
      method: request.method,
      url: request.path,
      requestHeaders: request.headers(),
      startedAt: this.#recording.now(),
    };
  }

  #answered(exchange: StoredExchange, status: number, headers: HttpHeaders): void {
    exchange.status = status;
    exchange.responseHeaders = Object.entries(headers).flat();
    exchange.headMs = this.#recording.now() - exchange.startedAt;
  }

  #find(request: HttpRequest): RecordedConversation | undefined {
    const session = request.header(SESSION_HEADER) ?? request.query('sessionId');
    return session === undefined ? undefined : this.#sessions.get(session);
  }

  /** A session begins: what was said before it had a name belongs to it too. */
  #remember(session: string, request: HttpRequest, conversation: RecordedConversation): void {
    if (this.#sessions.has(session)) return;
    const [oldest] = this.#sessions.keys();
    if (this.#sessions.size >= MAX_SESSIONS && oldest !== undefined) this.#sessions.delete(oldest);
    this.#connections += 1;
    conversation.moved(this.#origin(request, this.#connections));
    this.#sessions.set(session, conversation);
  }

  #create(request: HttpRequest, connection: number): RecordedConversation {
    return new RecordedConversation(this.#recording, this.#origin(request, connection));
  }

  #origin(request: HttpRequest, connection: number): ConstructorParameters<typeof RecordedConversation>[1] {
    const legacy = request.query('sessionId') !== undefined || request.path.endsWith('/sse');
    return {
      server: this.#server,
      source: 'chain',
      hop: 'client',
      connection,
      transport: legacy ? 'sse' : 'http',
    };
  }
}

interface ResponseEvents {
  /** The request whose answer this is, where it is only one. */
  readonly about: RequestId | undefined;
  answered(status: number, headers: HttpHeaders): void;
  said(text: string, streamed: boolean, about: RequestId | undefined): void;
  /** The first transport names the place for messages, and with it the connection. */
  located(session: string): void;
  over(): void;
  /** The client has gone before the answer was complete, or after. */
  left(): void;
}

class RecordedResponse implements HttpResponse {
  readonly #inner: HttpResponse;
  readonly #events: ResponseEvents;

  constructor(inner: HttpResponse, events: ResponseEvents) {
    this.#inner = inner;
    this.#events = events;
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    this.#events.answered(status, headers);
    if (body !== undefined) this.#events.said(body, false, this.#events.about);
    this.#events.over();
    this.#inner.send(status, headers, body);
  }

  stream(status: number, headers: HttpHeaders): HttpStream {
    this.#events.answered(status, headers);
    return new RecordedStream(this.#inner.stream(status, headers), this.#events);
  }

  onDisconnect(handler: () => void): void {
    this.#inner.onDisconnect(() => {
      this.#events.over();
      this.#events.left();
      handler();
    });
  }
}

class RecordedStream implements HttpStream {
  readonly #inner: HttpStream;
  readonly #events: ResponseEvents;
  readonly #reader: SseReader;

  constructor(inner: HttpStream, events: ResponseEvents) {
    this.#inner = inner;
    this.#events = events;
    this.#reader = new SseReader({
      maxEventLength: MAX_EVENT_LENGTH,
      onEvent: ({ type, data }) => {
        const session = type === 'endpoint' ? /[?&]sessionId=([^&]+)/.exec(data)?.[1] : undefined;
        if (session !== undefined) events.located(session);
        else if (data !== '') events.said(data, true, events.about);
      },
      onRetry: () => {},
      onOversize: () => {},
    });
  }

  get pending(): number {
    return this.#inner.pending;
  }

  write(chunk: string): boolean {
    this.#reader.pushText(chunk);
    return this.#inner.write(chunk);
  }

  end(): void {
    this.#events.over();
    this.#inner.end();
  }

  destroy(): void {
    this.#events.over();
    this.#inner.destroy();
  }
}

/** What is sent upstream while a message is handled belongs to its call. */
function scopeOf(message: StoredMessage | undefined): CallScope {
  return new CallScope({ group: message?.kind === 'request' ? message.group : undefined });
}

function decodeBody(body: HttpBody): Decoded | Batch {
  if ('text' in body) return decodeText(body.text);
  return Array.isArray(body.value) ? { kind: 'batch', items: body.value } : decodeValue(body.value);
}

function headerOf(headers: HttpHeaders, name: string): string | undefined {
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return found?.[1];
}
