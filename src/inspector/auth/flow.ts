/** How authorization with one server went so far. */

import { maskText, maskUrl } from '../../protocol/secrets.js';
import type { AuthFlow, AuthStep, AuthStepKind, Failure, HeaderView, ServerId } from '../api.js';
import { maskHeader, maskHeaders } from '../timeline/mask.js';
import type { StoredExchange } from '../timeline/stored.js';
import { type Answered, type AuthExchange, jsonOf, kindOf, STEPS } from './steps.js';
import { tokenOfHeader, tokensIn } from './tokens.js';

const MAX_STEPS = 200;
const MAX_BODY = 32 * 1024;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export interface AuthRequest extends AuthExchange {
  readonly headers: Readonly<Record<string, string>>;
}

export class FlowRecord {
  readonly #server: ServerId;
  readonly #url: URL;
  readonly #changed: (flow: AuthFlow) => void;
  readonly #steps: AuthStep[] = [];
  #state: AuthFlow['state'] = 'none';
  #about: Mutable<Pick<AuthFlow, 'loginUrl' | 'issuer' | 'scopes' | 'failure' | 'neededScopes'>> = {};
  #last = 0;

  constructor(server: ServerId, url: URL, changed: (flow: AuthFlow) => void) {
    this.#server = server;
    this.#url = url;
    this.#changed = changed;
  }

  view(): AuthFlow {
    return { server: this.#server, state: this.#state, ...this.#about, steps: [...this.#steps] };
  }

  begin(): void {
    this.#state = 'running';
    this.#about = {};
    this.#tell();
  }

  /** The person is awaited at this address. */
  waiting(login: URL, issuer: string): void {
    this.#state = 'waiting';
    this.#about = { loginUrl: login.href, issuer };
    const parameters = login.searchParams;
    const missing = ['response_type', 'state', 'code_challenge', 'resource'].filter(
      (name) => !parameters.has(name),
    );
    const notes = [
      ...missing.map((name) => `"${name}" is missing in the address`),
      ...(parameters.get('code_challenge_method') === 'S256' ? [] : ['the PKCE method is not S256']),
    ];
    this.#add('authorize', {
      verdict: notes.length === 0 ? 'ok' : 'unexpected',
      notes,
      request: { method: 'GET', url: maskUrl(login.href), headers: [] },
    });
  }

  returned(callback: URL): void {
    this.#state = 'running';
    delete this.#about.loginUrl;
    const error = callback.searchParams.get('error');
    this.#add('callback', {
      verdict: error === null ? 'ok' : 'failed',
      notes: error === null ? [] : [`the authorization server says: ${error}`],
      request: { method: 'GET', url: maskUrl(callback.href), headers: [] },
    });
  }

  /** With a failure where a later attempt did not work, and this one goes on. */
  authorized(issuer: string | undefined, scopes: readonly string[] | undefined, failure?: Failure): void {
    this.#state = 'authorized';
    this.#about = {
      ...(failure === undefined ? {} : { failure }),
      ...(issuer === undefined ? {} : { issuer }),
      ...(scopes === undefined ? {} : { scopes }),
    };
    this.#tell();
  }

  failed(failure: Failure): void {
    this.#state = 'failed';
    this.#about = { failure };
    this.#tell();
  }

  /** With a failure where only this side has forgotten the token. */
  loggedOut(failure?: Failure): void {
    this.#state = 'none';
    this.#about = failure === undefined ? {} : { failure };
    this.#tell();
  }

  /** A request to an authorization server, or for metadata. */
  async watch(request: AuthRequest, send: () => Promise<Response>): Promise<Response> {
    const kind = kindOf(request);
    const sent = {
      method: request.method,
      url: maskUrl(request.url.href),
      headers: headersOf(request.headers),
    };
    const body = request.body === undefined ? {} : { body: maskText(request.body).text };
    const seq = this.#add(kind, { verdict: 'pending', notes: [], request: { ...sent, ...body } });
    const began = performance.now();
    try {
      const response = await send();
      const text = await response.clone().text();
      const json = jsonOf(text);
      const answer: Answered = {
        status: response.status,
        header: (name) => response.headers.get(name) ?? undefined,
        json,
      };
      const notes = STEPS[kind].judge?.(answer, request, this.#url) ?? [];
      this.#finish(seq, {
        verdict: verdictOn(notes, kind, response.status),
        notes,
        response: {
          status: response.status,
          headers: maskHeaders([...response.headers].flat()),
          body: maskText(text.slice(0, MAX_BODY)).text,
        },
        durationMs: performance.now() - began,
        tokens: json === undefined ? [] : tokensIn(json, Date.now()),
      });
      return response;
    } catch (error) {
      const note = error instanceof Error ? error.message : String(error);
      this.#finish(seq, { verdict: 'failed', notes: [note], durationMs: performance.now() - began });
      throw error;
    }
  }

  /** An exchange with the server itself: only refusals and what follows on them belong here. */
  exchanged(exchange: StoredExchange): void {
    const { status = 0 } = exchange;
    const refused = status === 401 || status === 403;
    const previous = this.#steps.at(-1)?.kind;
    const retried = previous === 'token' || previous === 'refresh';
    if (!refused && !retried) return;
    const needed =
      status === 403 ? scopesIn(headerOf(exchange.responseHeaders ?? [], 'www-authenticate')) : [];
    if (needed.length > 0) this.#about.neededScopes = needed;
    const kind = retried ? 'retry' : 'challenge';
    const answer: Answered = {
      status,
      header: (name) => headerOf(exchange.responseHeaders ?? [], name),
      json: undefined,
    };
    const request = { method: exchange.method, url: new URL(exchange.url), body: undefined };
    const notes = STEPS[kind].judge?.(answer, request, this.#url) ?? [];
    const token = tokenOfHeader(headerOf(exchange.requestHeaders, 'authorization'));
    this.#add(kind, {
      verdict: notes.length === 0 ? 'ok' : 'unexpected',
      notes,
      request: {
        method: exchange.method,
        url: maskUrl(exchange.url),
        headers: maskHeaders(exchange.requestHeaders),
      },
      response: { status, headers: maskHeaders(exchange.responseHeaders ?? []) },
      tokens: token === undefined ? [] : [token],
      ...(exchange.headMs === undefined ? {} : { durationMs: exchange.headMs }),
    });
  }

  #add(
    kind: AuthStep['kind'],
    step: Omit<AuthStep, 'seq' | 'at' | 'kind' | 'title' | 'expected' | 'tokens'> &
      Partial<Pick<AuthStep, 'tokens'>>,
  ): number {
    this.#last += 1;
    const { title, expected } = STEPS[kind];
    this.#steps.push({ seq: this.#last, at: Date.now(), kind, title, expected, tokens: [], ...step });
    if (this.#steps.length > MAX_STEPS) this.#steps.shift();
    this.#tell();
    return this.#last;
  }

  #finish(seq: number, outcome: Partial<AuthStep>): void {
    const index = this.#steps.findIndex((step) => step.seq === seq);
    const step = this.#steps[index];
    if (step === undefined) return;
    this.#steps[index] = { ...step, ...outcome };
    this.#tell();
  }

  #tell(): void {
    this.#changed(this.view());
  }
}

function headersOf(headers: Readonly<Record<string, string>>): HeaderView[] {
  return Object.entries(headers).map(([name, value]) => maskHeader(name, value));
}

function headerOf(flat: readonly string[], name: string): string | undefined {
  for (let index = 0; index + 1 < flat.length; index += 2) {
    if (flat[index]?.toLowerCase() === name) return flat[index + 1];
  }
  return undefined;
}

function verdictOn(notes: readonly string[], kind: AuthStepKind, status: number): AuthStep['verdict'] {
  if (notes.length === 0) return 'ok';
  if (status === 404 && STEPS[kind].sought === true) return 'absent';
  return status < 400 ? 'unexpected' : 'failed';
}

/** The scopes of an `insufficient_scope` challenge (RFC 6750, section 3). */
function scopesIn(challenge: string | undefined): readonly string[] {
  if (challenge === undefined || !/error="?insufficient_scope/i.test(challenge)) return [];
  const scope = /scope="([^"]*)"/i.exec(challenge)?.[1] ?? /scope=([^\s,"]+)/i.exec(challenge)?.[1] ?? '';
  return scope.split(' ').filter((each) => each !== '');
}
