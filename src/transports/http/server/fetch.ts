/** HTTP on runtimes whose server API is `fetch(request) -> response`: Deno, Bun, Workers, Hono. */

import { decodeUtf8 } from '../../../framing/line-buffer.js';
import { INTERNAL_ERROR, INVALID_REQUEST } from '../../../jsonrpc/codes.js';
import { runDueWork } from '../../../protocol/repeated-work.js';
import { isWorker } from '../../../protocol/runtime.js';
import { BodyBytes } from '../body-bytes.js';
import type {
  HttpBody,
  HttpEndpoint,
  HttpHeaders,
  HttpRequest,
  HttpResponse,
  HttpStream,
} from './exchange.js';

export async function serveFetch(
  endpoint: HttpEndpoint,
  request: Request,
  onError: (error: unknown) => void,
): Promise<Response> {
  const exchange = new FetchExchange(request);
  if (isWorker()) {
    runDueWork();
    exchange.keepOpen();
  }
  run(endpoint, request, exchange).catch((error: unknown) => {
    onError(error);
    exchange.fail();
  });
  return exchange.response;
}

async function run(endpoint: HttpEndpoint, request: Request, exchange: FetchExchange): Promise<void> {
  const caller = await endpoint.admit(exchange, exchange);
  if (caller === undefined) return;
  const { bodyBytes, requestTimeout } = endpoint.limits;
  const body = request.method === 'POST' ? await readBody(request, bodyBytes, requestTimeout) : EMPTY_BODY;
  if (typeof body === 'object') return endpoint.handle(exchange, caller, body, exchange);
  const [status, message] = REFUSALS[body];
  exchange.send(status, endpoint.headersFor(exchange), encodeFailure(INVALID_REQUEST, message(bodyBytes)));
}

type Unreadable = 'too_large' | 'too_slow' | 'broken';

const EMPTY_BODY: HttpBody = { text: '' };
const JSON_HEADERS: HttpHeaders = { 'Content-Type': 'application/json' };
const REFUSALS: Readonly<Record<Unreadable, readonly [number, (maxBytes: number) => string]>> = {
  too_large: [413, (maxBytes) => `The request body is larger than ${maxBytes} bytes`],
  too_slow: [408, () => 'The request body did not come in time'],
  // There is no reader left.
  broken: [400, () => 'The request body ended early'],
};

/** The body as text, or why it is not there. */
async function readBody(
  request: Request,
  maxBytes: number,
  timeoutMs: number,
): Promise<HttpBody | Unreadable> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return 'too_large';
  if (request.body === null) return EMPTY_BODY;
  const reader = request.body.getReader();
  let timer: ReturnType<typeof setTimeout> | undefined;
  // A client that sends a byte a minute must not hold a request open for ever.
  const late = new Promise<'too_slow'>((resolve) => {
    timer = setTimeout(() => resolve('too_slow'), timeoutMs);
  });
  const body = await Promise.race([readText(reader, maxBytes), late]);
  clearTimeout(timer);
  if (typeof body === 'string') reader.cancel().catch(() => undefined);
  return body;
}

async function readText(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  maxBytes: number,
): Promise<HttpBody | Unreadable> {
  const body = new BodyBytes();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A byte order mark stays, as on Node: what is not JSON there must not be JSON here.
      if (done) return { text: decodeUtf8(body.take()) };
      if (body.length + value.byteLength > maxBytes) return 'too_large';
      body.add(value);
    }
  } catch {
    return 'broken';
  }
}

function encodeFailure(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code, message } });
}

/** How often an open exchange of a Worker looks after what is due. */
const PULSE_MS = 5_000;

class FetchExchange implements HttpRequest, HttpResponse {
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #url: URL;
  readonly #gone = new Set<() => void>();
  #stream: FetchStream | undefined;
  #done = false;
  #pulse: ReturnType<typeof setInterval> | undefined;
  #resolve!: (response: Response) => void;

  constructor(request: Request) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    const abort = (): void => {
      this.#disconnected();
      // Runtimes report a stream that fails; the client is gone, so ending the stream misleads no reader.
      this.#stream?.end();
    };
    request.signal.addEventListener('abort', abort, { once: true });
  }

  /**
   * Workers cancel a request that waits for nothing of its own, as a stream does that other requests write to, and a call
   * that another request answers. A timer is something to wait for. It has to be set in this request.
   */
  keepOpen(): void {
    const pulse = setInterval(() => {
      // Another request may have ended the stream; it cannot clear this timer.
      if (this.#done) clearInterval(pulse);
      else runDueWork();
    }, PULSE_MS);
    this.#pulse = pulse;
  }

  get method(): string {
    return this.#request.method;
  }

  get path(): string {
    return this.#url.pathname;
  }

  query(name: string): string | undefined {
    return this.#url.searchParams.get(name) ?? undefined;
  }

  header(name: string): string | undefined {
    // Requests made in-process carry no Host header; the URL says the same.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#url.host : undefined);
  }

  headers(): readonly string[] {
    return [...this.#request.headers].flat();
  }

  send(status: number, headers: HttpHeaders, body?: string): void {
    const { 'Content-Type': _, ...rest } = headers;
    this.#resolve(new Response(body ?? null, { status, headers: body === undefined ? rest : headers }));
    this.#finish();
  }

  stream(status: number, headers: HttpHeaders): HttpStream {
    this.#stream = new FetchStream(
      () => this.#disconnected(),
      () => this.#finish(),
    );
    this.#resolve(new Response(this.#stream.readable, { status, headers }));
    return this.#stream;
  }

  onDisconnect(handler: () => void): void {
    if (this.#request.signal.aborted) handler();
    else this.#gone.add(handler);
  }

  /** The handler threw: whatever was sent so far must not look complete. */
  fail(): void {
    if (this.#stream === undefined)
      this.send(500, JSON_HEADERS, encodeFailure(INTERNAL_ERROR, 'Internal error'));
    else this.#stream.destroy();
  }

  #finish(): void {
    this.#done = true;
    clearInterval(this.#pulse);
    this.#gone.clear();
  }

  #disconnected(): void {
    const handlers = [...this.#gone];
    this.#finish();
    for (const handler of handlers) handler();
  }
}

class FetchStream implements HttpStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  readonly #onEnd: () => void;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onCancel: () => void, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        cancel: () => {
          this.#controller = undefined;
          onCancel();
        },
      },
      // Counting bytes makes `desiredSize` show how much waits to be read.
      { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get pending(): number {
    return 0 - (this.#controller?.desiredSize ?? 0);
  }

  write(chunk: string): boolean {
    if (this.#controller === undefined) return false;
    this.#controller.enqueue(this.#encoder.encode(chunk));
    return true;
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
    this.#onEnd();
  }

  destroy(): void {
    this.#controller?.error(new Error('The answer was cut off'));
    this.#controller = undefined;
  }
}
