/** Handlers of methods and notifications outside the protocol's own. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Caller } from '../middleware/compose.js';
import type { AnyKeptValues, KeptValues } from './buckets/bucket.js';
import type { Context } from './context.js';

export type MethodHandler<State extends object = object, Kept extends KeptValues = AnyKeptValues> = (
  params: JsonObject,
  ctx: Context<State, Kept>,
) => JsonObject | Promise<JsonObject>;

export type NotificationHandler = (params: JsonObject, caller: Caller) => void | Promise<void>;
