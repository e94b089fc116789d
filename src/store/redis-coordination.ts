/** Nodes, locks, rates and values that all nodes share. */

import { StoreError } from './errors.js';
import { MemoryLocks } from './memory-coordination.js';
import { type RedisConnection, script } from './redis-connection.js';
import { NOW } from './redis-lua.js';
import type { Locks, Nodes, RateLimit, Rates, RateVerdict, Values } from './store.js';

export class RedisNodes implements Nodes {
  readonly self: string = crypto.randomUUID();
  readonly leaseMs: number;
  readonly #redis: RedisConnection;
  readonly #timer: NodeJS.Timeout;
  readonly #forget: () => void;
  #resumedAt = Number.NEGATIVE_INFINITY;

  private constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.leaseMs = redis.settings.lease;
    const renew = (): void => void this.#renew().catch(redis.settings.onError);
    const resumed = (): void => {
      this.#resumedAt = performance.now();
      renew();
    };
    this.#timer = setInterval(renew, this.leaseMs / 3).unref();
    this.#forget = redis.onResumed(resumed);
  }

  static async join(redis: RedisConnection): Promise<RedisNodes> {
    const nodes = new RedisNodes(redis);
    try {
      await nodes.#renew();
    } catch (error) {
      nodes.#stop();
      throw error;
    }
    return nodes;
  }

  async isAlive(node: string): Promise<boolean> {
    // Leases may have run out while Redis was away; for a while an expired lease means nothing.
    if (node === this.self || performance.now() - this.#resumedAt < this.leaseMs / 2) return true;
    return (await this.#redis.command('EXISTS', this.#redis.key('node', node))) === 1;
  }

  async leave(): Promise<void> {
    this.#stop();
    await this.#redis.command('DEL', this.#redis.key('node', this.self));
  }

  #stop(): void {
    clearInterval(this.#timer);
    this.#forget();
  }

  async #renew(): Promise<void> {
    await this.#redis.command('SET', this.#redis.key('node', this.self), '1', 'PX', `${this.leaseMs}`);
  }
}

const LOCK_MS = 15_000;
const GIVE_UP_MS = 60_000;
/** A holder that dies does not release its lock; this is how often the waiters check. */
const LOOK_MS = 500;

const ACQUIRE = script(`
local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1`);

const RELEASE = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1])
redis.call('SPUBLISH', ARGV[3], '')
return 1`);

export class RedisLocks implements Locks {
  readonly #redis: RedisConnection;
  /** Within the process one waits for all: fairer, and Redis is spared. */
  readonly #local = new MemoryLocks();

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    return this.#local.run(key, () => this.#runAlone(key, work));
  }

  async #runAlone<T>(name: string, work: () => Promise<T>): Promise<T> {
    const key = this.#redis.key('lock', name);
    const channel = this.#redis.key('lock', name, ':released');
    const owner = crypto.randomUUID();
    const acquire = async (): Promise<boolean> =>
      (await this.#redis.run(ACQUIRE, [key], [owner, LOCK_MS])) === 1;
    if (!(await acquire())) await this.#wait(channel, acquire);
    const renewal = setInterval(
      () => void acquire().catch(this.#redis.settings.onError),
      LOCK_MS / 3,
    ).unref();
    try {
      return await work();
    } finally {
      clearInterval(renewal);
      await this.#redis.run(RELEASE, [key], [owner, channel]).catch(this.#redis.settings.onError);
    }
  }

  async #wait(channel: string, acquire: () => Promise<boolean>): Promise<void> {
    const deadline = Date.now() + GIVE_UP_MS;
    let wake: () => void = () => undefined;
    const unsubscribe = await this.#redis.subscribe(channel, () => wake());
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve;
        });
        if (await acquire()) return;
        if (Date.now() > deadline) {
          throw new StoreError(
            'lock_timeout',
            'Another node has held a lock for too long; check whether it hangs',
          );
        }
        const timer = setTimeout(() => wake(), LOOK_MS);
        await woken;
        clearTimeout(timer);
      }
    } finally {
      await unsubscribe();
    }
  }
}

/** How many of those who took last a bucket remembers: one whose answer got lost is not counted twice. */
const MARKS = 16;
const MARK_LENGTH = 8;

/** The bucket of the memory store, by the clock of Redis: when it is full again, and who took from it last. */
const TAKE = script(`${NOW}
local limit, window, mark, again = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4], ARGV[5]
local bucket = redis.call('GET', KEYS[1]) or '0:'
local full, marks = tonumber(string.match(bucket, '^[%d.]+')), string.match(bucket, ':(%w*)$') or ''
if again == '1' then
  for at = 1, #marks, ${MARK_LENGTH} do
    if string.sub(marks, at, at + ${MARK_LENGTH - 1}) == mark then return 0 end
  end
end
if full < now then full = now end
local after = full + window / limit
local wait = after - now - window
if wait > 0.5 then return math.ceil(wait) end
local value = string.format('%.3f', after) .. ':' .. string.sub(mark .. marks, 1, ${MARKS * MARK_LENGTH})
redis.call('SET', KEYS[1], value, 'PX', math.max(math.ceil(after - now), 1))
return 0`);

export class RedisRates implements Rates {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async take(key: string, { limit, windowMs }: RateLimit): Promise<RateVerdict> {
    const mark = crypto.randomUUID().slice(0, MARK_LENGTH);
    const args = (again: boolean): (string | number)[] => [limit, windowMs, mark, again ? 1 : 0];
    const wait = Number(await this.#redis.run(TAKE, [this.#redis.key('rate', key)], args));
    return { allowed: wait === 0, retryAfterMs: wait };
  }
}

const CLAIM = script(`
local current = redis.call('GET', KEYS[1])
if current and current ~= ARGV[4] then
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return current
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return ARGV[2]`);

const DELETE_ONLY = script(`
if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
return redis.call('DEL', KEYS[1])`);

export class RedisValues implements Values {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async get(key: string): Promise<string | undefined> {
    const text = await this.#redis.command('GET', this.#redis.key('value', key));
    return typeof text === 'string' ? text : undefined;
  }

  async set(key: string, text: string, ttlMs?: number): Promise<void> {
    const lifetime = ttlMs === undefined ? [] : ['PX', `${Math.max(Math.ceil(ttlMs), 1)}`];
    await this.#redis.command('SET', this.#redis.key('value', key), text, ...lifetime);
  }

  async claim(key: string, text: string, ttlMs: number, instead: string = text): Promise<string> {
    const ttl = Math.max(Math.ceil(ttlMs), 1);
    return String(await this.#redis.run(CLAIM, [this.#redis.key('value', key)], [text, ttl, instead]));
  }

  async delete(key: string, only?: string): Promise<void> {
    const name = this.#redis.key('value', key);
    if (only === undefined) await this.#redis.command('DEL', name);
    else await this.#redis.run(DELETE_ONLY, [name], [only]);
  }
}
