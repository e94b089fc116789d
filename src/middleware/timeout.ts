/** Ends calls that take too long, here and upstream. */

import { ProtocolError } from '../protocol/errors.js';
import { type Duration, milliseconds } from './duration.js';
import type { Layer } from './layer.js';

export function timeout(duration: Duration): Layer {
  const limit = milliseconds(duration);
  return {
    call: async (call, next) => {
      const controller = new AbortController();
      const reason = new ProtocolError('internal_error', `${call.method} took longer than ${limit} ms`, {
        data: { timeoutMs: limit },
      });
      let timer: ReturnType<typeof setTimeout> | undefined;
      const expired = new Promise<never>((_resolve, reject) => {
        timer = setTimeout(() => {
          controller.abort(reason);
          reject(reason);
        }, limit);
      });
      try {
        const signal = AbortSignal.any([call.signal, controller.signal]);
        return await Promise.race([next({ ...call, signal }), expired]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
