/** `ctx.session` and `ctx.user` of two nodes, and of a chain of two nodes, with one Redis. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChain } from '../../../src/chain/index.js';
import { connect, type Target, textOf } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createRedisStore } from '../../../src/store/redis.js';
import type { Store } from '../../../src/store/store.js';
import { cleanup } from '../../support/cleanup.js';
import { RedisServer } from '../../support/redis-server.js';
import { createCounter } from '../server/fixtures/counter.mjs';

describe('two nodes with one Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  });
  afterAll(() => redis.stop());

  async function nodes(): Promise<readonly string[]> {
    const urls: string[] = [];
    for (let node = 0; node < 2; node += 1) {
      const store: Store = await createRedisStore(redis.url);
      const server = createCounter({ http: { store } });
      cleanup(
        () => store.close(),
        () => server.close({ drain: 0 }),
      );
      server.use('tools/call', (call, next) =>
        next({ ...call, caller: { ...call.caller, principal: 'ada' } }),
      );
      urls.push((await server.http()).url);
    }
    return urls;
  }

  /** Requests go to the nodes in turn, as a load balancer sends them. */
  function balanced(urls: readonly string[]): Target {
    let request = 0;
    return {
      url: urls[0] ?? '',
      fetch: (input: URL | string | Request, init?: RequestInit) => {
        request += 1;
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        return fetch(new URL(pathname, urls[request % urls.length]), init);
      },
    };
  }

  test.each(REVISIONS.filter(({ http }) => http.transport === 'streamable').map(({ version }) => version))(
    'keep one bucket for a client of %s, and lose no update',
    async (version) => {
      const client = await connect(balanced(await nodes()), { revisions: [version] });
      cleanup(() => client.close());
      const user = Number(textOf(await client.tools.call('user')));
      expect(textOf(await client.tools.call('count'))).toBe('1');
      const counts = await Promise.all(Array.from({ length: 20 }, () => client.tools.call('count')));
      expect(counts.map((count) => Number(textOf(count))).sort((a, b) => a - b)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 2),
      );
      expect(textOf(await client.tools.call('user'))).toBe(String(user + 1));
    },
  );

  test.each(REVISIONS.filter(({ http }) => http.transport === 'streamable').map(({ version }) => version))(
    'of a chain keep the bucket of the server behind them for a client of %s',
    async (version) => {
      const server = createCounter({ revisions: [REVISIONS.at(-1)?.version ?? ''] });
      const { url } = await server.http();
      cleanup(() => server.close({ drain: 0 }));
      const urls: string[] = [];
      for (let node = 0; node < 2; node += 1) {
        const store = await createRedisStore(redis.url);
        const chain = createChain({ http: { store } }).to({ one: { url }, two: { url } });
        cleanup(
          () => store.close(),
          () => chain.close({ drain: 0 }),
        );
        urls.push((await chain.http()).url);
      }
      const client = await connect(balanced(urls), { revisions: [version] });
      cleanup(() => client.close());
      const counts: string[] = [];
      for (const name of ['one__count', 'one__count', 'two__count', 'one__count', 'two__count'])
        counts.push(textOf(await client.tools.call(name)));
      expect(counts).toEqual(['1', '2', '1', '3', '2']);
    },
  );
});
