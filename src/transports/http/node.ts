/** HTTP on Node, without web Request and Response objects: those cost more than everything else together. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../jsonrpc/codes.js';
import type {
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
  HttpStream,
} from './exchange.js';

/** A request that Express or another framework may have parsed already. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown };

export type NodeHandler = (request: NodeRequest, response: ServerResponse) => void;

export function createNodeHandler(endpoint: HttpEndpoint, onError: (error: unknown) => void): NodeHandler {
  return (incoming, outgoing) => {
    const exchange = new NodeExchange(incoming, outgoing);
    const fail = (error: unknown): void => {
      onError(error);
      exchange.fail();
    };
    // Errors of the socket are disconnects; without a listener they would end the process.
    outgoing.on('error', ignore);
    try {
      const admitted = endpoint.admit(exchange, exchange);
      if (admitted instanceof Promise)
        admitted.then((caller) => proceed(endpoint, exchange, caller, fail), fail);
      else proceed(endpoint, exchange, admitted, fail);
    } catch (error) {
      fail(error);
    }
  };
}

function proceed(
  endpoint: HttpEndpoint,
  exchange: NodeExchange,
  caller: HttpCaller | undefined,
  fail: (error: unknown) => void,
): void {
  if (caller === undefined) return;
  const handle = (body: HttpBody): void => {
    try {
      const handled = endpoint.handle(exchange, caller, body, exchange);
      if (handled instanceof Promise) handled.catch(fail);
    } catch (error) {
      fail(error);
    }
  };
  try {
    exchange.readBody(endpoint, handle);
  } catch (error) {
    fail(error);
  }
}

const EMPTY_BODY: HttpBody = { text: '' };

/** What a framework left in `request.body`: text and bytes are still to be parsed, anything else is. */
function bodyOf(body: unknown): HttpBody {
  if (typeof body === 'string') return { text: body };
  return body instanceof Uint8Array ? { text: Buffer.from(body).toString('utf8') } : { value: body };
}

class NodeExchange implements HttpRequest, HttpResponse {
  readonly #incoming: NodeRequest;
  readonly #outgoing: ServerResponse;

  constructor(incoming: NodeRequest, outgoing: ServerResponse) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  get method(): string {
    return this.#incoming.method ?? '';
  }

  get path(): string {
    const url = this.#incoming.url ?? '/';
    const query = url.indexOf('?');
    return query === -1 ? url : url.slice(0, query);
  }

  query(name: string): string | undefined {
    const url = this.#incoming.url ?? '/';
    const query = url.indexOf('?');
    return query === -1 ? undefined : (new URLSearchParams(url.slice(query + 1)).get(name) ?? undefined);
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  /** Calls `done` with the whole body, or answers with the refusal itself. */
  readBody(endpoint: HttpEndpoint, done: (body: HttpBody) => void): void {
    const incoming = this.#incoming;
    const { bodyBytes: maxBytes, requestMs } = endpoint.limits;
    const tooLarge = `The request body is larger than ${maxBytes} bytes`;
    if (incoming.method !== 'POST' || incoming.body !== undefined) {
      done(incoming.method === 'POST' ? bodyOf(incoming.body) : EMPTY_BODY);
      return;
    }
    // It left while its credentials were checked; nothing will come any more.
    if (incoming.destroyed && !incoming.readableEnded) return;
    if (incoming.readableEnded) {
      throw new Error('The request body was read before; pass what was read on as "request.body"');
    }
    if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) {
      this.#unreadable(endpoint, 413, tooLarge);
      return;
    }
    const chunks: Buffer[] = [];
    let bytes = 0;
    // A client that sends a byte a minute must not hold a request open for ever.
    const timer = setTimeout(() => {
      stop();
      this.#unreadable(endpoint, 408, 'The request body did not come in time');
    }, requestMs);
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        stop();
        this.#unreadable(endpoint, 413, tooLarge);
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      stop();
      const [first] = chunks;
      const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, bytes);
      done({ text: whole.toString('utf8') });
    };
    const stop = (): void => {
      clearTimeout(timer);
      incoming.off('data', onData).off('end', onEnd).off('error', stop).off('close', stop);
    };
    incoming.on('data', onData).on('end', onEnd).on('error', stop).on('close', stop);
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    const outgoing = this.#outgoing;
    if (outgoing.headersSent || outgoing.destroyed) return;
    if (body === undefined) {
      const { 'Content-Type': _, ...rest } = headers;
      outgoing.writeHead(status, status === 204 ? rest : { ...rest, 'Content-Length': 0 }).end();
      return;
    }
    outgoing.writeHead(status, { ...headers, 'Content-Length': Buffer.byteLength(body) }).end(body);
  }

  stream(status: number, headers: HttpHeaders): HttpStream {
    this.#outgoing.writeHead(status, headers);
    // The client should see the stream open before its first event.
    this.#outgoing.flushHeaders();
    return new NodeStream(this.#outgoing);
  }

  onDisconnect(handler: () => void): void {
    const outgoing = this.#outgoing;
    if (outgoing.closed) handler();
    else {
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) handler();
      });
    }
  }

  fail(): void {
    if (this.#outgoing.headersSent) this.#outgoing.destroy();
    else this.send(500, { 'Content-Type': 'application/json' }, INTERNAL_ERROR_BODY);
  }

  /** Closes the connection too: the rest of the body would be taken for the next request. */
  #unreadable(endpoint: HttpEndpoint, status: 408 | 413, message: string): void {
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code: INVALID_REQUEST, message } });
    this.send(status, { ...endpoint.headersFor(this), Connection: 'close' }, body);
  }
}

const INTERNAL_ERROR_BODY = JSON.stringify({
  jsonrpc: '2.0',
  error: { code: INTERNAL_ERROR, message: 'Internal error' },
});

class NodeStream implements HttpStream {
  readonly #outgoing: ServerResponse;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
  }

  get pending(): number {
    return this.#outgoing.writableLength;
  }

  write(chunk: string): boolean {
    if (this.#outgoing.destroyed || this.#outgoing.writableEnded) return false;
    this.#outgoing.write(chunk);
    return true;
  }

  end(): void {
    if (!this.#outgoing.destroyed) this.#outgoing.end();
  }

  destroy(): void {
    this.#outgoing.destroy();
  }
}

function ignore(): void {}
