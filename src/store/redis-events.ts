/**
 * The events of a session as a Redis stream: the id of an event is that of its entry. Appending, waking the
 * followers, and recording what the session received are one step, so that nothing can come between them.
 */

import { type RedisConnection, script } from './redis-connection.js';
import { APPEND, IS_AFTER, NOW } from './redis-lua.js';
import { eventsKey, sessionKey } from './redis-sessions.js';
import { type EventLog, type LoggedEvent, NEVER_SEEN_MS, type Unsubscribe } from './store.js';

/** How far a repeated append looks back for itself. */
const LOOK_BACK = 64;

const APPEND_ONE = script(`${NOW}${IS_AFTER}${APPEND}
local stream, isEnd, data, token, again, change = ARGV[6], ARGV[7] == '1', ARGV[8], ARGV[9], ARGV[10], ARGV[11]
if redis.call('EXISTS', KEYS[1]) == 0 then return string.format('%.0f-0', now) end
if again == '1' then
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS[2], '+', '-', 'COUNT', ${LOOK_BACK})) do
    if entry[2][4] == token then return entry[1] end
  end
end
if change ~= '' then
  local told = redis.call('HMGET', KEYS[1], 'current', 'heard')
  if told[1] ~= stream then return 0 end
  if told[2] and not isAfter(change, told[2]) then return false end
  redis.call('HSET', KEYS[1], 'heard', change)
end
if isEnd then data = false end
return append(stream, data, token, ARGV[5], tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), change)`);

const ABANDON = script(`${NOW}${APPEND}
local stream = ARGV[6]
if redis.call('HDEL', KEYS[1], 'n:' .. stream) == 0 then return 0 end
local maxEvents, maxBytes, age = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
for index = 7, #ARGV do append(stream, ARGV[index], '', ARGV[5], maxEvents, maxBytes, age) end
append(stream, false, '', ARGV[5], maxEvents, maxBytes, age)
return 1`);

const REPLAY = script(`${NOW}
local age, stream, after = tonumber(ARGV[2]), ARGV[3], ARGV[4]
local from = '(' .. after
if tonumber(string.match(after, '^%d+')) < now - age then from = string.format('%.0f', now - age) end
local found = {}
for _, entry in ipairs(redis.call('XRANGE', KEYS[1], from, '+')) do
  if entry[2][2] == stream then found[#found + 1] = {entry[1], entry[2][6] or false} end
end
return found`);

/** How far a client's last event is looked for. */
const LOOK_BEHIND = 256;

/** `unseen` is the last change that the client has certainly seen, `opened` when it last came for the stream. */
const CLAIM = script(`${NOW}${IS_AFTER}
local stream, initial, seen, isOutdated = ARGV[2], ARGV[3], ARGV[4], ARGV[5] == '1'
if isOutdated then return false end
if redis.call('EXISTS', KEYS[1]) == 0 then return initial end
local marks = redis.call('HMGET', KEYS[1], 'current', 'heard', 'unseen', 'opened')
local isOther, isNew = marks[1] ~= stream, seen == ''
local isFresh = marks[3] and now - tonumber(marks[4]) < ${NEVER_SEEN_MS}
local heard = marks[2] or initial
if isOther and isNew and isFresh then heard = marks[3] end
local unseen, opened = heard, now
if not isOther and marks[3] then unseen = marks[3] end
if isOther and not isNew and isFresh then
  unseen = marks[3]
  opened = marks[4]
end
if not isNew then
  for _, entry in ipairs(redis.call('XREVRANGE', KEYS[2], seen, '-', 'COUNT', ${LOOK_BEHIND})) do
    if entry[2][2] == stream and entry[2][8] then
      if not isOther or isAfter(entry[2][8], unseen) then
        unseen = entry[2][8]
        opened = now
      end
      break
    end
  end
end
redis.call('HSET', KEYS[1], 'current', stream, 'heard', heard, 'unseen', unseen, 'opened', opened)
return heard`);

const SETTLE = script(`
if redis.call('HGET', KEYS[1], 'current') ~= ARGV[2] then return 0 end
return redis.call('HDEL', KEYS[1], 'unseen', 'opened')`);

const BEGIN = script(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HSET', KEYS[1], 'n:' .. ARGV[2], ARGV[3]) end
return 1`);

const ENTRY_ID = /^\d{1,15}-\d{1,15}$/;

export class RedisEventLog implements EventLog {
  readonly origin: string = '0-0';
  readonly #redis: RedisConnection;
  readonly #node: string;
  #appended = 0;

  constructor(redis: RedisConnection, node: string) {
    this.#redis = redis;
    this.#node = node.slice(0, 8);
  }

  async append(session: string, stream: string, data: string | undefined): Promise<string> {
    return String(await this.#append(session, stream, data, ''));
  }

  async appendChange(
    session: string,
    stream: string,
    data: string,
    change: string,
  ): Promise<string | false | undefined> {
    const id = await this.#append(session, stream, data, change);
    if (id === 0) return false;
    return typeof id === 'string' ? id : undefined;
  }

  async claim(
    session: string,
    stream: string,
    initial: string,
    seen = '',
    isWanted: () => boolean = () => true,
  ): Promise<string | undefined> {
    // It was sent by a client, and need not be an id at all.
    const named = ENTRY_ID.test(seen) ? seen : '';
    const heard = await this.#redis.run(CLAIM, this.#keys(session), (again) => [
      ...[stream, initial, named],
      again && !isWanted() ? 1 : 0,
    ]);
    return typeof heard === 'string' ? heard : undefined;
  }

  async isCurrent(session: string, stream: string): Promise<boolean> {
    return (await this.#redis.command('HGET', sessionKey(this.#redis, session), 'current')) === stream;
  }

  async settle(session: string, stream: string): Promise<void> {
    await this.#redis.run(SETTLE, [sessionKey(this.#redis, session)], [stream]);
  }

  async replay(session: string, stream: string, after: string): Promise<readonly LoggedEvent[]> {
    // It was sent by a client, and need not be an id at all.
    if (!ENTRY_ID.test(after)) return [];
    const { eventAge } = this.#redis.settings;
    const found = await this.#redis.run(REPLAY, [eventsKey(this.#redis, session)], [eventAge, stream, after]);
    if (!Array.isArray(found)) return [];
    return found.map(([id, data]) => ({ id: String(id), data: typeof data === 'string' ? data : undefined }));
  }

  async watch(session: string, stream: string, wake: () => void): Promise<Unsubscribe> {
    const unsubscribe = await this.#redis.subscribe(this.#channel(session, stream), wake);
    const forget = this.#redis.onResumed(wake);
    return async () => {
      forget();
      await unsubscribe();
    };
  }

  async begin(session: string, stream: string, note: string): Promise<void> {
    await this.#redis.run(BEGIN, [sessionKey(this.#redis, session)], [stream, note]);
  }

  async unfinished(session: string, stream: string): Promise<string | undefined> {
    const note = await this.#redis.command('HGET', sessionKey(this.#redis, session), `n:${stream}`);
    return typeof note === 'string' ? note : undefined;
  }

  async abandon(session: string, stream: string, last: readonly string[]): Promise<boolean> {
    const args = [...this.#limits(), this.#channel(session, stream), stream, ...last];
    return (await this.#redis.run(ABANDON, this.#keys(session), args)) === 1;
  }

  async drop(session: string): Promise<void> {
    await this.#redis.command('DEL', eventsKey(this.#redis, session));
  }

  #append(session: string, stream: string, data: string | undefined, change: string): Promise<unknown> {
    this.#appended += 1;
    const token = `${this.#node}${this.#appended.toString(36)}`;
    const fixed = [
      ...this.#limits(),
      this.#channel(session, stream),
      stream,
      data === undefined ? 1 : 0,
      data ?? '',
      token,
    ];
    return this.#redis.run(APPEND_ONE, this.#keys(session), (again) => [...fixed, again ? 1 : 0, change]);
  }

  #keys(session: string): string[] {
    return [sessionKey(this.#redis, session), eventsKey(this.#redis, session)];
  }

  #limits(): number[] {
    const { maxEvents, maxEventBytes, eventAge } = this.#redis.settings;
    return [maxEvents, maxEventBytes, eventAge];
  }

  #channel(session: string, stream: string): string {
    return this.#redis.key('s', session, `:stream:${stream}`);
  }
}
