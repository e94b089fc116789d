/** Redis is killed and comes back, with everything that it had answered. */

import { describe, expect, it } from 'vitest';
import { createRedisStore } from '../../../src/store/index.js';
import { cleanup } from '../../support/cleanup.js';
import { startsWith } from '../../support/http-target.js';
import { type Nodes, startNodes } from '../../support/redis-nodes.js';
import { RedisServer } from '../../support/redis-server.js';
import { textOf } from '../../support/wire-peer.js';

const PROGRESS = { meta: { progressToken: 'p' } };

describe('a Redis that is killed and started again', () => {
  const start = startsWith('node');
  const open = async (): Promise<{ redis: RedisServer; nodes: Nodes }> => {
    const redis = await RedisServer.start();
    cleanup(() => redis.stop());
    const nodes = await startNodes(start, redis, { lease: 2000 });
    cleanup(() => nodes.close());
    return { redis, nodes };
  };

  it('has the sessions, their streams and their subscriptions again', async () => {
    const { redis, nodes } = await open();
    const peer = await nodes.open();
    await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).result();
    const stream = await peer.stream();
    const call = await peer.tool('tell', {}, { id: 'c', ...PROGRESS });
    await call.message();
    await redis.kill();
    // What is sent now waits for Redis.
    nodes.first.steps.open('more');
    nodes.second.server.resourceUpdated('test://fixed');
    const waiting = peer.tool('echo', { text: 'waited' });
    await redis.start();
    expect(textOf(await (await waiting).result())).toBe('waited');
    await stream.message('notifications/resources/updated');
    nodes.first.steps.open('go');
    const messages = await call.messages();
    expect(messages.map(({ params }) => params?.progress)).toEqual([1, 2, 3, undefined]);
    nodes.use(1);
    const replayed = await (await peer.stream(call.events[0]?.id)).messages();
    expect(replayed).toEqual(messages);
    stream.drop();
  });

  it('passes on an answer that was posted while it was away', async () => {
    const { redis, nodes } = await open();
    const peer = await nodes.open();
    const call = await peer.tool('roots');
    const question = await call.message('roots/list');
    await redis.kill();
    nodes.use(1);
    const posted = peer.answer(question.id, { roots: [{ uri: 'file:///answer' }] });
    await redis.start();
    expect((await posted).status).toBe(202);
    expect(textOf((await call.messages()).at(-1)?.result ?? {})).toContain('answer');
  });

  it('does not repeat an event that it had logged without being able to say so', async () => {
    const { redis, nodes } = await open();
    const peer = await nodes.open();
    const { store } = nodes.first;
    const first = await store.events.append(peer.id, 'p000000000000', 'start');
    const appends: Promise<unknown>[] = [];
    for (let index = 0; index < 50; index += 1)
      appends.push(Promise.resolve(store.events.append(peer.id, 'p000000000000', `${index}`)));
    // Some of them are under way at this moment.
    await redis.kill();
    await redis.start();
    await Promise.all(appends);
    const events = await store.events.replay(peer.id, 'p000000000000', first);
    const texts = events.map(({ data }) => data);
    expect(new Set(texts).size).toBe(50);
    expect(texts).toHaveLength(50);
  });

  it('refuses operations while it is away for too long, and when too many wait', async () => {
    const redis = await RedisServer.start();
    cleanup(() => redis.stop());
    const store = await createRedisStore(redis.url, { timeout: 2000, maxQueued: 2 });
    cleanup(async () => store.close());
    await redis.kill();
    const waiting = [store.values.get('a'), store.values.get('b')];
    await expect(store.values.get('c')).rejects.toMatchObject({ code: 'store_busy' });
    for (const operation of waiting)
      await expect(operation).rejects.toMatchObject({ code: 'store_unavailable' });
  });
});
