/** What the context of a call needs of its server. */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Call, CallState } from '../middleware/compose.js';
import { McpError } from '../protocol/errors.js';
import type { BucketOpener } from './buckets/call-buckets.js';

export interface ContextHost {
  /** Runs an outbound call through the middleware and then `deliver`. */
  outbound(
    call: Call,
    deliver: (call: Call) => Promise<JsonObject> | JsonObject,
  ): Promise<JsonObject> | JsonObject;
  hasOutbound(method: string): boolean;
  /** The state that a call begins with. */
  createState(): CallState;
  /** Whether the server declared logging. */
  readonly logs: boolean;
  readonly openBucket: BucketOpener;
}

/** Why the work of a handler ends when its client has cancelled the call. */
export function cancelledCall(reason: string): McpError<'cancelled'> {
  return new McpError(
    'cancelled',
    reason === '' ? 'The call was cancelled' : `The call was cancelled: ${reason}`,
    reason === '' ? {} : { cause: reason },
  );
}
