/** Replaces results that are too large with an error that the model can act on. */

import { ProtocolError } from '../protocol/errors.js';
import type { Layer } from './layer.js';

/** `limit` in bytes, or `64KB`, `1MB`. */
export function responseSize(limit: number | string): Layer {
  const max = bytes(limit);
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

const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['b', 1],
  ['kb', 1024],
  ['mb', 1024 * 1024],
]);

function bytes(limit: number | string): number {
  if (typeof limit === 'number') return limit;
  const [, amount = '', unit = ''] = /^(\d+)\s*([a-z]*)$/i.exec(limit.trim()) ?? [];
  const factor = UNITS.get(unit.toLowerCase());
  if (factor === undefined || amount === '') throw new TypeError(`"${limit}" is no size; write 64KB or 1MB`);
  return Number(amount) * factor;
}
