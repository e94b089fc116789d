import { describe, expect, it } from 'vitest';
import type { RedisClient } from '../../../src/store/redis-client.js';
import { RedisConnection, script } from '../../../src/store/redis-connection.js';
import { RedisEventLog } from '../../../src/store/redis-events.js';
import { redisSettings } from '../../../src/store/redis-options.js';

class SimpleError extends Error {}

/** A client whose replies are given; an error is what the command is rejected with. */
function scripted(replies: readonly unknown[]): { client: RedisClient; sent: string[][] } {
  const sent: string[][] = [];
  const left = [...replies];
  const client: RedisClient = {
    send: (args) => {
      sent.push(args);
      const reply = left.shift();
      return reply instanceof Error ? Promise.reject(reply) : Promise.resolve(reply);
    },
    subscribe: () => Promise.resolve(),
    unsubscribe: () => Promise.resolve(),
    onReady: () => undefined,
    destroy: () => undefined,
  };
  return { client, sent };
}

const NO_SCRIPT = new SimpleError('NOSCRIPT No matching script. Please use EVAL.');
const BROKEN = new Error('Socket closed unexpectedly');

function open(replies: readonly unknown[]): { redis: RedisConnection; sent: string[][] } {
  const { client, sent } = scripted(replies);
  return { redis: new RedisConnection(redisSettings({}), client, client), sent };
}

const marks = (again: boolean): string[] => [again ? 'again' : 'first'];

describe('an operation on Redis', () => {
  it('is marked where it may have run before the connection broke', async () => {
    const { redis, sent } = open([BROKEN, 'done']);
    expect(await redis.run(script('return 1'), ['key'], marks)).toBe('done');
    expect(sent.map((args) => args.at(-1))).toEqual(['first', 'again']);
  });

  it('is marked too where Redis has forgotten the script since', async () => {
    const { redis, sent } = open([BROKEN, NO_SCRIPT, 'done']);
    expect(await redis.run(script('return 1'), ['key'], marks)).toBe('done');
    expect(sent.map(([name, , , , , mark]) => [name, mark])).toEqual([
      ['EVALSHA', 'first'],
      ['EVALSHA', 'again'],
      ['EVAL', 'again'],
    ]);
  });

  it('is not marked where Redis did not know the script in the first place', async () => {
    const { redis, sent } = open([NO_SCRIPT, 'done']);
    await redis.run(script('return 1'), ['key'], marks);
    expect(sent.map((args) => args.at(-1))).toEqual(['first', 'first']);
  });

  it('is sent again where its slot has moved', async () => {
    const { redis, sent } = open([new SimpleError('MOVED 12182 127.0.0.1:7002'), 'value']);
    expect(await redis.command('GET', 'key')).toBe('value');
    expect(sent).toHaveLength(2);
  });

  it('fails at once where Redis refuses it', async () => {
    const { redis } = open([new SimpleError('WRONGTYPE Operation against a key')]);
    await expect(redis.command('GET', 'key')).rejects.toMatchObject({ code: 'store_failed' });
  });
});

describe('the claim of a stream', () => {
  it.each([
    { isWanted: true, reply: '7-0', heard: '7-0' },
    { isWanted: false, reply: null, heard: undefined },
  ])('changes nothing when it is sent again and no longer wanted ($isWanted)', async (given) => {
    const { redis, sent } = open([BROKEN, given.reply]);
    const log = new RedisEventLog(redis, 'node');
    const heard = await log.claim('session', 'stream', '0-0', undefined, () => given.isWanted);
    expect(heard).toBe(given.heard);
    expect(sent.map((args) => args.at(-1))).toEqual(['0', given.isWanted ? '0' : '1']);
  });
});
