/** Ends calls that take too long, here and upstream. */

import { Deadline } from '../protocol/deadline.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { ProtocolError } from '../protocol/errors.js';
import type { Layer } from './layer.js';

/** Ends calls that take longer than this: `timeout('30s')`. */
export function timeout(duration: Duration): Layer {
  const limit = milliseconds(duration);
  return {
    call: async (call, next) => {
      const reason = new ProtocolError('internal_error', `${call.method} took longer than ${limit} ms`, {
        data: { timeoutMs: limit },
      });
      const deadline = new Deadline(limit, call.signal, reason);
      const { signal } = deadline;
      const expired = new Promise<never>((_resolve, reject) => {
        // A call that was cancelled ends by itself.
        const abort = (): void => (signal.reason === reason ? reject(reason) : undefined);
        signal.addEventListener('abort', abort, { once: true });
      });
      try {
        return await Promise.race([next({ ...call, signal }), expired]);
      } finally {
        deadline.clear();
      }
    },
  };
}
