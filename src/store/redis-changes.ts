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
redis.call('PUBLISH', channel, id)
return id`);

const SINCE = script(`${IS_AFTER}
local lost = redis.call('GET', KEYS[2])
if lost and isAfter(lost, ARGV[2]) then return false end
return redis.call('XRANGE', KEYS[1], '(' .. ARGV[2], '+')`);

export class RedisChangeLog implements ChangeLog {
  readonly #redis: RedisConnection;
  readonly #keys: readonly string[];
  readonly #channel: string;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#keys = [redis.key('changes', 'all'), redis.key('changes', 'all', ':lost')];
    this.#channel = redis.channel('changes', 'all');
  }

  async publish(text: string): Promise<void> {
    const fixed = [this.#redis.settings.maxChanges, text, crypto.randomUUID().slice(0, 13), this.#channel];
    await this.#redis.run(PUBLISH, this.#keys, (again) => [...fixed, again ? 1 : 0]);
  }

  async newest(): Promise<string> {
    const found = await this.#redis.command('XREVRANGE', this.#keys[0] ?? '', '+', '-', 'COUNT', '1');
    return toChanges(found)[0]?.id ?? NONE;
  }

  async since(after: string): Promise<readonly Change[] | undefined> {
    const found = await this.#redis.run(SINCE, this.#keys, [after]);
    return Array.isArray(found) ? toChanges(found) : undefined;
  }

  async follow(receive: (change: Change) => void, missed: () => void): Promise<Unsubscribe> {
    const pump = new Pump(this, receive, missed);
    const wake = (): void => void pump.wake().catch(this.#redis.settings.onError);
    const unsubscribe = await this.#redis.subscribe(this.#channel, wake);
    const forget = this.#redis.onResumed(wake);
    await pump.start(await this.newest());
    return async () => {
      forget();
      pump.stop();
      await unsubscribe();
    };
  }
}

/** Reads on from the last change, one reading at a time, as often as it is woken. */
class Pump {
  readonly #log: ChangeLog;
  readonly #receive: (change: Change) => void;
  readonly #missed: () => void;
  #last: string | undefined;
  #again = false;
  #running: Promise<void> | undefined;

  constructor(log: ChangeLog, receive: (change: Change) => void, missed: () => void) {
    this.#log = log;
    this.#receive = receive;
    this.#missed = missed;
  }

  start(last: string): Promise<void> {
    this.#last = last;
    return this.wake();
  }

  stop(): void {
    this.#last = undefined;
  }

  wake(): Promise<void> {
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #run(): Promise<void> {
    while (this.#again && this.#last !== undefined) {
      this.#again = false;
      const changes = await this.#log.since(this.#last);
      if (this.#last === undefined) return;
      if (changes === undefined) {
        this.#last = await this.#log.newest();
        this.#missed();
        continue;
      }
      for (const change of changes) {
        this.#last = change.id;
        this.#receive(change);
      }
    }
  }
}

function toChanges(reply: unknown): Change[] {
  if (!Array.isArray(reply)) return [];
  return reply.map(([id, fields]) => ({ id: String(id), text: String(fields[1]) }));
}
