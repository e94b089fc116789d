/**
 * One HTTP exchange, without the runtime: the Node listener and the fetch handler both become this,
 * and everything that knows MCP is written once against it.
 */

import type { Batch, Decoded } from '../../../jsonrpc/decode.js';
import type { JsonObject } from '../../../jsonrpc/message.js';
import type { AuthInfo } from '../../../protocol/authorization.js';
import type { Awaitable } from '../../../protocol/awaitable.js';
import type { HttpLimits } from './limits.js';

export interface HttpRequest {
  /** Upper case. */
  readonly method: string;
  readonly path: string;
  /** A query parameter. */
  query(name: string): string | undefined;
  /** A header by its lower-case name; several fields of one name are joined by a comma. */
  header(name: string): string | undefined;
  /** All of them, names and values in turn; for those who watch. */
  headers(): readonly string[];
  /** Where it comes from, as far as the runtime knows: an IPv4 address, or the network of an IPv6 address. */
  readonly address?: string | undefined;
}

export type HttpHeaders = Readonly<Record<string, string>>;

export interface HttpResponse {
  /** The whole answer at once. */
  send(status: number, headers: HttpHeaders, body?: string): void;
  /**
   * The same in parts, where some of it is bytes already. Optional: an adapter that cannot use bytes omits
   * it.
   */
  sendParts?(status: number, headers: HttpHeaders, parts: readonly (string | Uint8Array)[]): void;
  /** The beginning of an answer that is written bit by bit. */
  stream(status: number, headers: HttpHeaders): HttpStream;
  /** Called once if the client goes away before the answer is complete. */
  onDisconnect(handler: () => void): void;
}

export interface HttpStream {
  /** False when the client is gone. Never blocks; `pending` is how much waits to be read. */
  write(chunk: string): boolean;
  /** Characters (about) written and not yet taken by the client. */
  readonly pending: number;
  end(): void;
  /** Ends the connection without a proper end of the answer. */
  destroy(): void;
}

/** The caller, as identified by the credentials of the request. */
export interface HttpCaller {
  readonly principal: string | undefined;
  /** What the access token says, where there was one. */
  readonly auth?: AuthInfo | undefined;
}

/** Identifies the caller. Runs on every request, before its body is read. */
export type Authenticate = (request: HttpRequest) => Awaitable<HttpCaller | Unauthenticated>;

export interface Unauthenticated {
  readonly status: 401 | 403;
  readonly headers?: HttpHeaders;
  readonly message: string;
}

/** Protects an endpoint: verifies callers, challenges them, and publishes where they get their credentials. */
export interface HttpAuth {
  readonly authenticate: Authenticate;
  /** The refusal of a call that needs scopes which the caller was not granted. */
  forbid(needed: readonly string[], caller: HttpCaller): Unauthenticated;
  /**
   * Documents that any client may read without credentials, by path, for an endpoint that is served at
   * `path`.
   */
  documents(path: string): ReadonlyMap<string, JsonObject>;
}

/** What serves requests at a path. */
export interface HttpEndpoint {
  readonly limits: HttpLimits;
  /** Headers of every JSON answer to this request. */
  headersFor(request: HttpRequest): HttpHeaders;
  /** Judges a request before its body is read; undefined when it has been answered with a refusal. */
  admit(request: HttpRequest, response: HttpResponse): Awaitable<HttpCaller | undefined>;
  handle(request: HttpRequest, caller: HttpCaller, body: HttpBody, response: HttpResponse): Awaitable<void>;
}

/** The text of the body, with what it says where that was read already, or a value that a framework has parsed. */
export type HttpBody =
  | { readonly text: string; readonly decoded?: Decoded | Batch }
  | { readonly value: unknown };
