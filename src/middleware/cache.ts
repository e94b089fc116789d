/**
 * Remembers lists and resources for as long as their server allows, or for the configured time. What is
 * private is kept apart by principal; a change that the server announces drops what it concerns.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import { type Duration, milliseconds } from '../protocol/duration.js';
import { assertOptionNames, type OptionNames } from '../protocol/option-names.js';
import { canonicalUri } from './canonical.js';
import type { Call, Caller } from './compose.js';
import { type Layer, LISTS } from './layer.js';
import { callerKey, ownResult } from './subject.js';

export interface CacheOptions {
  /** For results that say nothing of it themselves; by default those are not kept. */
  readonly ttl?: Duration | undefined;
  /** Results in all. Default: 1,000. */
  readonly max?: number | undefined;
  /** The clock, in milliseconds. */
  readonly now?: (() => number) | undefined;
}

const OPTIONS: OptionNames<CacheOptions> = { ttl: true, max: true, now: true };

interface Entry {
  readonly result: JsonObject;
  readonly method: string;
  readonly uri: unknown;
  readonly until: number;
}

/** Reuses results of calls that are safe to repeat, for each caller. */
export function cache(options: CacheOptions = {}): Layer {
  assertOptionNames('cache', options, OPTIONS);
  const { max = 1_000, now = () => performance.now() } = options;
  const fallback = options.ttl === undefined ? 0 : milliseconds(options.ttl);
  const entries = new Map<string, Entry>();
  const drop = (concerns: (entry: Entry) => boolean): void => {
    for (const [key, entry] of entries) if (concerns(entry)) entries.delete(key);
  };
  return {
    request: async (call, next) => {
      if (!LISTS.includes(call.method) && call.method !== 'resources/read') return next();
      // What took the user's input was meant for this call alone.
      if (call.params.inputResponses !== undefined || call.params.requestState !== undefined) return next();
      const shared = keyOf(call, 'public');
      const own = keyOf(call, callerKey(call));
      const known = entries.get(own) ?? entries.get(shared);
      if (known !== undefined && now() < known.until) return known.result;
      const watched = new WatchedCaller(call.caller);
      const answered = await next({ ...call, caller: watched });
      // An answer that was made for this caller is this caller's, whatever its server says of it.
      const result = watched.decided ? ownResult(answered) : answered;
      const ttl = typeof result.ttlMs === 'number' ? result.ttlMs : fallback;
      const isComplete = result.resultType === undefined || result.resultType === 'complete';
      if (ttl > 0 && isComplete) {
        if (entries.size >= max) drop(({ until }) => until <= now());
        const [oldest] = entries.keys();
        if (entries.size >= max && oldest !== undefined) entries.delete(oldest);
        const key = result.cacheScope === 'public' ? shared : own;
        entries.set(key, {
          result,
          method: call.method,
          uri: canonical(call.params.uri),
          until: now() + ttl,
        });
      }
      return result;
    },
    notification: (call, next) => {
      const { method, params } = call;
      const changed = /^notifications\/(tools|prompts|resources)\/list_changed$/.exec(method)?.[1];
      if (changed !== undefined)
        drop((entry) => entry.method.startsWith(`${changed}/`) && entry.method.endsWith('list'));
      if (method === 'notifications/resources/updated') {
        const changedUri = canonical(params.uri);
        // However it was spelled by those who read it.
        drop((entry) => entry.uri === changedUri);
      }
      return next();
    },
  };
}

/** Notices whether middleware further in, such as authorize, decides by who is calling. */
class WatchedCaller implements Caller {
  readonly revision: string;
  readonly capabilities: Caller['capabilities'];
  readonly #caller: Caller;
  decided = false;

  constructor(caller: Caller) {
    this.#caller = caller;
    this.revision = caller.revision;
    this.capabilities = caller.capabilities;
    // Own and enumerable: a copy of the caller decides too.
    for (const key of ['client', 'principal', 'sessionId', 'auth'] as const) {
      Object.defineProperty(this, key, {
        enumerable: true,
        get: () => {
          this.decided = true;
          return this.#caller[key];
        },
      });
    }
  }

  declare readonly client: Caller['client'];
  declare readonly principal: Caller['principal'];
  declare readonly sessionId: Caller['sessionId'];
  declare readonly auth: Caller['auth'];
}

function canonical(uri: unknown): unknown {
  return typeof uri === 'string' ? (canonicalUri(uri) ?? uri) : uri;
}

/** Servers may answer differently to clients of other revisions and capabilities. */
function keyOf({ method, params, caller }: Call, partition: string): string {
  const { _meta: _, ...own } = params;
  return JSON.stringify([partition, method, own, caller.revision, caller.capabilities]);
}
