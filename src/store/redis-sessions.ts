/**
 * Sessions as hashes that expire. An index of all of them, in another slot of a cluster, holds the cap: a session is
 * entered there first, and an entry whose session has gone is found when room is needed.
 */

import { createHash } from 'node:crypto';
import { isRecord } from '../jsonrpc/message.js';
import { type RedisConnection, script } from './redis-connection.js';
import { NOW } from './redis-lua.js';
import type { SessionChange, SessionRecord, SessionStore } from './store.js';

/** How many times within the idle limit a session in use says so in the index. */
const TOUCHES = 4;
const URI = 'u:';

/**
 * The second key is the index of the account, where the session has one. Where there is no room, the answer is the
 * longest idle ones as far as the index knows.
 */
const ADMIT = script(`${NOW}
local idle, max, share, id, yield = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), ARGV[5], tonumber(ARGV[6])
for _, key in ipairs(KEYS) do redis.call('ZREMRANGEBYSCORE', key, '-inf', now - 2 * idle) end
if not redis.call('ZSCORE', KEYS[1], id) then
  local full
  if KEYS[2] and redis.call('ZCARD', KEYS[2]) >= share then full = KEYS[2]
  elseif redis.call('ZCARD', KEYS[1]) >= max then full = KEYS[1] end
  if full then return redis.call('ZRANGEBYSCORE', full, '-inf', '(' .. (now - yield), 'LIMIT', 0, 64) end
end
for _, key in ipairs(KEYS) do redis.call('ZADD', key, now, id) end
if KEYS[2] then redis.call('PEXPIRE', KEYS[2], 2 * idle) end
return 1`);

const TOUCH = script(`${NOW}
for _, key in ipairs(KEYS) do redis.call('ZADD', key, 'XX', now, ARGV[2]) end
if KEYS[2] then redis.call('PEXPIRE', KEYS[2], ARGV[3]) end
return 1`);

/** Ends a session that is gone, or has been idle for long enough. False for one that is in use. */
const YIELD = script(`${NOW}
local seen = redis.call('HGET', KEYS[1], 'seen')
if seen and now - tonumber(seen) < tonumber(ARGV[2]) then return false end
local account = redis.call('HGET', KEYS[1], 'account')
redis.call('DEL', KEYS[2])
redis.call('DEL', KEYS[1])
return account or ''`);

const CREATE = script(`${NOW}
redis.call('HSET', KEYS[1], 'seen', now, 'entered', now, unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/** The second answer is whether the index has to be updated. */
const GET = script(`${NOW}
local idle, renew, touch = tonumber(ARGV[2]), ARGV[3] == '1', tonumber(ARGV[4])
local fields = redis.call('HGETALL', KEYS[1])
if #fields == 0 then return false end
local times = redis.call('HMGET', KEYS[1], 'seen', 'entered')
if now - tonumber(times[1]) > idle then return false end
local due = 0
if renew then
  if now - tonumber(times[1]) > 1000 then redis.call('HSET', KEYS[1], 'seen', now) end
  if now - tonumber(times[2]) > touch then
    redis.call('HSET', KEYS[1], 'entered', now)
    due = 1
  end
  redis.call('PEXPIRE', KEYS[1], idle)
end
return {due, fields}`);

const UPDATE = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return false end
local set = tonumber(ARGV[2])
if set > 0 then redis.call('HSET', KEYS[1], unpack(ARGV, 3, 2 + set)) end
if #ARGV > 2 + set then redis.call('HDEL', KEYS[1], unpack(ARGV, 3 + set)) end
return redis.call('HGETALL', KEYS[1])`);

export class RedisSessions implements SessionStore {
  readonly #redis: RedisConnection;
  readonly #index: string;

  constructor(redis: RedisConnection) {
    this.#redis = redis;
    this.#index = redis.key('index', 'sessions');
  }

  async create(id: string, record: SessionRecord): Promise<boolean> {
    if (!(await this.#admit(id, record.account))) return false;
    const { sessionIdle } = this.#redis.settings;
    await this.#redis.run(CREATE, [sessionKey(this.#redis, id)], [sessionIdle, ...toFields(record)]);
    return true;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const found = await this.#read(id, true);
    if (!Array.isArray(found)) return undefined;
    // The index is updated without waiting: it is only used to find room.
    const record = fromFields(found[1]);
    if (found[0] === 1) void this.#touch(id, record?.account).catch(this.#redis.settings.onError);
    return record;
  }

  async peek(id: string): Promise<SessionRecord | undefined> {
    const found = await this.#read(id, false);
    return Array.isArray(found) ? fromFields(found[1]) : undefined;
  }

  async update(id: string, change: SessionChange): Promise<SessionRecord | undefined> {
    const set: string[] = [];
    if (change.ready !== undefined) set.push('ready', change.ready ? '1' : '0');
    if (change.logLevel !== undefined) set.push('level', change.logLevel);
    for (const uri of change.subscribed ?? []) set.push(`${URI}${uri}`, '');
    const removed = (change.unsubscribed ?? []).map((uri) => `${URI}${uri}`);
    const key = sessionKey(this.#redis, id);
    const fields = await this.#redis.run(UPDATE, [key], [set.length, ...set, ...removed]);
    return fromFields(fields);
  }

  async delete(id: string): Promise<boolean> {
    const keys = [sessionKey(this.#redis, id), eventsKey(this.#redis, id)];
    const account = await this.#redis.run(DELETE, keys, []);
    await this.#leave(id, account);
    return typeof account === 'string';
  }

  /** Takes it out of the indexes. */
  async #leave(id: string, account: unknown): Promise<void> {
    const indexes = this.#indexes(typeof account === 'string' && account !== '' ? account : undefined);
    await Promise.all(indexes.map((index) => this.#redis.command('ZREM', index, id)));
  }

  #touch(id: string, account: string | undefined): Promise<unknown> {
    return this.#redis.run(TOUCH, this.#indexes(account), [id, 2 * this.#redis.settings.sessionIdle]);
  }

  /** The index of all sessions, and that of the account: in the same slot, so that one script sees both. */
  #indexes(account: string | undefined): string[] {
    if (account === undefined) return [this.#index];
    const digest = createHash('sha256').update(account).digest('hex').slice(0, 32);
    return [this.#index, this.#redis.key('index', 'sessions', `:${digest}`)];
  }

  #read(id: string, renew: boolean): Promise<unknown> {
    const { sessionIdle } = this.#redis.settings;
    const touch = Math.floor(sessionIdle / TOUCHES);
    return this.#redis.run(GET, [sessionKey(this.#redis, id)], [sessionIdle, renew ? 1 : 0, touch]);
  }

  async #admit(id: string, account: string | undefined): Promise<boolean> {
    const { sessionIdle, maxSessions, maxSessionsPerPeer, yieldIdle } = this.#redis.settings;
    const limits = [sessionIdle, maxSessions, maxSessionsPerPeer, id, Math.min(yieldIdle, sessionIdle)];
    const ask = (): Promise<unknown> => this.#redis.run(ADMIT, this.#indexes(account), limits);
    // Once for the share of the account, and once for the whole.
    for (let round = 0; round < 2; round += 1) {
      const answer = await ask();
      if (answer === 1) return true;
      if (!Array.isArray(answer) || !(await this.#makeRoom(answer.map(String), account))) return false;
    }
    return (await ask()) === 1;
  }

  /** The first of these that is gone, or idle for long enough, gives way; the index may be late to know. */
  async #makeRoom(candidates: readonly string[], account: string | undefined): Promise<boolean> {
    const { yieldIdle, sessionIdle } = this.#redis.settings;
    for (const candidate of candidates) {
      const keys = [sessionKey(this.#redis, candidate), eventsKey(this.#redis, candidate)];
      const owner = await this.#redis.run(YIELD, keys, [Math.min(yieldIdle, sessionIdle)]);
      if (typeof owner !== 'string') continue;
      // Of a session that is gone, the account is not known any more; it may be this one.
      await this.#leave(candidate, owner === '' ? account : owner);
      return true;
    }
    return false;
  }
}

const DELETE = script(`
local account = redis.call('HGET', KEYS[1], 'account')
redis.call('DEL', KEYS[2])
if redis.call('DEL', KEYS[1]) == 0 then return false end
return account or ''`);

export function sessionKey(redis: RedisConnection, id: string): string {
  return redis.key('s', id);
}

export function eventsKey(redis: RedisConnection, id: string): string {
  return redis.key('s', id, ':events');
}

function toFields(record: SessionRecord): string[] {
  const { version, clientInfo, capabilities, principal, logLevel, ready, subscriptions, account } = record;
  const fields = ['version', version, 'capabilities', JSON.stringify(capabilities)];
  fields.push('level', logLevel, 'ready', ready ? '1' : '0');
  if (clientInfo !== undefined) fields.push('client', JSON.stringify(clientInfo));
  if (principal !== undefined) fields.push('principal', principal);
  if (account !== undefined) fields.push('account', account);
  for (const uri of subscriptions) fields.push(`${URI}${uri}`, '');
  return fields;
}

function fromFields(reply: unknown): SessionRecord | undefined {
  if (!Array.isArray(reply)) return undefined;
  const fields = new Map<string, string>();
  for (let at = 0; at + 1 < reply.length; at += 2) fields.set(String(reply[at]), String(reply[at + 1]));
  return {
    version: fields.get('version') ?? '',
    clientInfo: parseObject(fields.get('client')),
    capabilities: parseObject(fields.get('capabilities')) ?? {},
    principal: fields.get('principal'),
    account: fields.get('account'),
    logLevel: fields.get('level') ?? '',
    ready: fields.get('ready') === '1',
    subscriptions: [...fields.keys()].flatMap((name) =>
      name.startsWith(URI) ? [name.slice(URI.length)] : [],
    ),
  };
}

function parseObject(text: string | undefined): { readonly [key: string]: unknown } | undefined {
  if (text === undefined) return undefined;
  const value: unknown = JSON.parse(text);
  return isRecord(value) ? value : undefined;
}
