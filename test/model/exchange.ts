/** One HTTP exchange between a client and a node. Either end may go at any time. */

import type { HttpHeaders, HttpRequest, HttpResponse } from '../../src/transports/http/server/exchange.js';
import type { Source, Steps } from './steps.js';
import type { ModelNode } from './world.js';

export interface ModelRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Head {
  readonly status: number;
  readonly headers: HttpHeaders;
}

/** What a client hears of an exchange. */
export interface Hearing {
  head(head: Head): void;
  chunk(text: string): void;
  /** `whole`: the answer ended as it should. */
  end(whole: boolean): void;
}

/** An answer as a whole arrives as a whole: a part of it is worth as little to a client as nothing. */
type Event =
  | readonly ['answer', Head & { readonly body: string }]
  | readonly ['head', Head]
  | readonly ['chunk', string]
  | readonly ['end', boolean];

export class Exchange {
  readonly #node: ModelNode | undefined;
  readonly #toServer: Source<() => void>;
  readonly #toClient: Source<Event>;
  #hearing: Hearing | undefined;
  #disconnected: (() => void)[] = [];
  /** Nothing more is said by the node. */
  #closed = false;
  /** The client knows that it is over. */
  #ended = false;
  #gone = false;

  constructor(steps: Steps, node: ModelNode | undefined, request: ModelRequest) {
    this.#node = node;
    const name = `${request.method} to ${node?.name ?? 'nobody'}`;
    this.#toServer = steps.source(
      `${name} request`,
      (step) => step(),
      () => request.body ?? JSON.stringify(request.headers),
      { owner: node?.name },
    );
    this.#toClient = steps.source(
      `${name} answer`,
      (event) => this.#hear(event),
      (event) => JSON.stringify(event),
      { isAnswer: true },
    );
    node?.exchanges.add(this);
    this.#toServer.add(() => this.#serve(request));
  }

  /** To be called before the next step. */
  hear(hearing: Hearing): void {
    this.#hearing = hearing;
  }

  /** The connection is lost: the node finds out at once, the client in its own time. */
  break(): void {
    this.#node?.exchanges.delete(this);
    this.#toClient.clear();
    if (!this.#ended) this.#toClient.add(['end', false]);
    this.#closed = true;
    this.#toServer.clear();
    this.#gone = true;
    for (const tell of this.#disconnected.splice(0)) tell();
  }

  /** The node is dead. `flushed`: what it wrote before still arrives. */
  die(flushed: boolean): void {
    this.#node?.exchanges.delete(this);
    this.#toServer.clear();
    if (this.#ended || (flushed && this.#closed)) return;
    if (!flushed) this.#toClient.clear();
    this.#toClient.add(['end', false]);
    this.#closed = true;
  }

  #hear([kind, value]: Event): void {
    if (kind === 'answer') {
      this.#node?.exchanges.delete(this);
      this.#ended = true;
      this.#hearing?.head(value);
      this.#hearing?.chunk(value.body);
      this.#hearing?.end(true);
    } else if (kind === 'head') this.#hearing?.head(value);
    else if (kind === 'chunk') this.#hearing?.chunk(value);
    else {
      this.#node?.exchanges.delete(this);
      this.#ended = true;
      this.#hearing?.end(value);
    }
  }

  #say(...events: readonly Event[]): boolean {
    if (this.#closed) return false;
    for (const event of events) {
      this.#toClient.add(event);
      if (event[0] === 'end' || event[0] === 'answer') this.#closed = true;
    }
    return true;
  }

  #serve(request: ModelRequest): void {
    const node = this.#node;
    if (node === undefined || !node.isAlive) {
      this.#say(['end', false]);
      return;
    }
    const response: HttpResponse = {
      send: (status, headers, body = '') => {
        this.#say(['answer', { status, headers, body }]);
      },
      stream: (status, headers) => {
        this.#say(['head', { status, headers }]);
        return {
          pending: 0,
          write: (chunk) => !this.#gone && this.#say(['chunk', chunk]),
          end: () => void this.#say(['end', true]),
          destroy: () => void this.#say(['end', false]),
        };
      },
      onDisconnect: (handler) => {
        if (this.#gone) handler();
        else this.#disconnected.push(handler);
      },
    };
    Promise.resolve(this.#handle(node, request, response)).catch(() =>
      response.send(500, { 'Content-Type': 'application/json' }, '{}'),
    );
  }

  async #handle({ endpoint }: ModelNode, request: ModelRequest, response: HttpResponse): Promise<void> {
    const http: HttpRequest = {
      method: request.method,
      path: '/mcp',
      query: () => undefined,
      header: (name) => request.headers[name],
      headers: () => Object.entries(request.headers).flat(),
    };
    const caller = await endpoint.admit(http, response);
    if (caller !== undefined) await endpoint.handle(http, caller, { text: request.body ?? '' }, response);
  }
}
