/** One call while it is served: what its handler holds, and what the server knows of it. */

import { encodeNotification } from '../jsonrpc/encode.js';
import { isRecord, type JsonObject, type RequestId } from '../jsonrpc/message.js';
import type { Call, Caller, CallState } from '../middleware/compose.js';
import type { AuthInfo } from '../protocol/authorization.js';
import { Cancellation } from '../protocol/cancellation.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Root } from '../protocol/model/roots.js';
import type { CreateMessageResult } from '../protocol/model/sampling.js';
import type { Revision } from '../protocol/revisions/index.js';
import { readable } from '../protocol/revisions/vocabulary.js';
import type { AnySchema, InferOutput } from '../protocol/schema/infer.js';
import { CallQuestions } from './asking.js';
import {
  type AnswersOf,
  type Ask,
  type ElicitAnswer,
  elicit,
  elicitUrl,
  roots,
  type SampleRequest,
  sample,
  type UrlAnswer,
} from './asks.js';
import type { BackgroundCall } from './background-call.js';
import type { Bucket } from './buckets/bucket.js';
import { type BucketCall, CallBuckets, withHandle } from './buckets/call-buckets.js';
import type { Channel, RunningCall } from './channel.js';
import { type ContextHost, cancelledCall } from './context-host.js';
import type { AskOptions, Context } from './handler-context.js';
import type { InputState } from './input-state.js';
import { assertLogLevel, callerOf, type Peer, wantsLog } from './peer.js';
import type { AskingCall, OutgoingAsk } from './questions.js';

export type { AskOptions, Context } from './handler-context.js';

export class CallContext implements Context, RunningCall, AskingCall, BucketCall {
  readonly id: RequestId;
  readonly method: string;
  readonly peer: Peer;
  readonly params: JsonObject;
  /** Taken when the call begins: on a long connection the next message may bring another token. */
  readonly auth: AuthInfo | undefined;
  readonly requiresScopes: boolean;
  /** Whether the channel knows of this call. */
  begun = false;
  /** Set where the revision, or the server as it is now, has no such method. */
  unserved = false;
  seat = 0;
  weight = 0;
  /** What the request was decoded from, where it came by itself. */
  readonly text: string | undefined;
  /** No middleware looks at the result, so that a text of it need not be decoded on its way. */
  takesText = false;
  /** Makes a task of this call; set where its client can have one. */
  detaching: (() => Promise<BackgroundCall>) | undefined;
  #background: BackgroundCall | undefined;
  readonly #channel: Channel;
  readonly #host: ContextHost;
  /** Made when the call first asks, or when it comes back with answers. */
  #questions: CallQuestions | undefined;
  #resume: (() => Promise<void>) | undefined;
  #controller: AbortController | undefined;
  #cancellation: Cancellation | undefined;
  #cancelled: string | undefined;
  /** Why the work of the handler is to end. */
  #stopped: { readonly reason: unknown } | undefined;
  #caller: Caller | undefined;
  #state: CallState | undefined;
  #buckets: CallBuckets | undefined;
  /** The handle of the session's bucket that an earlier run of this call left. */
  #handle: string | undefined;
  #ended = false;
  #lastProgress = Number.NEGATIVE_INFINITY;
  #outbox: Promise<void> | undefined;
  #steps = 0;
  /** Whether the author's handler has awaited nothing so far; undefined where there is none, or it was not called yet. */
  isStarting: boolean | undefined = undefined;

  constructor(
    id: RequestId,
    method: string,
    params: JsonObject,
    peer: Peer,
    channel: Channel,
    host: ContextHost,
    text?: string,
  ) {
    this.id = id;
    this.method = method;
    this.params = params;
    this.peer = peer;
    this.auth = channel.auth;
    this.requiresScopes = channel.requiresScopes === true || channel.auth !== undefined;
    this.#channel = channel;
    this.#host = host;
    this.text = text;
  }

  /** Made on first use: most handlers never look at it, and a signal costs more than the rest of the call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  /** Says what `signal` says, for those who pass the call on: it costs next to nothing. */
  get cancellation(): Cancellation {
    if (this.#cancellation === undefined) {
      this.#cancellation = new Cancellation();
      if (this.#stopped !== undefined) this.#cancellation.cancel(this.#stopped.reason);
    }
    return this.#cancellation;
  }

  get caller(): Caller {
    this.#caller ??= callerOf(this.peer, this.auth);
    return this.#caller;
  }

  get state(): CallState {
    this.#state ??= this.#host.createState();
    return this.#state;
  }

  get session(): Bucket {
    return this.#kept.session;
  }

  get user(): Bucket {
    return this.#kept.user;
  }

  get #kept(): CallBuckets {
    this.#buckets ??= new CallBuckets(this, this.#host.openBucket, this.#handle);
    return this.#buckets;
  }

  get isLocal(): boolean {
    return this.#channel.isLocal === true;
  }

  follow(promise: Promise<unknown>): void {
    this.#asking.follow(promise);
  }

  /** The result with what leads the client back to its session's bucket; most calls have none. */
  carrying(result: JsonObject): JsonObject {
    const handle = this.#buckets?.handle;
    return handle === undefined ? result : withHandle(result, handle);
  }

  /** What the middleware made of the call. */
  adopt({ caller, state, signal }: Call): void {
    this.#caller = caller;
    this.#state = state;
    // A middleware that hands on a signal of its own can end the work and still answer.
    if (signal !== this.signal) this.abortWith(signal);
  }

  get meta(): JsonObject {
    return isRecord(this.params._meta) ? this.params._meta : {};
  }

  get cancelled(): boolean {
    return this.#cancelled !== undefined;
  }

  /** A task outlives the request that it came from, and is cancelled by a request of its own. */
  cancel(reason: string): void {
    if (this.#cancelled !== undefined || this.#ended || this.#background !== undefined) return;
    this.#cancelled = reason;
    this.stop(cancelledCall(reason));
  }

  /** Ends the work of the handler when this signal fires; unlike a cancelled call, it is still answered. */
  abortWith(signal: AbortSignal): void {
    const { signal: own } = this;
    if (own.aborted) return;
    const abort = (): void => this.stop(signal.reason);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  }

  async detach(): Promise<void> {
    if (this.#background !== undefined || this.detaching === undefined) return;
    this.#background = await this.detaching();
  }

  /** What the call goes on with, once it is a task. */
  get background(): BackgroundCall | undefined {
    return this.#background;
  }

  /** Ends the work of the handler. */
  stop(reason: unknown): void {
    this.#stopped ??= { reason };
    this.#controller?.abort(reason);
    this.#cancellation?.cancel(reason);
  }

  /** Nothing more is sent for this call. */
  end(): void {
    this.#ended = true;
  }

  progress(progress: number, total?: number, message?: string): void {
    if (typeof progress !== 'number')
      throw new TypeError('ctx.progress takes numbers: ctx.progress(done, total, message)');
    if (this.#background !== undefined) {
      if (!Number.isFinite(progress) || progress <= this.#lastProgress) return;
      this.#lastProgress = progress;
      this.#background.progress(progress, total, message);
      return;
    }
    const token = this.meta.progressToken;
    if (typeof token !== 'string' && typeof token !== 'number') return;
    // JSON has no infinity, and no sum either that is beyond all others.
    if (!Number.isFinite(progress) || progress <= this.#lastProgress) return;
    this.#lastProgress = progress;
    const params: JsonObject = { progressToken: token, progress };
    if (total !== undefined && Number.isFinite(total)) params.total = total;
    if (message !== undefined) params.message = message;
    this.notify('notifications/progress', readable(this.peer.revision, 'progress', params));
  }

  status(message: string): void {
    if (this.#background !== undefined) {
      this.#background.status(message);
      return;
    }
    // Values of progress must grow, and a status is no progress: the last value, and as little more as there is.
    const last = Number.isFinite(this.#lastProgress) ? this.#lastProgress : -1e-9;
    this.progress(last + Math.max(Math.abs(last), 1) * 1e-9, undefined, message);
  }

  log(level: LogLevel, data: unknown, logger?: string): void {
    assertLogLevel(level);
    if (!this.#host.logs || !wantsLog(this.peer, level)) return;
    const said = data === undefined ? null : data;
    this.notify(
      'notifications/message',
      logger === undefined ? { level, data: said } : { level, logger, data: said },
    );
  }

  notify(method: string, params: JsonObject = {}): void {
    if (this.#ended || this.cancelled) return;
    const wrapped = this.#host.hasOutbound(method);
    if (!wrapped && this.outbox === undefined) {
      this.#deliver(method, params);
      return;
    }
    const call = this.#outboundCall('notification', method, params);
    const deliver = (current: Call): JsonObject => {
      if (!this.#ended && !this.cancelled) this.#deliver(current.method, current.params);
      return {};
    };
    // One after the other: what middleware holds back must not be overtaken by what comes after it.
    const tail: Promise<void> = (this.outbox ?? Promise.resolve())
      .then(() => (wrapped ? this.#host.outbound(call, deliver) : deliver(call)))
      .catch(() => undefined)
      .then(() => {
        if (this.#outbox === tail) this.#outbox = undefined;
      });
    this.#outbox = tail;
  }

  #deliver(method: string, params: JsonObject): void {
    if (this.#background === undefined) this.#channel.notify(encodeNotification(method, params));
    else this.#background.notify(method, params);
  }

  /** Resolves when the notifications still in middleware have left, and questions are put; the answer waits for it. */
  get outbox(): Promise<void> | undefined {
    return this.#outbox ?? this.#questions?.putting;
  }

  elicit<const S extends AnySchema>(
    message: string,
    form: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>> {
    return this.#asking.ask(elicit(message, form), options?.key);
  }

  elicitUrl(message: string, url: string, options?: AskOptions): Promise<UrlAnswer> {
    return this.#asking.ask(elicitUrl(message, url), options?.key);
  }

  sample(request: string | SampleRequest, options?: AskOptions): Promise<CreateMessageResult> {
    return this.#asking.ask(sample(request), options?.key);
  }

  roots(options?: AskOptions): Promise<Root[]> {
    return this.#asking.ask(roots(), options?.key);
  }

  ask<Asks extends Readonly<Record<string, Ask<unknown>>>>(asks: Asks): Promise<AnswersOf<Asks>> {
    return this.#asking.askAll(asks);
  }

  once<T>(key: string, fn: () => T | Promise<T>): Promise<T> {
    return this.#asking.once(key, fn);
  }

  step<T>(name: string, fn: () => T | Promise<T>): Promise<T> {
    this.#steps += 1;
    this.progress(this.#steps, undefined, name);
    return this.once(`step ${name}`, fn);
  }

  get #asking(): CallQuestions {
    this.#questions ??= new CallQuestions(this);
    return this.#questions;
  }

  /** The questions of a task are put while it goes on, in every revision. */
  get askBy(): Revision['askBy'] {
    return this.#background === undefined ? this.peer.revision.askBy : 'server_request';
  }

  release(retry: Duration = 1000): void {
    if (this.#background !== undefined) return;
    if (!this.#ended && !this.cancelled) this.#channel.release(milliseconds(retry));
  }

  /** Keeps the opening of the request state for a handler that knows whose it is. */
  resumeWith(open: () => Promise<void>): void {
    this.#resume = open;
  }

  /** Takes up what earlier runs of this call left in the request state, where the route leaves that to its handler. */
  async resume(): Promise<void> {
    const open = this.#resume;
    this.#resume = undefined;
    await open?.();
  }

  /** Answers that came with this request, and what earlier runs left in the sealed state. */
  async restore(input: InputState, responses: JsonObject | undefined): Promise<void> {
    await this.#asking.restore(input, responses);
    this.#lastProgress = input.progress ?? this.#lastProgress;
    this.#handle = input.session;
  }

  /** The questions that ended this run, once every question has been put and every side effect has ended. */
  async suspended(): Promise<{ asked: ReadonlyMap<string, JsonObject>; state: InputState } | undefined> {
    const suspended = await this.#questions?.suspended();
    if (suspended === undefined) return undefined;
    const session = this.#buckets?.handle ?? this.#handle;
    const state: InputState = {
      ...suspended.state,
      ...(Number.isFinite(this.#lastProgress) ? { progress: this.#lastProgress } : {}),
      ...(session === undefined ? {} : { session }),
    };
    return { ...suspended, state };
  }

  get isWaiting(): boolean {
    return this.#questions?.isWaiting === true;
  }

  get waitedMs(): number {
    return this.#questions?.waitedMs ?? 0;
  }

  get isSuspended(): boolean {
    return this.#questions?.isSuspended === true;
  }

  throwIfCancelled(): void {
    if (this.#cancelled !== undefined) throw cancelledCall(this.#cancelled);
  }

  passOut(
    method: string,
    params: JsonObject,
    deliver: (ask: OutgoingAsk) => Promise<JsonObject> | JsonObject,
  ): Promise<JsonObject> | JsonObject {
    if (!this.#host.hasOutbound(method)) return deliver({ method, params });
    return this.#host.outbound(this.#outboundCall('request', method, params), deliver);
  }

  request(method: string, params: JsonObject): Promise<JsonObject> {
    return this.#background === undefined
      ? this.#channel.request(method, params, this.signal)
      : this.#background.ask(method, params);
  }

  #outboundCall(kind: Call['kind'], method: string, params: JsonObject): Call {
    const { caller, signal, state } = this;
    return { kind, direction: 'outbound', method, params, caller, signal, state };
  }
}
