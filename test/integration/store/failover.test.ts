/** A Redis Cluster of three, of which the member with the changes is killed while nodes use it. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRedisCluster } from '../../../scripts/cluster/redis-cluster.mjs';
import { createRedisStore } from '../../../src/store/index.js';
import { cleanup } from '../../support/cleanup.js';
import { startsWith } from '../../support/http-target.js';
import { startNodes } from '../../support/redis-nodes.js';
import { textOf } from '../../support/wire-peer.js';

const UPDATED = 'notifications/resources/updated';

describe('a Redis Cluster that fails over', () => {
  let redis: Awaited<ReturnType<typeof startRedisCluster>>;
  beforeAll(async () => {
    redis = await startRedisCluster();
  });
  afterAll(() => redis.stop());

  it('keeps sessions, streams and subscriptions, and delivers what was announced meanwhile', async () => {
    const nodes = await startNodes(startsWith('node'), redis, { timeout: 40_000 });
    cleanup(() => nodes.close());
    const peer = await nodes.open();
    await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).result();
    const stream = await peer.stream();
    nodes.first.server.resourceUpdated('test://fixed');
    await stream.message(UPDATED);
    await redis.replicated();
    const failover = redis.restart();
    // The store is away for some seconds; this waits for it.
    nodes.second.server.resourceUpdated('test://fixed');
    const waiting = peer.tool('echo', { text: 'waited' });
    await failover;
    expect(textOf(await (await waiting).result())).toBe('waited');
    await stream.message(UPDATED);
    nodes.use(1);
    nodes.first.server.resourceUpdated('test://fixed');
    await stream.message(UPDATED);
    expect(stream.received.filter(({ method }) => method === UPDATED)).toHaveLength(3);
    stream.drop();
  });

  it('keeps what it has acknowledged, and wakes those who wait in every slot', async () => {
    const store = await createRedisStore(redis.url, { timeout: 40_000 });
    cleanup(async () => store.close());
    const keys = Array.from({ length: 40 }, (_, index) => `key ${index}`);
    await Promise.all(keys.map((key) => store.values.set(key, key)));
    const letters: string[] = [];
    for (const key of keys) await store.mailboxes.open(key, (text) => letters.push(text));
    await redis.replicated();
    await redis.restart();
    expect(await Promise.all(keys.map((key) => store.values.get(key)))).toEqual(keys);
    await Promise.all(keys.map((key) => store.mailboxes.deliver(key, key)));
    await expect.poll(() => letters.toSorted()).toEqual(keys.toSorted());
  });

  it('says which addresses it could not reach, and not the password', async () => {
    const attempt = createRedisStore('redis+cluster://ada:secret@127.0.0.1:1,127.0.0.1:2', { timeout: 50 });
    const failure = await attempt.catch(String);
    expect(failure).toContain('redis://127.0.0.1:');
    expect(failure).not.toContain('secret');
  });
});
