/**
 * One call from the user's point of view: usually one request, more when the server asks for input or names another
 * revision. It settles exactly once, and by then no timer, listener or entry of it is left anywhere.
 */

import type { ErrorObject, JsonObject, RequestId } from '../../jsonrpc/message.js';
import type { Waiter } from '../../jsonrpc/pending.js';
import { subjectOf } from '../../middleware/subject.js';
import type { CancellationWatcher } from '../../protocol/cancellation.js';
import { milliseconds } from '../../protocol/duration.js';
import { McpError, receivedError } from '../../protocol/errors.js';
import type { ProgressParams } from '../../protocol/model/notifications.js';
import { MAX_TIMER_MS } from '../../protocol/timer.js';
import type { SendOptions } from '../../transports/transport.js';
import { CancelledError, cancelReason, describeRequest, timeoutError } from '../errors.js';
import { answerQuestions, type InputRequired, type Question, retryParams } from '../input/input-rounds.js';
import type { Limited } from './deadlines.js';
import type { ExchangeHost, FailedCalls, OutgoingCall, Progressing } from './outgoing-call.js';

/** How often to look again while a question of the server is open. */
const QUESTION_POLL = 250;
const FIRST_RETRY_DELAY = 100;

export class ClientExchange<T> implements Waiter, Progressing, CancellationWatcher, Limited {
  readonly #host: ExchangeHost;
  readonly call: OutgoingCall<T>;
  readonly #settle: (value: T | Promise<T>) => void;
  readonly #refuse: (error: unknown) => void;
  readonly #retries: FailedCalls | undefined;
  readonly #timeout: number;
  #params: JsonObject;
  #id = 0;
  #rounds = 0;
  /** Rounds in a row that asked nothing. */
  #idleRounds = 0;
  #amended = false;
  due = 0;
  before: Limited | undefined = undefined;
  after: Limited | undefined = undefined;
  /** For limits that are not those of all. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** When the call is over for good, progress or not, on `#charged` time. */
  #deadline = Number.POSITIVE_INFINITY;
  /** The time spent on the server's questions when the timer was set. */
  #excused = 0;
  #questions: AbortController | undefined;
  #done = false;

  constructor(
    host: ExchangeHost,
    call: OutgoingCall<T>,
    settle: (value: T | Promise<T>) => void,
    refuse: (error: unknown) => void,
    retries?: FailedCalls,
  ) {
    this.#host = host;
    this.call = call;
    this.#params = call.params;
    this.#settle = settle;
    this.#refuse = refuse;
    this.#retries = retries;
    this.#timeout = milliseconds(call.options.timeout ?? host.settings.timeout);
  }

  /** Sends a call on this connection. What becomes of one that fails on its way is up to `retries`. */
  static run<T>(host: ExchangeHost, call: OutgoingCall<T>, retries?: FailedCalls): Promise<T> {
    return new Promise((resolve, reject) =>
      new ClientExchange(host, call, resolve, reject, retries).#start(),
    );
  }

  #start(): void {
    const { cancellation, options } = this.call;
    const { signal } = options;
    if (cancellation !== undefined) {
      if (cancellation.isCancelled) {
        this.reject(this.#neverSent(cancellation.reason));
        return;
      }
      cancellation.watch(this);
    }
    if (signal !== undefined) {
      if (signal.aborted) {
        this.reject(this.#neverSent(signal.reason));
        return;
      }
      signal.addEventListener('abort', this);
    }
    this.#send();
  }

  #neverSent(reason: unknown): CancelledError {
    return new CancelledError(this.call.method, reason, false, subjectOf(this.call));
  }

  get takesText(): boolean {
    return this.call.readText !== undefined;
  }

  resolveText(result: string): void {
    const value = this.call.readText?.(result);
    this.#finish();
    if (value !== undefined) this.#settle(value);
  }

  resolve(result: JsonObject, size = 0): void {
    this.#disarm();
    try {
      const { resultType } = result;
      if (typeof resultType === 'string' && resultType !== 'complete' && this.#follows(resultType, result))
        return;
      this.#keepHandles(result);
      const input = this.#host.era.judge(this.call.method, result, this.call.raw === true);
      if (input !== undefined && this.call.interim !== true) {
        this.#gather(input);
        return;
      }
      const value = this.call.read(result, this.#rounds, size);
      this.#finish();
      this.#settle(value);
    } catch (error) {
      this.reject(error);
    }
  }

  /** Leaves a result of a type that an extension added to the extension. */
  #follows(resultType: string, result: JsonObject): boolean {
    const { method, params, options, raw } = this.call;
    if (raw === true) return false;
    const handler = this.#host.settings.resultTypes.get(resultType);
    if (handler?.methods.includes(method) !== true) return false;
    const rounds = this.#rounds;
    const followed = handler.follow(result, { method, params, options });
    this.#finish();
    const read = (final: JsonObject): T | Promise<T> => {
      this.#keepHandles(final);
      return this.call.read(final, rounds, 0);
    };
    this.#settle(followed.then(read));
    return true;
  }

  /** Those of a call that is passed on belong to the client that made it. */
  #keepHandles({ _meta }: JsonObject): void {
    if (_meta !== undefined && this.call.interim !== true) this.#host.handles.keep(_meta);
  }

  fail(error: ErrorObject): void {
    this.#disarm();
    if (!this.#amended && this.#host.era.amend(error)) {
      this.#amended = true;
      this.#send();
      return;
    }
    this.reject(receivedError(error));
  }

  reject(error: unknown): void {
    if (this.#done) return;
    this.#finish();
    if (this.#retries === undefined) this.#refuse(error);
    else this.#retries.failed(this.call, error, this.#settle, this.#refuse, this.#host);
  }

  progressed(params: ProgressParams): void {
    const { onProgress } = this.call.options;
    this.#stopTimers();
    this.#arm(Math.min(this.#timeout, Math.max(0, this.#deadline - this.#charged())));
    if (onProgress !== undefined) this.#host.guard('onProgress', () => onProgress(params));
  }

  /** The caller's signal fired. */
  handleEvent(): void {
    this.cancelled(this.call.options.signal?.reason);
  }

  cancelled(reason: unknown): void {
    const { method } = this.call;
    this.#giveUp(
      (sent) => new CancelledError(method, reason, sent, subjectOf(this.call)),
      cancelReason(reason),
    );
  }

  #send(): void {
    const { link, era, settings, progress, handles } = this.#host;
    const { method, options } = this.call;
    const id = link.allocate();
    this.#id = id;
    try {
      const token = options.onProgress === undefined ? undefined : id;
      const meta = this.call.interim === true ? options.meta : handles.with(options.meta);
      const text =
        this.#splice(id, token) ?? era.encode(id, method, this.#params, meta, token, this.call.sender);
      if (token !== undefined) {
        progress.set(token, this);
        const hardest = milliseconds(options.maxTimeout ?? Math.max(settings.maxTimeout, this.#timeout));
        this.#deadline = this.#charged() + hardest;
      }
      this.#arm(Math.min(this.#timeout, milliseconds(options.maxTimeout ?? this.#timeout)));
      link.post(id, text, this, link.endpoint === undefined ? undefined : this.#sendOptions(id));
    } catch (error) {
      this.#disarm();
      this.reject(error);
    }
  }

  #splice(id: RequestId, token: RequestId | undefined): string | undefined {
    const { method, params, paramsText, options } = this.call;
    const isWhole = token === undefined && options.meta === undefined && this.#params === params;
    return paramsText !== undefined && isWhole ? this.#host.era.splice(id, method, paramsText) : undefined;
  }

  /** Over HTTP some of a message has to be known, and what was just written need not be read for that. */
  #sendOptions(id: RequestId): SendOptions {
    const { revision } = this.#host.era.session;
    const version = revision.lifecycle === 'stateless' ? revision.version : undefined;
    const { method, headers } = this.call;
    return { headers, request: { id, method, params: this.#params, version } };
  }

  #gather(input: InputRequired): void {
    const { settings, parked } = this.#host;
    this.#rounds += 1;
    if (this.#rounds > settings.maxInputRounds) throw this.#tooManyRounds();
    if (input.questions.length > settings.maxQuestions) throw this.#tooManyQuestions(input);
    parked.add(this);
    const resume = (answers: JsonObject): void => {
      if (this.#done) return;
      parked.delete(this);
      this.#questions = undefined;
      this.#params = retryParams(this.call.params, input, answers);
      this.#send();
    };
    if (input.questions.length === 0) {
      // State alone is a busy server's way to say "later".
      const delay = this.#idleRounds === 0 ? 0 : FIRST_RETRY_DELAY * 2 ** (this.#idleRounds - 1);
      this.#idleRounds += 1;
      this.#timer = setTimeout(resume, delay, {});
      return;
    }
    this.#idleRounds = 0;
    // The end of the call for any reason, also an unanswerable question, aborts the handlers that still run.
    this.#questions = new AbortController();
    const { signal } = this.#questions;
    const answer = (question: Question): Promise<JsonObject> =>
      this.#host.answer(question, signal, this.call);
    answerQuestions(input.questions, answer).then(resume, (error: unknown) => this.reject(error));
  }

  #tooManyRounds(): McpError<'too_many_rounds'> {
    const { maxInputRounds } = this.#host.settings;
    return new McpError(
      'too_many_rounds',
      `${this.call.method} asked for input more than ${maxInputRounds} times; raise maxInputRounds if that is normal`,
    );
  }

  #tooManyQuestions({ questions }: InputRequired): McpError<'too_many_questions'> {
    const { maxQuestions } = this.#host.settings;
    return new McpError(
      'too_many_questions',
      `${this.call.method} asked ${questions.length} questions at once, and ${maxQuestions} are allowed; raise maxQuestions if that is normal`,
    );
  }

  #arm(milliseconds: number): void {
    this.#excused = this.#host.questionTime.spent();
    const { deadlines } = this.#host;
    if (milliseconds > MAX_TIMER_MS) return;
    if (milliseconds === deadlines.milliseconds) deadlines.add(this);
    else this.#timer = setTimeout(expire, milliseconds, this);
  }

  #stopTimers(): void {
    this.#host.deadlines.remove(this);
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The time that counts: without what we spent on the server's questions. */
  #charged(): number {
    return this.#host.settings.clock() - this.#host.questionTime.spent();
  }

  /** The timer fired: the call is over, unless it was us who kept the server waiting. */
  expire(): void {
    const { questionTime, settings } = this.#host;
    // A person is logging in, on whose behalf the request then goes out again.
    if (settings.auth?.asking === true) {
      this.#arm(QUESTION_POLL);
      return;
    }
    const excused = questionTime.spent() - this.#excused;
    if (excused > 0) {
      this.#arm(questionTime.isTaken ? Math.max(excused, QUESTION_POLL) : excused);
      return;
    }
    const progressed = this.#deadline <= this.#charged();
    const hardest = this.call.options.maxTimeout ?? settings.maxTimeout;
    const waited = progressed ? milliseconds(hardest) : this.#timeout;
    const what = describeRequest(this.call.method, subjectOf(this.call));
    this.#giveUp((sent) => timeoutError(what, waited, progressed, sent), 'Timed out');
  }

  #giveUp(error: (sent: boolean) => McpError, reason: string): void {
    if (this.#done) return;
    const { link } = this.#host;
    const sent = this.#rounds > 0 || link.hasLeft(this.#id);
    // Only a request that is under way can be cancelled, and initialize never.
    if (link.abandon(this.#id) && this.call.method !== 'initialize') {
      link.send({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: this.#id, reason },
      });
    }
    this.reject(error(sent));
  }

  #disarm(): void {
    this.#stopTimers();
    if (this.call.options.onProgress !== undefined) this.#host.progress.delete(this.#id);
  }

  #finish(): void {
    this.#done = true;
    this.#disarm();
    this.call.cancellation?.unwatch(this);
    this.call.options.signal?.removeEventListener('abort', this);
    if (this.#rounds === 0) return;
    this.#host.parked.delete(this);
    this.#questions?.abort();
  }
}

function expire(exchange: { expire(): void }): void {
  exchange.expire();
}
