/** Changes that every node hears of, as one Redis stream: who lost the connection reads on where it was. */

import { type RedisConnection, script } from './redis-connection.js';
import { IS_AFTER, NOW } from './redis-lua.js';
import type { Change, ChangeLog, Unsubscribe } from './store.js';

const NONE = '0-0';

/** KEYS: the stream, and the id of the newest change that is no longer kept. */
const PUBLISH = script(`${NOW}
local max, text, mark, channel, again = tonumber(ARGV[2]), ARGV[3], ARGV[4], ARGV[5], ARGV[6]
if again == '1' then
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 256)) do
    if entry[2][4] == mark then return entry[1] end
  end
end
local at = '*'
if offset ~= 0 then at = string.format('%.0f-*', now) end
local id = redis.call('XADD', KEYS[1], at, 'c', text, 'm', mark)
while redis.call('XLEN', KEYS[1]) > max do
  local oldest = redis.call('XRANGE', KEYS[1], '-', '+', 'COUNT', 1)[1][1]
  redis.call('XDEL', KEYS[1], oldest)
  redis.call('SET', KEYS[2], oldest)
end
redis.call('SPUBLISH', channel, id)
return id`);

const SINCE = script(`${IS_AFTER}
local lost = redis.call('GET', KEYS[2])
if lost and isAfter(lost, ARGV[2]) then return false end
return redis.call('XRANGE', KEYS[1], '(' .. ARGV[2], ARGV[3])`);

export class RedisChangeLog implements ChangeLog {
  readonly #redis: RedisConnection;
  readonly #keys: readonly string[];
  readonly #channel: string;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#keys = [redis.key('changes', 'all'), redis.key('changes', 'all', ':lost')];
    this.#channel = redis.key('changes', 'all', ':hints');
  }

  async publish(text: string, mark: string = crypto.randomUUID(), repeated = false): Promise<void> {
    const fixed = [this.#redis.settings.maxChanges, text, mark.slice(0, 13), this.#channel];
    await this.#redis.run(PUBLISH, this.#keys, (again) => [...fixed, again || repeated ? 1 : 0]);
  }

  async newest(): Promise<string> {
    const found = await this.#redis.command('XREVRANGE', this.#keys[0] ?? '', '+', '-', 'COUNT', '1');
    return toChanges(found)[0]?.id ?? NONE;
  }

  async since(after: string, until = '+'): Promise<readonly Change[] | undefined> {
    const found = await this.#redis.run(SINCE, this.#keys, [after, until]);
    return Array.isArray(found) ? toChanges(found) : undefined;
  }

  async follow(
    receive: (change: Change) => void,
    missed: () => void,
    resumed?: () => void,
  ): Promise<Unsubscribe> {
    const pump = new Pump(this, { receive, missed, resumed }, this.#redis.settings.onError);
    const unsubscribe = await this.#redis.subscribe(this.#channel, (id) => pump.hint(id));
    const forget = this.#redis.onResumed(() => pump.resume());
    const stop = async (): Promise<void> => {
      forget();
      pump.stop();
      await unsubscribe();
    };
    try {
      pump.start(await this.newest());
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }
}

interface Receiver {
  readonly receive: (change: Change) => void;
  readonly missed: () => void;
  readonly resumed: (() => void) | undefined;
}

/** How long it waits before it reads again what could not be read. */
const RETRY_MS = 1_000;

/**
 * Reads on from the last change, one reading at a time, up to the change that it was notified of. Not
 * further: the messages before that one (a session has subscribed elsewhere) have arrived by then, those
 * after it have not.
 */
class Pump {
  readonly #log: ChangeLog;
  readonly #receiver: Receiver;
  readonly #onError: (error: unknown) => void;
  #last: string | undefined;
  #hinted: string = NONE;
  #resumed = false;
  #running = false;
  #retry: NodeJS.Timeout | undefined;

  constructor(log: ChangeLog, receiver: Receiver, onError: (error: unknown) => void) {
    this.#log = log;
    this.#receiver = receiver;
    this.#onError = onError;
  }

  start(last: string): void {
    this.#last = last;
    this.#wake();
  }

  stop(): void {
    this.#last = undefined;
    clearTimeout(this.#retry);
  }

  hint(id: string): void {
    if (isAfter(id, this.#hinted)) this.#hinted = id;
    this.#wake();
  }

  /** Some hints may have been lost. */
  resume(): void {
    this.#resumed = true;
    this.#wake();
  }

  #wake(): void {
    if (this.#running || this.#last === undefined) return;
    this.#running = true;
    this.#run().catch((error: unknown) => {
      this.#onError(error);
      clearTimeout(this.#retry);
      this.#retry = setTimeout(() => this.#wake(), RETRY_MS).unref();
    });
  }

  async #run(): Promise<void> {
    try {
      await this.#readOn();
    } finally {
      this.#running = false;
    }
  }

  async #readOn(): Promise<void> {
    while (this.#last !== undefined && (this.#resumed || isAfter(this.#hinted, this.#last))) {
      if (this.#resumed) await this.#catchUp();
      if (this.#last === undefined || !isAfter(this.#hinted, this.#last)) continue;
      const until = this.#hinted;
      const changes = await this.#log.since(this.#last, until);
      if (this.#last === undefined) return;
      for (const change of changes ?? []) {
        this.#last = change.id;
        this.#receiver.receive(change);
      }
      this.#last = until;
      if (changes === undefined) this.#receiver.missed();
    }
  }

  /** First the newest change, then the look at the sessions: what they were when it was published is seen. */
  async #catchUp(): Promise<void> {
    // Before the look: messages may be missed again while it is under way.
    this.#resumed = false;
    let newest: string;
    try {
      newest = await this.#log.newest();
    } catch (error) {
      this.#resumed = true;
      throw error;
    }
    if (isAfter(newest, this.#hinted)) this.#hinted = newest;
    this.#receiver.resumed?.();
  }
}

function isAfter(id: string, other: string): boolean {
  const [milliseconds = 0, sequence = 0] = id.split('-').map(Number);
  const [otherMilliseconds = 0, otherSequence = 0] = other.split('-').map(Number);
  return milliseconds === otherMilliseconds ? sequence > otherSequence : milliseconds > otherMilliseconds;
}

function toChanges(reply: unknown): Change[] {
  if (!Array.isArray(reply)) return [];
  return reply.map(([id, fields]) => ({ id: String(id), text: String(fields[1]) }));
}
