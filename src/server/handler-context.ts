/** What a handler is given besides its arguments: the same in every revision. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller, CallState } from '../middleware/compose.js';
import type { Duration } from '../protocol/duration.js';
import type { LogLevel } from '../protocol/model/logging.js';
import type { Root } from '../protocol/model/roots.js';
import type { CreateMessageResult } from '../protocol/model/sampling.js';
import type { AnySchema, InferOutput } from '../protocol/schema/infer.js';
import type { AnswersOf, Ask, ElicitAnswer, SampleRequest, UrlAnswer } from './asks.js';
import type { AnyKeptValues, Bucket, KeptValues } from './buckets/bucket.js';

/** What a handler gets about its call, and what it can do while it runs. */
export interface Context<State extends object = CallState, Kept extends KeptValues = AnyKeptValues> {
  /** Aborts when the client cancels, disconnects (where that cancels), or the server closes. */
  readonly signal: AbortSignal;
  readonly caller: Caller;
  /** What middleware left for the handler: `call.state` there. */
  readonly state: State;
  /** Kept between the calls of a session, and of a client without one that sends back its handle. */
  readonly session: Bucket<Kept['session']>;
  /** Kept between the calls of a principal, over all its sessions. */
  readonly user: Bucket<Kept['user']>;
  /** The `_meta` of the request, protocol keys included. */
  readonly meta: JsonObject;
  /** Reports the progress of the call. Sends nothing when the client did not request it; values must grow. */
  progress(progress: number, total?: number, message?: string): void;
  /** Says what the call is doing, for people: the status of a task, otherwise the message of its progress. */
  status(message: string): void;
  log(level: LogLevel, data: unknown, logger?: string): void;
  /** Sends a notification of your own on the stream of this call. */
  notify(method: string, params?: JsonObject): void;
  /** Asks the user to fill in a form. */
  elicit<const S extends AnySchema>(
    message: string,
    form: S,
    options?: AskOptions,
  ): Promise<ElicitAnswer<InferOutput<S>>>;
  elicitUrl(message: string, url: string, options?: AskOptions): Promise<UrlAnswer>;
  /** Asks the client's model. */
  sample(request: string | SampleRequest, options?: AskOptions): Promise<CreateMessageResult>;
  roots(options?: AskOptions): Promise<Root[]>;
  /** Asks several things at once: one round trip in the stateless revision. */
  ask<Asks extends Readonly<Record<string, Ask<unknown>>>>(asks: Asks): Promise<AnswersOf<Asks>>;
  /**
   * Runs a side effect once for the whole call. In the stateless revision the handler starts over after each
   * answer; what `fn` returned (a JSON value) is kept in the sealed request state and returned again.
   */
  once<T>(key: string, fn: () => T | Promise<T>): Promise<T>;
  /**
   * A named step of the call: done once like `once`, and reported to the client as progress under its name.
   */
  step<T>(name: string, fn: () => T | Promise<T>): Promise<T>;
  /**
   * Ends the client's connection while the work goes on, for long calls over HTTP; the client comes back for
   * the result after `retry`, 1 s by default. Does nothing where the revision or the transport has no such thing.
   */
  release(retry?: Duration): void;
  /**
   * Goes on as a task from here, where the client can have one: the call is answered, and the handler continues. Tools
   * with `task` do this before their handler runs, unless they say `start: 'manual'`.
   */
  detach(): Promise<void>;
}

export interface AskOptions {
  /** Names the question across reruns of the handler. By default questions are numbered in the order asked. */
  readonly key?: string | undefined;
}
