/** At most so many calls at once; the next ones wait in line, and the line has an end. */

import { ProtocolError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { isWithin, type Origin } from './compose.js';
import type { Layer } from './layer.js';

export interface ConcurrencyOptions {
  /** Calls that run at once. */
  readonly max: number;
  /** How many may wait. Default: 100. */
  readonly queue?: number | undefined;
}

const OPTIONS: OptionNames<ConcurrencyOptions> = { max: true, queue: true };

/** Limits the calls that run at once; further calls wait in a bounded queue: `concurrency({ max: 8 })`. */
export function concurrency(options: ConcurrencyOptions): Layer {
  assertOptionNames('concurrency', options, OPTIONS);
  const { max, queue = 100 } = options;
  let running = 0;
  const admitted = new WeakSet<Origin>();
  const waiting: { admit(): void }[] = [];
  const leave = (): void => {
    const next = waiting.shift();
    // The slot goes directly to the next waiting call; no other call can take it in between.
    if (next === undefined) running -= 1;
    else next.admit();
  };
  const enter = (signal: AbortSignal): Promise<void> => {
    if (running < max) {
      running += 1;
      return Promise.resolve();
    }
    if (waiting.length >= queue)
      throw new ProtocolError('internal_error', 'Too many calls at once; try again later');
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        waiting.splice(waiting.indexOf(entry), 1);
        reject(signal.reason);
      };
      const entry = {
        admit: () => {
          signal.removeEventListener('abort', abort);
          resolve();
        },
      };
      waiting.push(entry);
      signal.addEventListener('abort', abort, { once: true });
    });
  };
  return {
    call: async (call, next) => {
      // What a middleware calls in the course of an admitted call waits for nothing: it would wait for itself.
      if (isWithin(call, admitted)) return next();
      await enter(call.signal);
      if (call.origin !== undefined) admitted.add(call.origin);
      try {
        return await next();
      } finally {
        if (call.origin !== undefined) admitted.delete(call.origin);
        leave();
      }
    },
  };
}
