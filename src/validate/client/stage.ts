/**
 * The stage on which a client is tested: a server that records everything and answers as the scenario
 * defines.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { Revision } from '../../protocol/revisions/revision.js';
import { parseJson } from '../wire/recorder.js';

export type StageKind = 'http' | 'stdio';

/** One HTTP request of the client, or one line. */
export interface StageRequest {
  readonly at: number;
  /** Of the request; a line counts as a POST to /mcp. */
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly value: unknown;
  /** The message in it, when there is exactly one. */
  readonly message: JsonObject | undefined;
  /** Its id belonged to a request that was not answered yet. */
  readonly clash: boolean;
  /** Its progress token belonged to a request that was not answered yet. */
  readonly tokenClash: boolean;
  /** How many requests had been answered before it came. */
  readonly answeredBefore: number;
  /** Over stdio: which process of the server heard it, from 1. */
  readonly connection?: number;
}

export interface StageAnswer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A message, or any text. */
  readonly body?: JsonObject | string;
  /** Answers as an event stream: each message an event, each text written as it is. */
  readonly events?: readonly (JsonObject | string)[];
  /** Cuts the connection after what was written; over stdio the process ends with an exit code of 1. */
  readonly drop?: boolean;
  /** Leaves the stream open. */
  readonly open?: boolean;
  /** Over stdio: written to stderr first. */
  readonly stderr?: string;
}

export type Behaviour = (heard: StageRequest, stage: Stage) => StageAnswer | undefined;

/** What a process hears besides messages. */
export interface Occurrence {
  readonly at: number;
  readonly connection: number;
  readonly kind: 'started' | 'end_of_input' | 'terminate' | 'gone';
}

/** A request that the client makes by itself. */
export interface Habit {
  readonly method: string;
  /** The request without what differs from one time to the next. */
  readonly key: string;
}

export abstract class Stage {
  abstract readonly kind: StageKind;
  readonly revision: Revision;
  readonly heard: StageRequest[] = [];
  /** Answered with 401 or 403: never looked at, and sent again as it was when the client has a token. */
  readonly turnedAway: Set<StageRequest> = new Set();
  /** Over stdio. */
  readonly occurrences: Occurrence[] = [];
  /** What the client asks for when all goes well, in order; undefined when it was not observed. */
  habits: readonly Habit[] | undefined;
  /** Requests that we sent to the client, by id. */
  readonly asked: Map<string, JsonObject> = new Map();
  protected readonly behaviour: Behaviour;
  readonly #started = performance.now();
  readonly #inFlight = new Set<string>();
  readonly #tokens = new Map<string, string>();
  /** Requests that were answered, in this order. */
  readonly #answered: string[] = [];
  #ids = 0;

  constructor(revision: Revision, behaviour: Behaviour) {
    this.revision = revision;
    this.behaviour = behaviour;
  }

  /** Resolves with what the client needs to get here: a URL, or the path of a program. */
  abstract open(port?: number): Promise<string>;

  /** Where the HTTP server of the stage is; empty without one. */
  abstract readonly origin: string;

  /** Writes to everything that the client holds open. */
  abstract push(message: JsonObject): void;

  abstract close(): Promise<void>;

  /** A request of ours, remembered so that its answer can be recognised. */
  ask(method: string, params: JsonObject = {}): JsonObject {
    this.#ids += 1;
    // Of both types: each has to come back as it was.
    const id = this.#ids % 2 === 0 ? this.#ids : `plumb-${this.#ids}`;
    const request = { jsonrpc: '2.0', id, method, params };
    this.asked.set(String(id), request);
    return request;
  }

  /** Whether the client asks for more after this method: only then is it telling when it does not. */
  goesOnAfter(method: string): boolean {
    if (this.habits === undefined) return true;
    const index = this.habits.findIndex((habit) => habit.method === method);
    return index !== -1 && index < this.habits.length - 1;
  }

  /** How many requests the client makes beside those that open a connection. */
  get usualRequests(): number {
    const opening = ['initialize', 'server/discover'];
    return this.habits === undefined
      ? Number.POSITIVE_INFINITY
      : this.habits.filter(({ method }) => !opening.includes(method)).length;
  }

  /** How many other requests had been answered after this one when something came; undefined while it runs. */
  answeredSince(id: unknown, { answeredBefore, connection }: StageRequest): number | undefined {
    const key = `${connection ?? ''} ${JSON.stringify(id)}`;
    const index = this.#answered.slice(0, answeredBefore).lastIndexOf(key);
    return index === -1 ? undefined : answeredBefore - index - 1;
  }

  /** When we stopped the client; what happens to its servers afterwards is our doing. */
  stoppedAt: number = Number.POSITIVE_INFINITY;

  now(): number {
    return performance.now() - this.#started;
  }

  /** Writes down what came; its request is in flight until `answered` is called. */
  protected hear(said: Pick<StageRequest, 'method' | 'path' | 'headers' | 'text' | 'connection'>): {
    readonly heard: StageRequest;
    readonly answered: () => void;
  } {
    const value = parseJson(said.text);
    const message = isRecord(value) ? value : undefined;
    const request = message !== undefined && typeof message.method === 'string' && 'id' in message;
    const key = `${said.connection ?? ''} ${JSON.stringify(message?.id)}`;
    const clash = request && this.#inFlight.has(key);
    if (request) this.#inFlight.add(key);
    const params = isRecord(message?.params) ? message.params : {};
    const token = isRecord(params._meta) ? params._meta.progressToken : undefined;
    const tokenKey = `${said.connection ?? ''} ${JSON.stringify(token)}`;
    const owner = token === undefined ? undefined : this.#tokens.get(tokenKey);
    const tokenClash = request && owner !== undefined && owner !== key;
    if (request && token !== undefined) this.#tokens.set(tokenKey, key);
    const answeredBefore = this.#answered.length;
    const complete = { ...said, at: this.now(), value, message, clash, tokenClash, answeredBefore };
    this.heard.push(complete);
    const answered = (): void => {
      if (request) this.#answered.push(key);
      this.#inFlight.delete(key);
      if (this.#tokens.get(tokenKey) === key) this.#tokens.delete(tokenKey);
    };
    return { heard: complete, answered };
  }
}
