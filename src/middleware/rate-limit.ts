/** So many calls in a time, for each caller and in all: buckets that fill up steadily. */

import { ProtocolError } from '../protocol/errors.js';
import { parseRate, type Rate } from './duration.js';
import type { Layer } from './layer.js';
import { callerKey } from './subject.js';

export interface RateLimitOptions {
  /** For each principal, or session where nobody is authenticated: `100/min`. */
  readonly perPrincipal?: string;
  readonly total?: string;
  readonly now?: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Callers come from outside: the least recent ones are forgotten, with a full bucket. */
const MAX_CALLERS = 10_000;

export function rateLimit(options: RateLimitOptions): Layer {
  const { now = () => performance.now() } = options;
  const each =
    options.perPrincipal === undefined ? undefined : new Buckets(parseRate(options.perPrincipal), now);
  const all = options.total === undefined ? undefined : new Buckets(parseRate(options.total), now);
  return {
    call: (call, next) => {
      const waitMs = each?.take(callerKey(call)) ?? all?.take('all');
      if (waitMs === undefined) return next();
      throw new ProtocolError('internal_error', `Too many calls; try again in ${Math.ceil(waitMs)} ms`, {
        data: { retryAfterMs: Math.ceil(waitMs) },
      });
    },
  };
}

class Buckets {
  readonly #rate: Rate;
  readonly #now: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(rate: Rate, now: () => number) {
    this.#rate = rate;
    this.#now = now;
  }

  /** Undefined when there was a token; otherwise how long until there is one. */
  take(key: string): number | undefined {
    const { count, perMs } = this.#rate;
    const at = this.#now();
    const before = this.#buckets.get(key) ?? { tokens: count, at };
    const tokens = Math.min(count, before.tokens + ((at - before.at) * count) / perMs);
    this.#buckets.delete(key);
    if (this.#buckets.size >= MAX_CALLERS) {
      const [oldest] = this.#buckets.keys();
      if (oldest !== undefined) this.#buckets.delete(oldest);
    }
    this.#buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, at });
    return tokens >= 1 ? undefined : ((1 - tokens) * perMs) / count;
  }
}
