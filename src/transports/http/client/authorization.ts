/**
 * The interface between the HTTP client and its credentials: called before each request, and after refusals.
 */

import type { Awaitable } from '../../../protocol/awaitable.js';

export interface AuthorizedRequest {
  readonly method: string;
  readonly url: URL;
  readonly body: string | undefined;
}

/** An answer, as far as credentials are concerned. */
export interface AuthorizedAnswer {
  readonly status: number;
  /** A header of the answer by its lower-case name. */
  header(name: string): string | undefined;
  /** The headers that `headers` gave for the request. */
  readonly sent: Readonly<Record<string, string>>;
}

export interface AuthorizationChallenge extends AuthorizedAnswer {
  readonly status: 401 | 403;
  /** 1 for the first refusal of this request, 2 for the refusal of its first repetition, and so on. */
  readonly attempt: number;
}

/** Credentials for one server. */
export interface HttpAuthorization {
  /** Headers for one request; at once where possible. */
  headers(request: AuthorizedRequest): Awaitable<Readonly<Record<string, string>>>;
  /** The server refused. `retry`: there are other credentials now, send it again. Rejects with the reason otherwise. */
  challenged(challenge: AuthorizationChallenge): Promise<'retry' | 'fail'>;
  /** Called for every answer that is not a refusal. */
  answered?(answer: AuthorizedAnswer): void;
}

/** What `connect(url, { auth })` takes. */
export interface Authorizer {
  forServer(server: URL): HttpAuthorization;
  /** True while a person is being asked: nothing that waits for the server may time out meanwhile. */
  readonly asking?: boolean | undefined;
}
