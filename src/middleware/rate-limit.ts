/** So many calls in a time, for each caller and in all: buckets that fill up steadily. */

import { ProtocolError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { type Call, isWithin, type Middleware, type Origin } from './compose.js';
import type { Layer } from './layer.js';
import { parseRate, type Rate } from './rate.js';
import { callerKey } from './subject.js';

export interface RateLimitOptions {
  /** For each principal, or for each session of unauthenticated callers: `100/min`. */
  readonly perPrincipal?: string | undefined;
  /** For all callers together: `1000/min`. Default: no limit. */
  readonly total?: string | undefined;
  /** Counts for all nodes together: the `rates` of a store that they share. */
  readonly rates?: SharedRates | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionNames<RateLimitOptions> = { perPrincipal: true, total: true, rates: true, now: true };

/** What `rates` of a store does. */
export interface SharedRates {
  take(
    key: string,
    limit: { readonly limit: number; readonly windowMs: number },
  ): SharedVerdict | Promise<SharedVerdict>;
}

interface SharedVerdict {
  readonly allowed: boolean;
  readonly retryAfterMs: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Callers come from outside: the least recent ones are forgotten, with a full bucket. */
const MAX_CALLERS = 10_000;

/** Limits the calls in a time: `rateLimit({ perPrincipal: '100/min' })`. */
export function rateLimit(options: RateLimitOptions): Layer {
  assertOptionNames('rateLimit', options, OPTIONS);
  if (options.rates !== undefined) return sharedLimit(options, options.rates);
  const { now = () => performance.now() } = options;
  const each =
    options.perPrincipal === undefined ? undefined : new Buckets(parseRate(options.perPrincipal), now);
  const all = options.total === undefined ? undefined : new Buckets(parseRate(options.total), now);
  return {
    call: countingOnce((call) => {
      const waitMs = each?.take(callerKey(call)) ?? all?.take('all');
      if (waitMs !== undefined) throw tooMany(waitMs);
    }),
  };
}

function sharedLimit({ perPrincipal, total }: RateLimitOptions, rates: SharedRates): Layer {
  const each = perPrincipal === undefined ? undefined : parseRate(perPrincipal);
  const all = total === undefined ? undefined : parseRate(total);
  const take = async (key: string, rate: Rate | undefined): Promise<void> => {
    if (rate === undefined) return;
    const verdict = await rates.take(key, { limit: rate.count, windowMs: rate.perMs });
    if (!verdict.allowed) throw tooMany(verdict.retryAfterMs);
  };
  return {
    call: countingOnce(async (call) => {
      await take(`calls of ${callerKey(call)}`, each);
      await take('calls', all);
    }),
  };
}

/** A call that was counted has paid for those that middleware makes in its course. */
function countingOnce(count: (call: Call) => void | Promise<void>): Middleware {
  const counted = new WeakSet<Origin>();
  return async (call, next) => {
    if (isWithin(call, counted)) return next();
    await count(call);
    if (call.origin === undefined) return next();
    counted.add(call.origin);
    try {
      return await next();
    } finally {
      counted.delete(call.origin);
    }
  };
}

function tooMany(waitMs: number): ProtocolError {
  return new ProtocolError('internal_error', `Too many calls; try again in ${Math.ceil(waitMs)} ms`, {
    data: { retryAfterMs: Math.ceil(waitMs) },
  });
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
