/**
 * Calls of stateless clients that run on handshake servers. When the server asks something, the client's
 * request has to end with `input_required` while the call upstream goes on: it is parked here until the retry
 * brings the answers. Parked calls are bounded in number, belong to one principal, and are cancelled upstream
 * when the client does not retry.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import { abortableQuestion } from '../protocol/abortable.js';
import type { Duration } from '../protocol/duration.js';
import { invalidParams, ProtocolError } from '../protocol/errors.js';
import type { InNumbers } from '../protocol/in-numbers.js';
import type { CallContext } from '../server/context.js';
import { Suspension } from '../server/questions.js';
import { type Budget, type Charge, weigh } from '../store/budget.js';
import type { Asker } from './asker.js';
import { type WaitingRequest, waitingRequestOf } from './waiting-request.js';

export interface ParkingOptions {
  /** How many calls may wait for answers at once. Default: 1,000. */
  readonly max: number;
  /** How many of them may belong to one principal, or to one address without a principal. Default: 250. */
  readonly maxPerPeer: number;
  /** How long a call waits for its client. Default: 10 min. */
  readonly ttl: Duration;
}

/** The same in numbers. */
export type ParkingSettings = InNumbers<ParkingOptions>;

interface Question {
  readonly method: string;
  readonly params: JsonObject;
  resolve(answer: JsonObject): void;
  reject(error: unknown): void;
}

type Outcome = { readonly result: JsonObject } | { readonly error: unknown };

/** A call that runs on a server takes this much besides its parameters. */
const CALL_BYTES = 4096;

/** Starts the call upstream, on behalf of the asker. */
export type StartCall = (asker: Asker, signal: AbortSignal) => Promise<JsonObject>;

/** The way to calls that are parked on other nodes. */
export interface ParkingPlaces {
  /** This node, as others address it; undefined where there are no others. */
  address(): Promise<string | undefined>;
  /** Goes on with a call that is parked there. */
  resume(address: string, parked: string, ctx: CallContext): Promise<JsonObject>;
}

export class ParkedCalls {
  readonly #options: ParkingSettings;
  readonly #state: Budget;
  readonly #places: () => ParkingPlaces | undefined;
  readonly #calls = new Map<string, ParkedCall>();

  /** `state` is charged for what is parked. */
  constructor(
    options: ParkingSettings,
    state: Budget,
    places: () => ParkingPlaces | undefined = () => undefined,
  ) {
    this.#options = options;
    this.#state = state;
    this.#places = places;
  }

  /** Calls that wait for their client at this moment. */
  get size(): number {
    return this.#calls.size;
  }

  /** Runs the call, or goes on with it where the request state says that it already runs. */
  async run(ctx: CallContext, start: StartCall): Promise<JsonObject> {
    await ctx.resume();
    const places = this.#places();
    const here = await places?.address();
    const waiting = waitingRequestOf(ctx);
    let started: ParkedCall | undefined;
    const ticket = await ctx.once<Ticket>('parked', () => {
      const bytes = CALL_BYTES + weigh(ctx.params);
      started = new ParkedCall(waiting, start, ctx.peer.account, bytes);
      return here === undefined ? { id: started.id } : { id: started.id, at: here };
    });
    if (started !== undefined) return this.#resume(started, waiting);
    if (ticket.at === here || ticket.at === undefined) return this.resume(ticket.id, waiting);
    if (places === undefined) throw gone();
    return places.resume(ticket.at, ticket.id, ctx);
  }

  /** Goes on with a parked call, for a client that may be on another node. */
  resume(id: string, waiting: WaitingRequest): Promise<JsonObject> {
    return this.#resume(this.#take(id, waiting), waiting);
  }

  close(): void {
    for (const call of [...this.#calls.values()]) this.#abandon(call, 'The chain is closing');
  }

  async #resume(call: ParkedCall, waiting: WaitingRequest): Promise<JsonObject> {
    try {
      return await call.resume(waiting, () => this.#hasRoom(call));
    } catch (error) {
      if (error instanceof Suspension) this.#park(call);
      throw error;
    }
  }

  #take(id: string, { principal }: WaitingRequest): ParkedCall {
    const call = this.#calls.get(id);
    // The sealed state is bound to the principal already; a second lock costs nothing.
    if (call === undefined || call.principal !== principal) throw gone();
    this.#calls.delete(id);
    call.unpark();
    return call;
  }

  #hasRoom({ account, bytes }: ParkedCall): boolean {
    const { max, maxPerPeer } = this.#options;
    if (this.#calls.size >= max || !this.#state.fits(account, bytes)) return false;
    if (account === undefined) return true;
    let own = 0;
    for (const call of this.#calls.values()) if (call.account === account) own += 1;
    return own < maxPerPeer;
  }

  #park(call: ParkedCall): void {
    this.#calls.set(call.id, call);
    call.charge = this.#state.charge(call.account, call.bytes);
    call.park(
      () => this.#abandon(call, 'The client did not retry with an answer in time'),
      this.#options.ttl,
    );
  }

  #abandon(call: ParkedCall, reason: string): void {
    this.#calls.delete(call.id);
    call.abandon(reason);
  }
}

/** Where a call is parked, as the sealed request state remembers it. */
interface Ticket {
  readonly id: string;
  readonly at?: string;
}

function gone(): ProtocolError {
  return invalidParams('The call that waited for this answer is gone; start the call again without state');
}

class ParkedCall implements Asker {
  readonly id: string = crypto.randomUUID();
  readonly principal: string | undefined;
  /** Whom it is charged to while it is parked, and what it takes. */
  readonly account: string | undefined;
  readonly bytes: number;
  charge: Charge | undefined;
  readonly session: unknown = this;
  readonly #controller = new AbortController();
  readonly #questions = new Map<string, Question>();
  #asked = 0;
  #outcome: Outcome | undefined;
  #waiting: WaitingRequest | undefined;
  #wake: (() => void) | undefined;
  #expiry: ReturnType<typeof setTimeout> | undefined;
  /** Why the client could not be asked, where that was so. */
  #obstacle: ProtocolError | undefined;

  constructor(waiting: WaitingRequest, start: StartCall, account: string | undefined, bytes: number) {
    this.principal = waiting.principal;
    this.account = account;
    this.bytes = bytes;
    this.#waiting = waiting;
    start(this, this.#controller.signal).then(
      (result) => this.#settle({ result }),
      (error: unknown) => this.#settle({ error }),
    );
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    this.#asked += 1;
    const key = `q${this.#asked}`;
    const question = abortableQuestion<JsonObject>(signal, () => void this.#questions.delete(key));
    if (signal.aborted) return question.answer;
    this.#questions.set(key, { method, params, resolve: question.resolve, reject: question.reject });
    this.#wake?.();
    return question.answer;
  }

  /** Messages without a listener are lost, like on any stream that was cut. */
  notify(method: string, params: JsonObject): void {
    // Progress has its own way, see below.
    if (method !== 'notifications/progress') this.#waiting?.notify(method, params);
  }

  progress(progress: number, total: number | undefined, message: string | undefined): void {
    this.#waiting?.progress(progress, total, message);
  }

  /** Waits with this request for the end of the call; throws a Suspension when there is something to be asked first. */
  async resume(waiting: WaitingRequest, hasRoom: () => boolean): Promise<JsonObject> {
    this.#waiting = waiting;
    const abort = (): void => this.abandon('The client cancelled the call');
    waiting.signal.addEventListener('abort', abort, { once: true });
    try {
      if (waiting.signal.aborted) abort();
      for (;;) {
        await this.#nextEvent();
        const outcome = this.#outcome;
        if (outcome !== undefined) return this.#conclude(outcome);
        // Asked before the question is put: from then on the client gets that question, whatever we think of it.
        if (!hasRoom()) {
          this.abandon('Too many calls wait for answers');
          throw new ProtocolError('internal_error', 'Too many calls wait for answers; try again later');
        }
        await this.#putQuestions(waiting);
      }
    } finally {
      waiting.signal.removeEventListener('abort', abort);
      if (this.#waiting === waiting) this.#waiting = undefined;
    }
  }

  park(expired: () => void, ttlMs: number): void {
    this.#expiry = setTimeout(expired, ttlMs);
    if (typeof this.#expiry === 'object') this.#expiry.unref();
  }

  unpark(): void {
    clearTimeout(this.#expiry);
    this.charge?.release();
  }

  abandon(reason: string): void {
    this.unpark();
    this.#controller.abort(new Error(reason));
    for (const question of [...this.#questions.values()]) question.reject(new Error(reason));
  }

  async #putQuestions(waiting: WaitingRequest): Promise<void> {
    // Questions put at the same time make one round.
    await new Promise((resolve) => setTimeout(resolve, 0));
    const questions = [...this.#questions];
    const answers = questions.map(([key, { method, params }]) => waiting.ask(key, method, params));
    const settled = await Promise.allSettled(answers);
    let suspension: Suspension | undefined;
    for (const [index, [, question]] of questions.entries()) {
      const outcome = settled[index];
      if (outcome?.status === 'fulfilled') question.resolve(outcome.value);
      else if (outcome?.status === 'rejected') {
        if (outcome.reason instanceof Suspension) suspension = outcome.reason;
        else this.#refuse(question, outcome.reason);
      }
    }
    if (suspension !== undefined) throw suspension;
  }

  #refuse(question: Question, reason: unknown): void {
    if (reason instanceof ProtocolError && reason.code === 'missing_capability') this.#obstacle = reason;
    question.reject(reason);
  }

  /** A call that failed for want of an answer fails with what the client has to declare. */
  #conclude(outcome: Outcome): JsonObject {
    if ('error' in outcome) throw this.#obstacle ?? outcome.error;
    if (this.#obstacle !== undefined && outcome.result.isError === true) throw this.#obstacle;
    return outcome.result;
  }

  #settle(outcome: Outcome): void {
    this.#outcome = outcome;
    this.#wake?.();
  }

  async #nextEvent(): Promise<void> {
    while (this.#outcome === undefined && this.#questions.size === 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = undefined;
    }
  }
}
