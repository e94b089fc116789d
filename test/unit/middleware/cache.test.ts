import { cache } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('cache on a %s', (place) => {
  test('keeps what its server allows until it changes', async () => {
    let now = 0;
    const { client, server, runs } = await meet(place, cache({ now: () => now }));
    await client.resources.subscribe('a://b', () => undefined);
    await client.resources.read('a://b');
    await client.resources.read('a://b');
    expect(runs()).toBe(1);
    server.resourceUpdated('a://b');
    await expect
      .poll(async () => (await client.resources.read('a://b')).contents)
      .toMatchObject([{ text: 'read 2' }]);
    now += 1001;
    await client.resources.read('a://b');
    expect(runs()).toBe(3);
  });

  test('keeps what is private apart by principal', async () => {
    const { join, runs } = await meet(place, cache({ now: () => 0 }));
    const [alice, again, bob] = [await join('alice'), await join('alice'), await join('bob')];
    const own = (await alice.resources.read('a://b')).contents;
    expect((await again.resources.read('a://b')).contents).toEqual(own);
    expect(runs()).toBe(1);
    expect((await bob.resources.read('a://b')).contents).not.toEqual(own);
    expect(runs()).toBe(2);
  });

  test('shares among everybody what is public', async () => {
    let reads = 0;
    const publish = {
      request: async (call: { method: string }, next: () => Promise<object>) => {
        const result = await next();
        if (call.method !== 'resources/read') return { ...result };
        reads += 1;
        return { ...result, cacheScope: 'public' };
      },
    };
    const { join } = await meet(place, cache({ now: () => 0 }), publish);
    for (const principal of ['alice', 'bob']) await (await join(principal)).resources.read('a://b');
    expect(reads).toBe(1);
  });

  test('drops a list that was announced as changed', async () => {
    let lists = 0;
    const counting = (call: { method: string }, next: () => Promise<object>) => {
      if (call.method === 'tools/list') lists += 1;
      return next().then((result) => ({ ...result }));
    };
    const { client, server } = await meet(place, cache({ ttl: '1h', now: () => 0 }), counting);
    let changes = 0;
    client.on('toolsChanged', () => {
      changes += 1;
    });
    await client.tools.list();
    await client.tools.list();
    expect(lists).toBe(1);
    await expect
      .poll(() => {
        server.listChanged('tools');
        return changes;
      })
      .toBeGreaterThan(0);
    await client.tools.list();
    expect(lists).toBe(2);
  });
});
