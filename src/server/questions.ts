/**
 * What one call asks of its client, and what it must do only once. Where the handler starts over after each answer, this
 * is what outlives its runs: the answers, and what its side effects returned. Loaded with the first question of a process.
 */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { invalidParams, McpError, missingCapability } from '../protocol/errors.js';
import { decodeAnswer, encodeAsk } from '../protocol/revisions/ask-encoding.js';
import { askObstacle } from '../protocol/revisions/asks.js';
import type { Revision } from '../protocol/revisions/index.js';
import type { AnswersOf, Ask } from './asks.js';
import type { InputState } from './input-state.js';
import type { Peer } from './peer.js';
import type { RepeatWarning } from './repeat-warning.js';

/** Ends the handler's run in the stateless revision; the call is answered with `input_required`. */
export class Suspension extends McpError<'input_required'> {
  constructor() {
    super('input_required', 'The call waits for input from the client; let this error pass');
  }
}

/** A request on its way out, as the middleware has left it. */
export interface OutgoingAsk {
  readonly method: string;
  readonly params: JsonObject;
}

export interface AskingCall {
  readonly params: JsonObject;
  readonly method: string;
  readonly peer: Peer;
  /** How its questions travel at this moment. */
  readonly askBy: Revision['askBy'];
  throwIfCancelled(): void;
  /** Passes the middleware, and then `deliver`. */
  passOut(
    method: string,
    params: JsonObject,
    deliver: (ask: OutgoingAsk) => Promise<JsonObject> | JsonObject,
  ): Promise<JsonObject> | JsonObject;
  /** Puts a request to the client (handshake era). */
  request(method: string, params: JsonObject): Promise<JsonObject>;
}

const NO_INPUT: InputState = { answers: {}, once: {} };

export class Questions {
  readonly #call: AskingCall;
  #input: InputState = NO_INPUT;
  #responses: JsonObject | undefined;
  #count = 0;
  #waiting = 0;
  #waitingSince = 0;
  #waitedMs = 0;
  readonly #keys = new Set<string>();
  #asked: Map<string, { method: string; params: JsonObject }> | undefined;
  /** Questions and side effects on their way: the sealed state has to know how they end. */
  readonly #open = new Set<Promise<unknown>>();
  readonly #effects = new Map<string, Promise<unknown>>();
  readonly #repeats: RepeatWarning;

  constructor(call: AskingCall, repeats: RepeatWarning) {
    this.#call = call;
    this.#repeats = repeats;
  }

  /** Answers that came with this request, and what earlier runs left in the sealed state. */
  restore(input: InputState, responses: JsonObject | undefined): void {
    this.#input = input;
    this.#responses = responses;
  }

  /** Whether the client has a question to answer. */
  get isWaiting(): boolean {
    return this.#waiting > 0;
  }

  /** The time that the client took for answers. */
  get waitedMs(): number {
    return this.#waitedMs + (this.isWaiting ? performance.now() - this.#waitingSince : 0);
  }

  /** Whether a question without an answer ended this run. */
  get isSuspended(): boolean {
    return this.#asked !== undefined;
  }

  /** The questions that ended this run, once every question has been put and every side effect has ended. */
  async suspended(): Promise<{ asked: ReadonlyMap<string, JsonObject>; state: InputState } | undefined> {
    while (this.#open.size > 0) await Promise.allSettled(this.#open);
    return this.#asked === undefined ? undefined : { asked: this.#asked, state: this.#input };
  }

  ask<Answer>(ask: Ask<Answer>, key: string | undefined): Promise<Answer> {
    this.#count += 1;
    const name = key ?? `ask-${this.#count}`;
    // In the stateless revision the first answer would be given to both, again and again where it is asked in a loop.
    if (this.#keys.has(name)) {
      return Promise.reject(
        new Error(`A question with the key "${name}" was asked before; each needs its own`),
      );
    }
    this.#keys.add(name);
    const asking = this.#put(ask, name);
    this.#track(asking);
    return asking;
  }

  async askAll<Asks extends Readonly<Record<string, Ask<unknown>>>>(asks: Asks): Promise<AnswersOf<Asks>> {
    const entries = Object.entries(asks);
    // All questions are put before the first missing answer ends the run.
    const settled = await Promise.allSettled(entries.map(([key, ask]) => this.ask(ask, key)));
    const answers: JsonObject = {};
    for (const [index, [key]] of entries.entries()) {
      const outcome = settled[index];
      if (outcome?.status !== 'fulfilled') throw outcome?.reason;
      answers[key] = outcome.value;
    }
    return answers as AnswersOf<Asks>;
  }

  once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    if (Object.hasOwn(this.#input.once, key)) {
      const kept = Promise.resolve(this.#input.once[key] as T);
      this.#repeats.follow(kept);
      return kept;
    }
    const known = this.#effects.get(key) as Promise<T> | undefined;
    if (known !== undefined) return known;
    const running = this.#effect(key, fn);
    this.#repeats.follow(running);
    this.#effects.set(key, running);
    const settled = (): void => {
      this.#effects.delete(key);
    };
    running.then(settled, settled);
    this.#track(running);
    return running;
  }

  async #effect<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    const value = await fn();
    this.#input = { ...this.#input, once: { ...this.#input.once, [key]: value ?? null } };
    return value;
  }

  #track(promise: Promise<unknown>): void {
    this.#open.add(promise);
    const settled = (): void => {
      this.#open.delete(promise);
    };
    promise.then(settled, settled);
  }

  async #put<Answer>(ask: Ask<Answer>, key: string): Promise<Answer> {
    this.#call.throwIfCancelled();
    const { askBy, peer } = this.#call;
    const { revision, capabilities } = peer;
    const obstacle = askObstacle(revision, capabilities, ask.method, ask.params);
    if (obstacle !== undefined) throw missingCapability(obstacle.required, obstacle.reason);
    const answer = await this.#call.passOut(ask.method, ask.params, (outgoing) =>
      askBy === 'server_request' ? this.#request(outgoing) : this.#recall(outgoing, key),
    );
    const parsed = await ask.parse(answer);
    if (askBy === 'input_required') {
      this.#input = { ...this.#input, answers: { ...this.#input.answers, [key]: answer } };
    }
    return parsed;
  }

  async #request({ method, params }: OutgoingAsk): Promise<JsonObject> {
    const { revision } = this.#call.peer;
    if (this.#waiting === 0) this.#waitingSince = performance.now();
    this.#waiting += 1;
    try {
      const answer = await this.#call.request(method, encodeAsk(revision, method, params));
      return decodeAnswer(revision, method, params, answer);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#waitedMs += performance.now() - this.#waitingSince;
    }
  }

  /** The answer from the sealed state or from this request; without one the run ends here. */
  #recall({ method, params }: OutgoingAsk, key: string): JsonObject {
    const answer = ownValue(this.#input.answers, key) ?? ownValue(this.#responses, key);
    if (answer !== undefined) {
      if (!isRecord(answer)) throw invalidParams(`inputResponses.${key} must be an object`);
      return answer;
    }
    const { peer, method: asking } = this.#call;
    if (!peer.revision.askableMethods.has(asking)) {
      throw new McpError(
        'cannot_ask',
        `${asking} cannot ask the client in revision ${peer.revision.version}`,
      );
    }
    this.#asked ??= new Map();
    this.#asked.set(key, { method, params: encodeAsk(peer.revision, method, params) });
    throw new Suspension();
  }
}

/** Keys are chosen by clients too: what an object inherits is no answer. */
function ownValue(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
