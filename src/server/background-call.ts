/** A call that goes on after it was answered. */

import type { ErrorObject, JsonObject } from '../jsonrpc/message.js';

/** Takes what a handler says and asks after its call was answered. */
export interface BackgroundCall {
  progress(progress: number, total: number | undefined, message: string | undefined): void;
  status(message: string): void;
  ask(method: string, params: JsonObject): Promise<JsonObject>;
  notify(method: string, params: JsonObject): void;
  /** What another node needs to go on with it, when this one is gone. */
  resumable(resume: JsonObject): void;
  settle(outcome: { readonly result: JsonObject } | { readonly error: ErrorObject }): Promise<void>;
}

/** A call that has become a task: what it is answered with, and what goes on. */
export interface DetachedCall {
  readonly created: JsonObject;
  readonly background: BackgroundCall;
}
