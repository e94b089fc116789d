import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createStoreOver } from '../../../src/store/redis.js';
import { RedisChangeLog } from '../../../src/store/redis-changes.js';
import type { RedisClient } from '../../../src/store/redis-client.js';
import { RedisConnection } from '../../../src/store/redis-connection.js';
import { RedisMailboxes } from '../../../src/store/redis-messages.js';
import { redisSettings } from '../../../src/store/redis-options.js';

const LONG_ENOUGH_MS = 60_000;

interface Away {
  readonly redis: RedisConnection;
  readonly subscribed: Set<(text: string) => void>;
  /** The connection is there again, as the `redis` package reports it. */
  readonly back: () => void;
  readonly sent: string[][];
}

/** A Redis that takes subscriptions and fails every command. */
function away(onError: (error: unknown) => void = () => undefined): Away {
  const subscribed = new Set<(text: string) => void>();
  const ready: (() => void)[] = [];
  const sent: string[][] = [];
  const client: RedisClient = {
    send: (args) => {
      sent.push(args);
      return Promise.reject(new Error('Socket closed unexpectedly'));
    },
    subscribe: async (_channel, listener) => {
      subscribed.add(listener);
    },
    unsubscribe: async (_channel, listener) => {
      subscribed.delete(listener);
    },
    onReady: (listener) => void ready.push(listener),
    destroy: () => undefined,
  };
  const redis = new RedisConnection(redisSettings({ onError }), client, client);
  return {
    redis,
    subscribed,
    sent,
    back: () => {
      for (const listener of ready) listener();
    },
  };
}

/** Resolves to the error, once operations have given up. */
async function failure(operation: Promise<unknown>): Promise<unknown> {
  const failed = operation.then(
    () => undefined,
    (error: unknown) => error,
  );
  await vi.advanceTimersByTimeAsync(LONG_ENOUGH_MS);
  return failed;
}

describe('what could not be opened because Redis was away', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it.each<[string, (redis: RedisConnection) => Promise<unknown>]>([
    ['a store', (redis) => createStoreOver(redis)],
    ['a mailbox', (redis) => new RedisMailboxes(redis).open('box', () => undefined)],
    [
      'the change log',
      (redis) =>
        new RedisChangeLog(redis).follow(
          () => undefined,
          () => undefined,
        ),
    ],
  ])('leaves nothing of %s behind', async (_what, open) => {
    const { redis, subscribed, sent, back } = away();
    expect(await failure(open(redis))).toMatchObject({ code: 'store_unavailable' });
    expect(subscribed.size).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    const before = sent.length;
    back();
    await vi.advanceTimersByTimeAsync(LONG_ENOUGH_MS);
    expect(sent).toHaveLength(before);
  });

  it('takes a subscription back that may be carried out later', async () => {
    const listeners = new Set<(text: string) => void>();
    const client: RedisClient = {
      send: () => Promise.resolve(undefined),
      subscribe: (_channel, listener) => {
        listeners.add(listener);
        return new Promise(() => undefined);
      },
      unsubscribe: async (_channel, listener) => {
        listeners.delete(listener);
      },
      onReady: () => undefined,
      destroy: () => undefined,
    };
    const redis = new RedisConnection(redisSettings({}), client, client);
    const received: string[] = [];
    const error = await failure(redis.subscribe('channel', (text) => received.push(text)));
    expect(error).toMatchObject({ code: 'store_unavailable' });
    expect(listeners.size).toBe(0);
  });
});

describe('a follower of the change log', () => {
  it('looks again where messages were missed while it looked for those it had missed before', async () => {
    const ready: (() => void)[] = [];
    const sent: { readonly name: string | undefined; reply(value: unknown): void }[] = [];
    const client: RedisClient = {
      send: ([name]) => new Promise((reply) => void sent.push({ name, reply })),
      subscribe: () => Promise.resolve(),
      unsubscribe: () => Promise.resolve(),
      onReady: (listener) => void ready.push(listener),
      destroy: () => undefined,
    };
    const redis = new RedisConnection(redisSettings({}), client, client);
    const back = (): void => {
      for (const listener of ready) listener();
    };
    const reply = async (name: string, value: unknown): Promise<void> => {
      await expect.poll(() => sent.map((command) => command.name)).toEqual([name]);
      sent.shift()?.reply(value);
    };
    const entry = (id: string): unknown => [id, ['c', `change ${id}`]];
    const heard: string[] = [];
    const following = new RedisChangeLog(redis).follow(
      ({ text }) => heard.push(text),
      () => undefined,
    );
    await reply('XREVRANGE', [entry('1-0')]);
    await following;
    back();
    // The newest at this moment; another change comes, and its message is lost.
    await expect.poll(() => sent).toHaveLength(1);
    back();
    await reply('XREVRANGE', [entry('1-0')]);
    await reply('XREVRANGE', [entry('2-0')]);
    await reply('EVALSHA', [entry('2-0')]);
    await expect.poll(() => heard).toEqual(['change 2-0']);
    redis.close();
  });
});

describe('a handler of errors that throws', () => {
  it('ends nothing', () => {
    const reported = vi.spyOn(console, 'error').mockReturnValue();
    const settings = redisSettings({
      onError: () => {
        throw new Error('the handler is broken');
      },
    });
    settings.onError(new Error('Redis is away'));
    expect(String(reported.mock.calls[0]?.[0])).toContain('the handler is broken');
    reported.mockRestore();
  });
});
