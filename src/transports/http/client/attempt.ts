/**
 * One call to an endpoint, through the user's header function and redirects to its answer. The user's headers are for
 * one origin: a redirect to another is refused, because following it would hand over credentials and message.
 */

import { TransportError } from '../../errors.js';
import type { AuthorizationChallenge } from './authorization.js';
import type { Endpoint, HeaderRecord } from './endpoint.js';
import {
  type BodyMode,
  type HttpCall,
  type HttpCallEvents,
  type HttpCallHandle,
  type HttpHead,
  networkError,
} from './requester.js';
import { retryAfter } from './retry-after.js';

const MAX_REDIRECTS = 3;
/** How often a request is sent again because the server asked for a pause, and how long a pause may be. */
const MAX_PAUSES = 3;
const MAX_PAUSE_MS = { 429: 60_000, 503: 10_000 };

export class HttpAttempt implements HttpCallHandle, HttpCallEvents {
  readonly #endpoint: Endpoint;
  readonly #events: HttpCallEvents;
  #call: HttpCall;
  #handle: HttpCallHandle | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #redirects = 0;
  #pauses = 0;
  /** How long the server wants to be left alone before it gets the request again. */
  #pauseMs: number | undefined;
  /** What the authorization gave for the request that is under way. */
  #sent: HeaderRecord = {};
  #refusals = 0;
  /** A refusal that new credentials may turn into an answer; its body is kept in case they do not. */
  #refused: HttpHead | undefined;
  /** The place to go to next, found in the head of a redirect. */
  #next: URL | undefined;
  #over = false;

  private constructor(endpoint: Endpoint, call: HttpCall, events: HttpCallEvents) {
    this.#endpoint = endpoint;
    this.#call = call;
    this.#events = events;
  }

  /** Calls the endpoint. `headers` are names and values in turn. */
  static begin(
    endpoint: Endpoint,
    method: HttpCall['method'],
    headers: string[],
    body: string | undefined,
    events: HttpCallEvents,
  ): HttpCallHandle {
    const attempt = new HttpAttempt(endpoint, { method, url: endpoint.url, headers, body }, events);
    attempt.#start();
    return attempt;
  }

  #start(): void {
    const { headTimeoutMs } = this.#endpoint;
    if (headTimeoutMs !== undefined)
      this.#timer = setTimeout(() => this.#tooLate(headTimeoutMs), headTimeoutMs);
    try {
      if (this.#endpoint.authorization !== undefined) {
        this.#authorized().catch((error: unknown) => this.failed(notAuthorized(error)));
        return;
      }
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

  async #authorized(): Promise<void> {
    this.#sent = (await this.#endpoint.authorization?.headers(this.#call)) ?? {};
    this.#send(await this.#endpoint.headers(this.#sent));
  }

  get hasLeft(): boolean {
    return this.#handle?.hasLeft === true;
  }

  abort(): void {
    this.#over = true;
    clearTimeout(this.#timer);
    this.#handle?.abort();
  }

  head(head: HttpHead): BodyMode {
    const { status } = head;
    if (status === 0) {
      this.failed(
        redirectError(this.#call.url, status, 'a browser does not say where to; use the final URL'),
      );
      return 'none';
    }
    if (status < 300 || status >= 400 || status === 304) {
      clearTimeout(this.#timer);
      this.#pauseMs = this.#pauseOf(head);
      if (this.#pauseMs !== undefined) return 'none';
      const { authorization } = this.#endpoint;
      if (authorization !== undefined && (status === 401 || status === 403)) {
        this.#refused = head;
        return 'text';
      }
      authorization?.answered?.({ status, header: (name) => head.header(name), sent: this.#sent });
      return this.#events.head(head);
    }
    this.#next = this.#redirect(head);
    return 'none';
  }

  text(body: string): void {
    const refused = this.#refused;
    if (refused === undefined) {
      this.#events.text(body);
      return;
    }
    this.#refused = undefined;
    this.#negotiate(refused, body).catch((error: unknown) => this.failed(refusedFor(refused, error)));
  }

  /** Gives the authorization a chance to get other credentials, and sends the request again with them. */
  async #negotiate(head: HttpHead, body: string): Promise<void> {
    this.#refusals += 1;
    const challenge: AuthorizationChallenge = {
      status: head.status === 401 ? 401 : 403,
      header: (name) => head.header(name),
      sent: this.#sent,
      attempt: this.#refusals,
    };
    const verdict = await this.#endpoint.authorization?.challenged(challenge);
    if (this.#over) return;
    if (verdict === 'retry') return this.#start();
    const mode = this.#events.head(head);
    if (mode === 'text') return this.#events.text(body);
    if (mode === 'chunks') this.#events.chunk(new TextEncoder().encode(body));
    this.#events.end();
  }

  chunk(bytes: Uint8Array): void {
    this.#events.chunk(bytes);
  }

  end(): void {
    const pauseMs = this.#pauseMs;
    if (pauseMs !== undefined) {
      this.#pauseMs = undefined;
      this.#pauses += 1;
      this.#timer = setTimeout(() => this.#start(), pauseMs);
      return;
    }
    const next = this.#next;
    if (next === undefined) {
      this.#events.end();
      return;
    }
    this.#next = undefined;
    this.#call = { ...this.#call, url: next };
    this.#start();
  }

  failed(error: TransportError): void {
    if (this.#over) return;
    this.abort();
    this.#events.failed(error);
  }

  #send(headers: readonly string[]): void {
    if (this.#over) return;
    const { method, url, body } = this.#call;
    // A list of its own: the requester adds to it, and this call may be sent again.
    const call = { method, url, headers: headers.concat(this.#call.headers), body };
    try {
      this.#handle = this.#endpoint.requester.request(call, this);
    } catch (error) {
      // A header that no request may have, for instance.
      this.failed(networkError(url, error));
    }
    if (this.#over) this.#handle?.abort();
  }

  /** A server that names a time did not act on the request (RFC 9110, 10.2.3). */
  #pauseOf(head: HttpHead): number | undefined {
    const { status } = head;
    if ((status !== 429 && status !== 503) || this.#pauses === MAX_PAUSES) return undefined;
    const wait = retryAfter(head.header('retry-after'));
    return wait === undefined || wait > MAX_PAUSE_MS[status] ? undefined : wait;
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
        // Without a handle it was the credentials or the headers that took so long.
        { mayHaveActed: this.hasLeft },
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

function refusedFor(head: HttpHead, cause: unknown): TransportError {
  const { status } = head;
  const challenge = head.header('www-authenticate');
  const message = cause instanceof Error ? cause.message : String(cause);
  return new TransportError(status === 401 ? 'unauthorized' : 'forbidden', message, {
    cause,
    status,
    ...(challenge === undefined ? {} : { wwwAuthenticate: challenge }),
  });
}

/** No credentials could be had, so nothing was sent. */
function notAuthorized(cause: unknown): TransportError {
  return new TransportError('unauthorized', cause instanceof Error ? cause.message : String(cause), {
    cause,
  });
}

function headersFailed(cause: unknown): TransportError {
  const detail = cause instanceof Error ? cause.message : String(cause);
  return new TransportError('network', `The headers function failed, so nothing was sent: ${detail}`, {
    cause,
  });
}
