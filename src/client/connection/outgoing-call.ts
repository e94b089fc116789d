/** A call on its way out, and what carries it. */

import type { JsonObject, RequestId } from '../../jsonrpc/message.js';
import type { Waiter } from '../../jsonrpc/pending.js';
import type { Cancellation } from '../../protocol/cancellation.js';
import type { ProgressParams } from '../../protocol/model/notifications.js';
import type { Question } from '../input/input-rounds.js';
import type { CallOptions, Sender, Settings } from '../options.js';
import type { Deadlines } from './deadlines.js';
import type { ClientEra } from './lifecycle/era.js';
import type { Link } from './link.js';
import type { QuestionTime } from './question-time.js';
import type { SessionHandles } from './session-handles.js';

export interface OutgoingCall<T> {
  readonly method: string;
  readonly params: JsonObject;
  /** The params as they were written, for who passes them on: they need not be encoded again. */
  readonly paramsText?: string | undefined;
  readonly options: CallOptions;
  /** Ends the call like the signal in the options, for those who made no signal. */
  readonly cancellation?: Cancellation | undefined;
  /** Headers that repeat parts of the params, where the transport has headers. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Results of any `resultType` go to `read`, for methods that only the caller knows. */
  readonly raw?: boolean;
  /** A result that requests input goes to `read` like any other: the caller answers it. */
  readonly interim?: boolean;
  readonly sender?: Sender | undefined;
  /** Comes back with the questions and notifications that belong to this call. */
  readonly owner?: unknown;
  /** How often it was sent before and lost, and until when it may be sent again. */
  readonly history?: { readonly replays: number; readonly until: number } | undefined;
  /**
   * Makes the caller's value of the result; throws when it is none. `rounds` counts the times input was given, `size` is
   * the length of the message that it came in.
   */
  read(result: JsonObject, rounds: number, size: number): T | Promise<T>;
  /** The same of the text of a result, for who need not look at it. */
  readonly readText?: ((result: string) => T) | undefined;
}

/** What an exchange needs of its connection. */
export interface ExchangeHost {
  readonly link: Link;
  readonly era: ClientEra;
  readonly settings: Settings;
  /** Calls that expect progress, by token. */
  readonly progress: Map<RequestId, Progressing>;
  /** Calls that wait for our own user rather than for the server. */
  readonly parked: Set<Waiter>;
  readonly questionTime: QuestionTime;
  readonly deadlines: Deadlines;
  readonly handles: SessionHandles;
  answer(question: Question, signal: AbortSignal, call: OutgoingCall<unknown>): Promise<JsonObject>;
  guard(what: string, run: () => unknown): void;
}

/** Decides what happens to a call that failed in transit. */
export interface FailedCalls {
  /** Settles the call by one of the two functions, now or after another attempt. */
  failed<T>(
    call: OutgoingCall<T>,
    error: unknown,
    settle: (value: T | Promise<T>) => void,
    refuse: (error: unknown) => void,
    host: ExchangeHost,
  ): void;
}

export interface Progressing {
  progressed(params: ProgressParams): void;
}
