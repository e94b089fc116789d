/**
 * Sessions as hashes that expire. An index of all of them, in another slot of a cluster, holds the cap: a session is
 * entered there first, and an entry whose session has gone is found when room is needed.
 */

import { isRecord } from '../jsonrpc/message.js';
import { type RedisConnection, script } from './redis-connection.js';
import { NOW } from './redis-lua.js';
import type { SessionChange, SessionRecord, SessionStore } from './store.js';

/** How many times within the idle limit a session in use says so in the index. */
const TOUCHES = 4;
const URI = 'u:';

const ADMIT = script(`${NOW}
local idle, max, id = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 2 * idle)
if redis.call('ZSCORE', KEYS[1], id) or redis.call('ZCARD', KEYS[1]) < max then
  redis.call('ZADD', KEYS[1], now, id)
  return 1
end
return redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', '(' .. (now - idle), 'LIMIT', 0, 64)`);

const TOUCH = script(`${NOW}
return redis.call('ZADD', KEYS[1], 'XX', now, ARGV[2])`);

const CREATE = script(`${NOW}
redis.call('HSET', KEYS[1], 'seen', now, 'entered', now, unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`);

/** The second answer tells whether the index should hear of it. */
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
    if (!(await this.#admit(id))) return false;
    const { sessionIdleMs } = this.#redis.settings;
    await this.#redis.run(CREATE, [sessionKey(this.#redis, id)], [sessionIdleMs, ...toFields(record)]);
    return true;
  }

  async get(id: string): Promise<SessionRecord | undefined> {
    const found = await this.#read(id, true);
    if (!Array.isArray(found)) return undefined;
    // Nobody waits for the index: it is only ever asked for room.
    if (found[0] === 1) void this.#redis.run(TOUCH, [this.#index], [id]).catch(this.#redis.settings.onError);
    return fromFields(found[1]);
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
    const existed = await this.#redis.run(DELETE, keys, []);
    await this.#redis.command('ZREM', this.#index, id);
    return existed === 1;
  }

  #read(id: string, renew: boolean): Promise<unknown> {
    const { sessionIdleMs } = this.#redis.settings;
    const touch = Math.floor(sessionIdleMs / TOUCHES);
    return this.#redis.run(GET, [sessionKey(this.#redis, id)], [sessionIdleMs, renew ? 1 : 0, touch]);
  }

  async #admit(id: string): Promise<boolean> {
    const { sessionIdleMs, maxSessions } = this.#redis.settings;
    const ask = (): Promise<unknown> =>
      this.#redis.run(ADMIT, [this.#index], [sessionIdleMs, maxSessions, id]);
    const answer = await ask();
    if (answer === 1) return true;
    const idle = Array.isArray(answer) ? answer.map(String) : [];
    const gone = await Promise.all(
      idle.map(async (candidate) => ((await this.peek(candidate)) === undefined ? [candidate] : [])),
    );
    if (gone.flat().length === 0) return false;
    await this.#redis.command('ZREM', this.#index, ...gone.flat());
    return (await ask()) === 1;
  }
}

const DELETE = script(`
redis.call('DEL', KEYS[2])
return redis.call('DEL', KEYS[1])`);

export function sessionKey(redis: RedisConnection, id: string): string {
  return redis.key('s', id);
}

export function eventsKey(redis: RedisConnection, id: string): string {
  return redis.key('s', id, ':events');
}

function toFields(record: SessionRecord): string[] {
  const { version, clientInfo, capabilities, principal, logLevel, ready, subscriptions } = record;
  const fields = ['version', version, 'capabilities', JSON.stringify(capabilities)];
  fields.push('level', logLevel, 'ready', ready ? '1' : '0');
  if (clientInfo !== undefined) fields.push('client', JSON.stringify(clientInfo));
  if (principal !== undefined) fields.push('principal', principal);
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
