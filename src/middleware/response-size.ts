/** Replaces results that are too large with an error that the model can act on. */

import { ProtocolError } from '../protocol/errors.js';
import { byteCount, type Size } from '../protocol/size.js';
import type { Layer } from './layer.js';

/** `limit` in bytes, or `64KB`, `1MB`. */
export function responseSize(limit: Size): Layer {
  const max = byteCount(limit);
  return {
    call: async (call, next) => {
      const result = await next();
      const size = new TextEncoder().encode(JSON.stringify(result)).length;
      if (size <= max) return result;
      const text = `The result has ${size} bytes and at most ${max} are allowed; ask for less`;
      if (call.method !== 'tools/call')
        throw new ProtocolError('internal_error', text, { data: { size, max } });
      return { content: [{ type: 'text', text }], isError: true };
    },
  };
}
