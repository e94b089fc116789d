/** Messages between nodes: the bus on publish and subscribe, and mailboxes that survive a cut connection. */

import { type RedisConnection, script } from './redis-connection.js';
import type { Bus, Mailboxes, Unsubscribe } from './store.js';

export class RedisBus implements Bus {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async publish(topic: string, text: string): Promise<void> {
    await this.#redis.command('SPUBLISH', this.#channel(topic), text);
  }

  async subscribe(topic: string, receive: (text: string) => void, missed?: () => void): Promise<Unsubscribe> {
    const unsubscribe = await this.#redis.subscribe(this.#channel(topic), receive);
    const forget = missed === undefined ? undefined : this.#redis.onResumed(missed);
    return async () => {
      forget?.();
      await unsubscribe();
    };
  }

  /** In the slot of the changes: what was published before a change is heard before it. */
  #channel(topic: string): string {
    return this.#redis.key('changes', 'all', `:bus:${topic}`);
  }
}

/** Begins every letter: a UUID. */
const MARK_LENGTH = 36;
/** Letters that a box remembers, to know those that come twice because Redis went away in between. */
const MAX_SEEN = 4096;
/** Letters that are read at a time. */
const BATCH = 256;

/** An open box is kept this long, should its reader die without closing it. */
const BOX_TTL_MS = 60 * 60_000;
/** Its letters go sooner: a reader that is alive takes them at once. */
const LETTERS_TTL_MS = 10 * 60_000;
/** More than this wait only in a box without a reader. */
const MAX_LETTERS = 10_000;

const OPEN = script(`
redis.call('SET', KEYS[1], '1', 'PX', ARGV[2])
return 1`);

const DELIVER = script(`
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('LLEN', KEYS[2]) >= ${MAX_LETTERS} then return 0 end
redis.call('RPUSH', KEYS[2], ARGV[2])
redis.call('PEXPIRE', KEYS[2], ${LETTERS_TTL_MS})
redis.call('SPUBLISH', ARGV[3], '')
return 1`);

/** Removes letters from the front while they are the named ones: repeated, it finds none of them. */
const REMOVE = script(`
for index = 2, #ARGV do
  local letter = redis.call('LINDEX', KEYS[1], 0)
  if not letter or string.sub(letter, 1, ${MARK_LENGTH}) ~= ARGV[index] then return index - 2 end
  redis.call('LPOP', KEYS[1])
end
return #ARGV - 1`);

export class RedisMailboxes implements Mailboxes {
  readonly #redis: RedisConnection;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
  }

  async deliver(box: string, text: string): Promise<boolean> {
    // The mark distinguishes a message that was sent twice from two messages with the same text.
    const letter = `${crypto.randomUUID()}${text}`;
    return (await this.#redis.run(DELIVER, this.#keys(box), [letter, this.#channel(box)])) === 1;
  }

  async open(box: string, receive: (text: string) => void): Promise<Unsubscribe> {
    const keys = this.#keys(box);
    const reader = new BoxReader(this.#redis, keys[1], receive);
    const wake = (): void => void reader.wake().catch(this.#redis.settings.onError);
    // With the subscription in place first, a letter cannot come between.
    const unsubscribe = await this.#redis.subscribe(this.#channel(box), wake);
    const keep = async (): Promise<void> => {
      await this.#redis.run(OPEN, [keys[0]], [BOX_TTL_MS]);
    };
    const resume = (): void => {
      keep().catch(this.#redis.settings.onError);
      wake();
    };
    const forget = this.#redis.onResumed(resume);
    const renewal = setInterval(
      () => void keep().catch(this.#redis.settings.onError),
      BOX_TTL_MS / 3,
    ).unref();
    const close = async (): Promise<void> => {
      clearInterval(renewal);
      forget();
      reader.close();
      await unsubscribe();
    };
    try {
      await keep();
    } catch (error) {
      await close();
      throw error;
    }
    return async () => {
      await close();
      await this.#redis.command('DEL', ...keys);
    };
  }

  #keys(box: string): [open: string, letters: string] {
    return [this.#redis.key('box', box), this.#redis.key('box', box, ':letters')];
  }

  #channel(box: string): string {
    return this.#redis.key('box', box, ':hints');
  }
}

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
    for (;;) {
      if (!this.#open) return;
      const found = await this.#redis.command('LRANGE', this.#key, '0', `${BATCH - 1}`);
      const letters = Array.isArray(found) ? found.map(String) : [];
      if (letters.length === 0) return;
      for (const letter of letters) this.#take(letter);
      await this.#redis.run(
        REMOVE,
        [this.#key],
        letters.map((letter) => letter.slice(0, MARK_LENGTH)),
      );
      if (letters.length < BATCH) return;
    }
  }

  #take(letter: string): void {
    const mark = letter.slice(0, MARK_LENGTH);
    if (!this.#open || this.#seen.has(mark)) return;
    const [oldest] = this.#seen.size < MAX_SEEN ? [] : this.#seen;
    if (oldest !== undefined) this.#seen.delete(oldest);
    this.#seen.add(mark);
    this.#receive(letter.slice(MARK_LENGTH));
  }
}
