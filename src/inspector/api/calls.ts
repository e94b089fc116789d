/** Calls that the page makes, and calls that it keeps. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { CompletionReference } from '../../protocol/model/completion.js';
import type { Failure, ServerId } from './servers.js';

/** What to do; the same whether it is done now, saved, or done again. */
export type CallTarget =
  | {
      readonly kind: 'tool';
      readonly name: string;
      readonly arguments: JsonObject;
      /** Asks for a task, in the revision in which clients choose. */
      readonly task?: boolean;
    }
  /** Follows a task to its end. */
  | { readonly kind: 'task'; readonly id: string }
  | { readonly kind: 'resource'; readonly uri: string }
  | {
      readonly kind: 'prompt';
      readonly name: string;
      readonly arguments: Readonly<Record<string, string>>;
    }
  /** Any request, as written. */
  | { readonly kind: 'raw'; readonly method: string; readonly params: JsonObject }
  /** Any notification, as written. Its result is empty: it has no answer. */
  | { readonly kind: 'notification'; readonly method: string; readonly params: JsonObject };

export interface CallRequest {
  /** Chosen by the page, unique among the calls under way: progress and cancellation name it. */
  readonly callId: string;
  readonly server: ServerId;
  readonly target: CallTarget;
  /**
   * In milliseconds; 0 waits without end. Default: that of the server, or one minute. Progress starts it anew, and time
   * that a question waits for its answer does not count.
   */
  readonly timeoutMs?: number;
}

export type CallOutcome = {
  readonly callId: string;
  readonly startedAt: number;
  readonly durationMs: number;
  /** The group of its messages in the timeline, where something was sent. */
  readonly group?: number;
  /** The id of the task that it was. */
  readonly task?: string;
} & (
  | { readonly ok: true; readonly result: JsonObject }
  | {
      readonly ok: false;
      readonly cancelled: boolean;
      /** Its task goes on, and is no longer waited for. */
      readonly left?: true;
      readonly failure: Failure;
    }
);

/** A call under way, for pages that open while it runs. */
export interface InspectedCall {
  readonly callId: string;
  readonly server: ServerId;
  readonly target: CallTarget;
  readonly startedAt: number;
  readonly progress?: CallProgress;
  /** 0: it is waited for without end. */
  readonly timeoutMs: number;
  /** When it is given up, in milliseconds since 1970; absent without a time-out, and while a question is open. */
  readonly deadlineAt?: number;
  /** The id of the task that it became. */
  readonly task?: string;
}

/** A call that has ended. Its result is fetched with `calls.outcome`. */
export interface PastCall {
  readonly callId: string;
  readonly server: ServerId;
  /** Secrets masked; to make it again as it was, use `calls.again`. */
  readonly target: CallTarget;
  readonly startedAt: number;
  readonly durationMs: number;
  readonly status: 'ok' | 'error' | 'cancelled' | 'left';
  readonly group?: number;
  readonly task?: string;
  /** The beginning of the result, or of what went wrong. */
  readonly preview: string;
}

export interface CallProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface CompletionRequest {
  readonly server: ServerId;
  readonly ref: CompletionReference;
  readonly argument: { readonly name: string; readonly value: string };
  /** Arguments that are already settled. */
  readonly settled?: Readonly<Record<string, string>>;
}

export interface CompletionView {
  readonly values: readonly string[];
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Kept in a file of the user's, for later. */
export interface SavedCall {
  readonly id: string;
  /** Calls of one collection are exported together; empty for none. */
  readonly collection?: string;
  readonly name: string;
  /** The name of the server that it was made for: ids do not outlive the process. */
  readonly server: string;
  readonly target: CallTarget;
  readonly savedAt: number;
}
