/**
 * One HTTP origin as a client sees it: the user's headers on every call and nowhere else, redirects followed only
 * where they stay on that origin, and a limit on the wait for an answer.
 */

import {
  METHOD_HEADER,
  NAME_HEADER,
  PARAM_HEADER_PREFIX,
  SESSION_HEADER,
  VERSION_HEADER,
} from '../../protocol/mirrored-headers.js';
import { TransportError } from '../errors.js';
import {
  type BodyMode,
  type HttpCall,
  type HttpCallEvents,
  type HttpHandle,
  type HttpHead,
  type HttpRequester,
  networkError,
} from './requester.js';

export type HeaderRecord = Readonly<Record<string, string>>;
/** Fixed headers, or a function that is asked before every request (for tokens that expire). */
export type HeaderSource = HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);

export interface EndpointOptions {
  readonly url: URL;
  readonly headers: HeaderSource | undefined;
  readonly requester: HttpRequester;
  /** How long the head of an answer may take; no limit unless given. */
  readonly headTimeoutMs: number | undefined;
}

const MAX_REDIRECTS = 3;

/** Headers that the transport itself decides on. */
const OURS: ReadonlySet<string> = new Set([
  'accept',
  'connection',
  'content-length',
  'content-type',
  'host',
  'last-event-id',
  'transfer-encoding',
  METHOD_HEADER,
  NAME_HEADER,
  SESSION_HEADER,
  VERSION_HEADER,
]);

export class Endpoint {
  readonly requester: HttpRequester;
  readonly headTimeoutMs: number | undefined;
  readonly #options: EndpointOptions;
  /** The user's headers, where they are always the same. */
  readonly #fixed: readonly string[] | undefined;
  #url: URL;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#url = withoutCredentials(options.url);
    this.requester = options.requester;
    this.headTimeoutMs = options.headTimeoutMs;
    if (typeof options.headers !== 'function') this.#fixed = this.#userHeaders(options.headers ?? {});
  }

  get url(): URL {
    return this.#url;
  }

  /** The same server, headers and connections behind another path. */
  at(url: URL): Endpoint {
    this.assertOwn(url);
    const target = new URL(url);
    target.username = this.#options.url.username;
    target.password = this.#options.url.password;
    return new Endpoint({ ...this.#options, url: target });
  }

  /** `headers` are names and values in turn. */
  call(
    method: HttpCall['method'],
    headers: string[],
    body: string | undefined,
    events: HttpCallEvents,
  ): HttpHandle {
    const attempt = new Attempt(this, { method, url: this.#url, headers, body }, events);
    attempt.start();
    return attempt;
  }

  /** The user's headers for the next call, at once where possible. */
  headers(): readonly string[] | Promise<readonly string[]> {
    const { headers } = this.#options;
    if (this.#fixed !== undefined || typeof headers !== 'function') return this.#fixed ?? [];
    const given = headers();
    return given instanceof Promise
      ? given.then((record) => this.#userHeaders(record))
      : this.#userHeaders(given);
  }

  /** A server that has moved for good is asked at its new place from then on. */
  moved(to: URL): void {
    this.#url = to;
  }

  assertOwn(url: URL): void {
    if (url.origin === this.#url.origin) return;
    throw new TransportError(
      'http_status',
      `${this.#url.origin} refers to ${url.origin}${url.pathname}, another origin, which gets none of our headers and messages; ` +
        'use that URL directly if you trust it',
    );
  }

  #userHeaders(record: HeaderRecord): readonly string[] {
    const headers: string[] = [];
    const names = new Set<string>();
    for (const [name, value] of Object.entries(record)) {
      const lower = name.toLowerCase();
      if (OURS.has(lower) || lower.startsWith(PARAM_HEADER_PREFIX)) continue;
      names.add(lower);
      headers.push(lower, value);
    }
    for (const usual of [this.requester.usualHeaders, credentialsOf(this.#options.url)]) {
      for (let index = 0; index + 1 < usual.length; index += 2) {
        const [name = '', value = ''] = usual.slice(index, index + 2);
        if (!names.has(name)) headers.push(name, value);
      }
    }
    return headers;
  }
}

/** One call, through the user's header function and redirects to its answer. */
class Attempt implements HttpHandle, HttpCallEvents {
  readonly #endpoint: Endpoint;
  readonly #events: HttpCallEvents;
  #call: HttpCall;
  #handle: HttpHandle | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #redirects = 0;
  /** The place to go to next, found in the head of a redirect. */
  #next: URL | undefined;
  #over = false;

  constructor(endpoint: Endpoint, call: HttpCall, events: HttpCallEvents) {
    this.#endpoint = endpoint;
    this.#call = call;
    this.#events = events;
  }

  start(): void {
    const { headTimeoutMs } = this.#endpoint;
    if (headTimeoutMs !== undefined)
      this.#timer = setTimeout(() => this.#tooLate(headTimeoutMs), headTimeoutMs);
    try {
      const headers = this.#endpoint.headers();
      if (headers instanceof Promise) {
        headers.then(
          (given) => this.#send(given),
          (error: unknown) => this.failed(headersFailed(error)),
        );
      } else this.#send(headers);
    } catch (error) {
      this.failed(headersFailed(error));
    }
  }

  abort(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#handle?.abort();
  }

  head(head: HttpHead): BodyMode {
    if (head.status < 300 || head.status >= 400 || head.status === 304) {
      clearTimeout(this.#timer);
      return this.#events.head(head);
    }
    this.#next = this.#redirect(head);
    return 'none';
  }

  text(body: string): void {
    this.#events.text(body);
  }

  chunk(bytes: Uint8Array): void {
    this.#events.chunk(bytes);
  }

  end(): void {
    const next = this.#next;
    if (next === undefined) return this.#events.end();
    this.#next = undefined;
    this.#call = { ...this.#call, url: next };
    this.start();
  }

  failed(error: TransportError): void {
    if (this.#over) return;
    this.abort();
    this.#events.failed(error);
  }

  #send(headers: readonly string[]): void {
    if (this.#over) return;
    const call = { ...this.#call, headers: [...headers, ...this.#call.headers] };
    try {
      this.#handle = this.#endpoint.requester.request(call, this);
    } catch (error) {
      // A header that no request may have, for instance.
      return this.failed(networkError(call.url, error));
    }
    if (this.#over) this.#handle.abort();
  }

  /** Where to go next; undefined when that would be wrong, and the call has failed. */
  #redirect(head: HttpHead): URL | undefined {
    const { status } = head;
    const location = head.header('location');
    const { url, method } = this.#call;
    try {
      this.#redirects += 1;
      if (location === undefined || this.#redirects > MAX_REDIRECTS) {
        throw redirectError(url, status, 'it does not lead to a server');
      }
      // The other statuses turn a POST into a GET, which is no MCP message any more.
      if (method === 'POST' && status !== 307 && status !== 308) {
        throw redirectError(url, status, `use the URL that it names instead: ${new URL(location, url).href}`);
      }
      const target = new URL(location, url);
      this.#endpoint.assertOwn(target);
      if (status === 308 && url === this.#endpoint.url) this.#endpoint.moved(target);
      return target;
    } catch (error) {
      this.failed(
        error instanceof TransportError ? error : redirectError(url, status, 'it names no valid URL'),
      );
      return undefined;
    }
  }

  #tooLate(milliseconds: number): void {
    const { url } = this.#call;
    this.failed(
      new TransportError(
        'network',
        `${url.origin} did not answer within ${milliseconds} ms; check that the server runs`,
        {
          mayHaveActed: true,
        },
      ),
    );
  }
}

function redirectError(url: URL, status: number, advice: string): TransportError {
  return new TransportError(
    'http_status',
    `${url.origin}${url.pathname} redirects (HTTP ${status}); ${advice}`,
    { status },
  );
}

function headersFailed(cause: unknown): TransportError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new TransportError('network', `The headers function failed, so nothing was sent: ${detail}`, {
    cause,
  });
}

/** `fetch` refuses URLs with a password in them, and logs must not show one. */
function withoutCredentials(url: URL): URL {
  const clean = new URL(url);
  clean.username = '';
  clean.password = '';
  return clean;
}

function credentialsOf({ username, password }: URL): readonly string[] {
  if (username === '' && password === '') return [];
  const bytes = new TextEncoder().encode(`${unescaped(username)}:${unescaped(password)}`);
  return ['authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
