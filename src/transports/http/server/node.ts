/** HTTP on Node, without web Request and Response objects: those cost more than everything else together. */

import type { IncomingMessage, ServerResponse } from 'node:http';
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../../jsonrpc/codes.js';
import { type BodyReceiver, readNodeBody } from '../node-body.js';
import type {
  HttpBody,
  HttpCaller,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
  HttpStream,
} from './exchange.js';
import { endAfterRequest, isUnread } from './node-linger.js';
import { joinLine, onConnectionLost } from './node-pipeline.js';

/** A request that Express or another framework may have parsed already. */
export type NodeRequest = IncomingMessage & { readonly body?: unknown };

export type NodeHandler = (request: NodeRequest, response: ServerResponse) => void;

export function createNodeHandler(endpoint: HttpEndpoint, onError: (error: unknown) => void): NodeHandler {
  return (incoming, outgoing) => new NodeExchange(endpoint, onError, incoming, outgoing).run();
}

const EMPTY_BODY: HttpBody = { text: '' };

/** What a framework left in `request.body`: text and bytes are still to be parsed, anything else is. */
function bodyOf(body: unknown): HttpBody {
  if (typeof body === 'string') return { text: body };
  return body instanceof Uint8Array ? { text: Buffer.from(body).toString('utf8') } : { value: body };
}

/** Admission, body, answer: each goes on at once where the one before did not make it wait. */
class NodeExchange implements HttpRequest, HttpResponse, BodyReceiver {
  readonly #endpoint: HttpEndpoint;
  readonly #onError: (error: unknown) => void;
  readonly #incoming: NodeRequest;
  readonly #outgoing: ServerResponse;
  #caller: HttpCaller | undefined;
  #lingers = false;
  /** Its body has been read to the end. */
  #isRead = false;

  constructor(
    endpoint: HttpEndpoint,
    onError: (error: unknown) => void,
    incoming: NodeRequest,
    outgoing: ServerResponse,
  ) {
    this.#endpoint = endpoint;
    this.#onError = onError;
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  run(): void {
    // What was sent ahead on a connection that has closed since: there is no client left to answer.
    const { socket } = this.#incoming;
    if (socket?.destroyed === true || (this.#outgoing.socket === null && !joinLine(socket, this.#outgoing)))
      return;
    try {
      const admitted = this.#endpoint.admit(this, this);
      if (!(admitted instanceof Promise)) {
        this.#admitted(admitted);
        return;
      }
      this.#linger();
      admitted.then((caller) => this.#admitted(caller)).catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
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

  get address(): string | undefined {
    const address = this.#incoming.socket?.remoteAddress;
    return address?.includes(':') === true ? networkOf(address) : address;
  }

  headers(): readonly string[] {
    return this.#incoming.rawHeaders;
  }

  received(text: string): void {
    this.#isRead = true;
    this.#handle({ text });
  }

  /** Closes the connection too: the rest of the body would be taken for the next request. */
  unreadable(status: 408 | 413, message: string): void {
    // A client that is too slow is not waited for any longer.
    if (status === 408) this.#isRead = true;
    const body = JSON.stringify({ jsonrpc: '2.0', error: { code: INVALID_REQUEST, message } });
    this.send(status, { ...this.#endpoint.headersFor(this), Connection: 'close' }, body);
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    const outgoing = this.#outgoing;
    if (outgoing.headersSent || outgoing.destroyed) return;
    // A list of names and values: Node writes it as it is, where it would have to enumerate a new object.
    const fields: (string | number)[] = [];
    for (const name in headers) {
      if (body !== undefined || name !== 'Content-Type') fields.push(name, headers[name] ?? '');
    }
    if (body === undefined) {
      if (status !== 204) fields.push('Content-Length', 0);
      outgoing.writeHead(status, fields);
      if (this.#isRead) outgoing.end();
      else endAfterRequest(this.#incoming, outgoing);
      return;
    }
    const length = Buffer.byteLength(body);
    fields.push('Content-Length', length);
    // No longer than its characters are many, so it is ASCII. Node then reserves a third of the memory, and need not encode.
    const encoding = length === body.length ? 'latin1' : 'utf8';
    outgoing.writeHead(status, fields);
    if (!this.#isRead) {
      // Refused before its body was read.
      if (!isUnread(this.#incoming)) outgoing.end(body, encoding);
      else {
        outgoing.write(body, encoding);
        endAfterRequest(this.#incoming, outgoing);
      }
      return;
    }
    // `end(body)` would hand Node a second, empty piece, and it writes several pieces in a slower way than one. Corked,
    // the body leaves as soon as it is uncorked, and not a tick later.
    outgoing.cork();
    outgoing.write(body, encoding);
    outgoing.uncork();
    outgoing.end();
  }

  sendParts(status: number, headers: HttpHeaders, parts: readonly (string | Uint8Array)[]): void {
    const outgoing = this.#outgoing;
    if (outgoing.headersSent || outgoing.destroyed) return;
    const fields: (string | number)[] = [];
    for (const name in headers) fields.push(name, headers[name] ?? '');
    fields.push(
      'Content-Length',
      parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0),
    );
    outgoing.writeHead(status, fields);
    // Written within one tick, they leave together.
    for (const part of parts) outgoing.write(part);
    outgoing.end();
  }

  stream(status: number, headers: HttpHeaders): HttpStream {
    this.#linger();
    this.#outgoing.writeHead(status, headers);
    // The client should see the stream open before its first event.
    this.#outgoing.flushHeaders();
    return new NodeStream(this.#outgoing);
  }

  onDisconnect(handler: () => void): void {
    const outgoing = this.#outgoing;
    const { socket } = this.#incoming;
    if (outgoing.closed || socket?.destroyed === true) handler();
    else {
      if (outgoing.socket === null) onConnectionLost(socket, outgoing, handler);
      outgoing.once('close', () => {
        if (!outgoing.writableFinished) handler();
      });
    }
  }

  #admitted(caller: HttpCaller | undefined): void {
    if (caller === undefined) return;
    this.#caller = caller;
    const { method, body } = this.#incoming;
    if (method !== 'POST') this.#handle(EMPTY_BODY);
    else if (body !== undefined) this.#handle(bodyOf(body));
    else readNodeBody(this.#incoming, this.#endpoint.limits, this);
  }

  #handle(body: HttpBody): void {
    const caller = this.#caller;
    if (caller === undefined) return;
    try {
      const handled = this.#endpoint.handle(this, caller, body, this);
      if (!(handled instanceof Promise)) return;
      this.#linger();
      handled.catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    this.#onError(error);
    if (this.#outgoing.headersSent) this.#outgoing.destroy();
    else this.send(500, JSON_HEADERS, INTERNAL_ERROR_BODY);
  }

  /** Called when the answer does not come within this tick: the client may go away while it is made. */
  #linger(): void {
    if (this.#lingers) return;
    this.#lingers = true;
    // Errors of the socket are disconnects; without a listener they would end the process.
    this.#outgoing.on('error', ignore);
  }
}

const JSON_HEADERS: HttpHeaders = { 'Content-Type': 'application/json' };
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

/** One customer has a whole network of IPv6 addresses (the first 64 bits), and must not count as many. */
function networkOf(address: string): string {
  if (address.startsWith('::ffff:')) return address.slice('::ffff:'.length);
  const [head = ''] = address.split('::');
  const groups = head.split(':');
  return groups.length < 4 ? address : `${groups.slice(0, 4).join(':')}::`;
}

function ignore(): void {}
