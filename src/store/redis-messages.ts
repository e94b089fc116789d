/** Messages between nodes: the bus on publish and subscribe, and mailboxes that survive a cut connection. */

import { type RedisConnection, script } from './redis-connection.js';
import type { Bus, Mailboxes, Unsubscribe } from './store.js';

export class RedisBus implements Bus {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async publish(topic: string, text: string): Promise<void> {
    await this.#redis.command('PUBLISH', this.#redis.channel('bus', topic), text);
  }

  async subscribe(topic: string, receive: (text: string) => void, missed?: () => void): Promise<Unsubscribe> {
    const unsubscribe = await this.#redis.subscribe(this.#redis.channel('bus', topic), receive);
    const forget = missed === undefined ? undefined : this.#redis.onResumed(missed);
    return async () => {
      forget?.();
      await unsubscribe();
    };
  }
}

/** An open box is kept this long, should its reader die without closing it. */
const BOX_TTL_MS = 24 * 60 * 60_000;
const MAX_LETTERS = 64;

const OPEN = script(`
redis.call('SET', KEYS[1], '1', 'PX', ARGV[2])
return 1`);

const DELIVER = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('LTRIM', KEYS[2], -${MAX_LETTERS}, -1)
redis.call('PEXPIRE', KEYS[2], ${BOX_TTL_MS})
redis.call('PUBLISH', ARGV[3], '')
return 1`);

export class RedisMailboxes implements Mailboxes {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async deliver(box: string, text: string): Promise<boolean> {
    // The mark tells a letter that was sent twice from two letters that say the same.
    const letter = `${crypto.randomUUID()}${text}`;
    return (await this.#redis.run(DELIVER, this.#keys(box), [letter, this.#channel(box)])) === 1;
  }

  async open(box: string, receive: (text: string) => void): Promise<Unsubscribe> {
    const keys = this.#keys(box);
    const reader = new BoxReader(this.#redis, keys[1], receive);
    const wake = (): void => void reader.wake().catch(this.#redis.settings.onError);
    // With the subscription in place first, a letter cannot come between.
    const unsubscribe = await this.#redis.subscribe(this.#channel(box), wake);
    const forget = this.#redis.onResumed(wake);
    await this.#redis.run(OPEN, [keys[0]], [BOX_TTL_MS]);
    return async () => {
      forget();
      reader.close();
      await unsubscribe();
      await this.#redis.command('DEL', ...keys);
    };
  }

  #keys(box: string): [open: string, letters: string] {
    return [this.#redis.key('box', box), this.#redis.key('box', box, ':letters')];
  }

  #channel(box: string): string {
    return this.#redis.channel('box', box);
  }
}

const MARK_LENGTH = 36;

/** Reads first and removes then: an answer of Redis that got lost on the way must not take letters along. */
class BoxReader {
  readonly #redis: RedisConnection;
  readonly #key: string;
  readonly #receive: (text: string) => void;
  readonly #seen = new Set<string>();
  #open = true;
  #tail: Promise<void> = Promise.resolve();

  constructor(redis: RedisConnection, key: string, receive: (text: string) => void) {
    this.#redis = redis;
    this.#key = key;
    this.#receive = receive;
  }

  wake(): Promise<void> {
    const read = this.#tail.then(() => this.#read());
    this.#tail = read.catch(() => undefined);
    return read;
  }

  close(): void {
    this.#open = false;
  }

  async #read(): Promise<void> {
    if (!this.#open) return;
    const letters = await this.#redis.command('LRANGE', this.#key, '0', '-1');
    if (!Array.isArray(letters) || letters.length === 0) return;
    for (const letter of letters.map(String)) {
      const mark = letter.slice(0, MARK_LENGTH);
      if (!this.#open || this.#seen.has(mark)) continue;
      this.#seen.add(mark);
      this.#receive(letter.slice(MARK_LENGTH));
    }
    // A repeated removal finds nothing of these: each is named.
    for (const letter of letters) await this.#redis.command('LREM', this.#key, '1', String(letter));
  }
}
