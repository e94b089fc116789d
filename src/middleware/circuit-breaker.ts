/** Stops asking what has failed again and again, and tries it once more after a while. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { McpError, ProtocolError } from '../protocol/errors.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import type { Middleware, Next } from './compose.js';
import { callerKey, toolOf } from './subject.js';

interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open. */
  readonly openMs: number;
  readonly now: () => number;
}

class CircuitBreaker {
  readonly #options: BreakerOptions;
  #failures = 0;
  #openUntil = 0;
  #probing = false;

  constructor(options: BreakerOptions) {
    this.#options = options;
  }

  get isOpen(): boolean {
    return this.#failures >= this.#options.failures;
  }

  /** Whether to try; after the break, one attempt at a time. */
  admits(): boolean {
    if (!this.isOpen) return true;
    if (this.#probing || this.#options.now() < this.#openUntil) return false;
    this.#probing = true;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#probing = false;
  }

  failed(): void {
    this.#failures += 1;
    this.#probing = false;
    if (this.isOpen) this.#openUntil = this.#options.now() + this.#options.openMs;
  }
}

export interface CircuitBreakerOptions {
  /** Failures in a row that open it. Default: 5. */
  readonly failures?: number | undefined;
  /** How long it stays open. Default: 30 s. */
  readonly open?: Duration | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionNames<CircuitBreakerOptions> = { failures: true, open: true, now: true };

/** Names and callers come from outside: the least recent are forgotten. */
const MAX_TOOLS = 10_000;
const MAX_BREAKERS = 10_000;
const MAX_PAGES = 20;

/**
 * One breaker for each tool and caller: internal errors and time-outs count, refusals and failed tool results do not. What
 * one caller makes fail stays open to the others. Only tools that were listed, or have answered, have breakers.
 */
export function circuitBreaker(options: CircuitBreakerOptions = {}): Middleware {
  assertOptionNames('circuitBreaker', options, OPTIONS);
  const { failures = 5, now = () => performance.now() } = options;
  const openMs = milliseconds(options.open ?? 30_000);
  const tools = new Bounded<string, true>(MAX_TOOLS);
  const breakers = new Bounded<string, CircuitBreaker>(MAX_BREAKERS);
  let lookedAt = Number.NEGATIVE_INFINITY;
  /** The tool of a caller that did not list first is looked up, but not each of a flood of names. */
  const isKnown = async (name: string, next: Next): Promise<boolean> => {
    if (tools.has(name) || now() - lookedAt < openMs) return tools.has(name);
    lookedAt = now();
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES && (page === 0 || cursor !== undefined); page += 1) {
      const params = cursor === undefined ? {} : { cursor };
      const listed: JsonObject = await next.request('tools/list', params).catch(() => ({}));
      for (const one of namesIn(listed)) tools.set(one, true);
      cursor = listed.nextCursor;
    }
    return tools.has(name);
  };
  return async (call, next) => {
    if (call.kind === 'request' && call.method === 'tools/list') {
      const result = await next();
      for (const name of namesIn(result)) tools.set(name, true);
      return result;
    }
    const subject = toolOf(call);
    if (subject === undefined) return next();
    const key = JSON.stringify([callerKey(call), subject]);
    const breaker = breakers.get(key) ?? new CircuitBreaker({ failures, openMs, now });
    if (!breaker.admits()) {
      throw new ProtocolError('internal_error', `"${subject}" has failed too often; try again later`);
    }
    try {
      const result = await next();
      tools.set(subject, true);
      breaker.succeeded();
      breakers.delete(key);
      return result;
    } catch (error) {
      if (!isFailure(error)) breaker.succeeded();
      else {
        breaker.failed();
        if (await isKnown(subject, next)) breakers.set(key, breaker);
      }
      throw error;
    }
  };
}

function namesIn({ tools }: JsonObject): string[] {
  return (Array.isArray(tools) ? tools : [])
    .map((tool) => (isRecord(tool) ? tool.name : undefined))
    .filter((name) => typeof name === 'string');
}

/** A map in which the least recently set give way. */
class Bounded<Key, Value> extends Map<Key, Value> {
  readonly #max: number;

  constructor(max: number) {
    super();
    this.#max = max;
  }

  override set(key: Key, value: Value): this {
    this.delete(key);
    if (this.size >= this.#max) {
      const [oldest] = this.keys();
      if (oldest !== undefined) this.delete(oldest);
    }
    return super.set(key, value);
  }
}

function isFailure(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === 'internal_error' || error.code === 'application';
  return !(error instanceof McpError && (error.code === 'cancelled' || error.code === 'input_required'));
}
