/** HTTP on runtimes whose server API is `fetch(request) -> response`: Deno, Bun, Workers, Hono. */

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
  run(endpoint, request, exchange).catch((error: unknown) => {
    onError(error);
    exchange.send(
      500,
      { 'Content-Type': 'application/json' },
      '{"jsonrpc":"2.0","error":{"code":-32603,"message":"Internal error"}}',
    );
  });
  return exchange.response;
}

async function run(endpoint: HttpEndpoint, request: Request, exchange: FetchExchange): Promise<void> {
  const caller = await endpoint.admit(exchange, exchange);
  if (caller === undefined) return;
  const body = request.method === 'POST' ? await readBody(request, endpoint.limits.bodyBytes) : { text: '' };
  if (body === undefined) {
    const message = `The request body is larger than ${endpoint.limits.bodyBytes} bytes`;
    exchange.send(
      413,
      { 'Content-Type': 'application/json' },
      JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message } }),
    );
    return;
  }
  await endpoint.handle(exchange, caller, body, exchange);
}

/** The body as text; undefined as soon as it is longer than allowed. */
async function readBody(request: Request, maxBytes: number): Promise<HttpBody | undefined> {
  if (Number(request.headers.get('content-length') ?? 0) > maxBytes) return undefined;
  if (request.body === null) return { text: '' };
  const decoder = new TextDecoder();
  const reader = request.body.getReader();
  let text = '';
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode() };
    bytes += value.byteLength;
    if (bytes > maxBytes) {
      await reader.cancel();
      return undefined;
    }
    text += decoder.decode(value, { stream: true });
  }
}

class FetchExchange implements HttpRequest, HttpResponse {
  readonly response: Promise<Response>;
  readonly #request: Request;
  readonly #url: URL;
  readonly #gone = new Set<() => void>();
  #resolve!: (response: Response) => void;

  constructor(request: Request) {
    this.#request = request;
    this.#url = new URL(request.url);
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    request.signal.addEventListener('abort', () => this.#disconnected(), { once: true });
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

  send(status: number, headers: HttpHeaders, body?: string): void {
    const { 'Content-Type': type, ...rest } = headers;
    this.#resolve(new Response(body ?? null, { status, headers: body === undefined || type === undefined ? rest : headers }));
  }

  stream(status: number, headers: HttpHeaders): HttpStream {
    const stream = new FetchStream(() => this.#disconnected());
    this.#resolve(new Response(stream.readable, { status, headers }));
    return stream;
  }

  onDisconnect(handler: () => void): void {
    if (this.#request.signal.aborted) handler();
    else this.#gone.add(handler);
  }

  #disconnected(): void {
    const handlers = [...this.#gone];
    this.#gone.clear();
    for (const handler of handlers) handler();
  }
}

class FetchStream implements HttpStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #encoder = new TextEncoder();
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  constructor(onCancel: () => void) {
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
      // Counting bytes makes `desiredSize` tell how much is waiting to be read.
      { highWaterMark: 0, size: (chunk) => chunk?.byteLength ?? 0 },
    );
  }

  get pending(): number {
    return -(this.#controller?.desiredSize ?? 0);
  }

  write(chunk: string): boolean {
    if (this.#controller === undefined) return false;
    this.#controller.enqueue(this.#encoder.encode(chunk));
    return true;
  }

  end(): void {
    this.#controller?.close();
    this.#controller = undefined;
  }

  destroy(): void {
    this.#controller?.error(new Error('The reader was too slow'));
    this.#controller = undefined;
  }
}
