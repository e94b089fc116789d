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
} from '../../../protocol/mirrored-headers.js';
import { TransportError } from '../../errors.js';
import type { HttpAuthorization } from './authorization.js';
import type { HttpRequester } from './requester.js';

export type HeaderRecord = Readonly<Record<string, string>>;
/** Fixed headers, or a function that is asked before every request (for tokens that expire). */
export type HeaderSource = HeaderRecord | (() => HeaderRecord | Promise<HeaderRecord>);

export interface EndpointOptions {
  readonly url: URL;
  readonly headers: HeaderSource | undefined;
  /** Credentials for this server, called before each request and after refusals. */
  readonly authorization?: HttpAuthorization | undefined;
  readonly requester: HttpRequester;
  /** How long the head of an answer may take. Default: no limit. */
  readonly headTimeoutMs: number | undefined;
}

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

  get authorization(): HttpAuthorization | undefined {
    return this.#options.authorization;
  }

  /** The same server, headers and connections behind another path. */
  at(url: URL): Endpoint {
    this.assertOwn(url);
    const target = new URL(url);
    target.username = this.#options.url.username;
    target.password = this.#options.url.password;
    return new Endpoint({ ...this.#options, url: target });
  }

  /** The user's headers for the next call, at once where possible. `credentials` take precedence. */
  headers(credentials?: HeaderRecord): readonly string[] | Promise<readonly string[]> {
    const { headers } = this.#options;
    if (credentials === undefined && this.#fixed !== undefined) return this.#fixed;
    const given = typeof headers === 'function' ? headers() : (headers ?? {});
    return given instanceof Promise
      ? given.then((record) => this.#userHeaders({ ...lowerCase(record), ...credentials }))
      : this.#userHeaders({ ...lowerCase(given), ...credentials });
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

function lowerCase(record: HeaderRecord): HeaderRecord {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name.toLowerCase(), value]));
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
