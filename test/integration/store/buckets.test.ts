/** `ctx.session` and `ctx.user` of two nodes, and of a chain of two nodes, with one Redis. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createChain } from '../../../src/chain/index.js';
import { connect, type Target, textOf } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createRedisStore } from '../../../src/store/redis.js';
import { cleanup } from '../../support/cleanup.js';
import { RedisServer } from '../../support/redis-server.js';
import { createCounter } from '../server/fixtures/counter.mjs';

describe('two nodes with one Redis', () => {
  let redis: RedisServer;
  let nodes: readonly string[];
  let chains: readonly string[];
  const running: { close(options?: { drain: number }): unknown }[] = [];
  beforeAll(async () => {
    redis = await RedisServer.start('--appendonly', 'no');
    const stores = [await createRedisStore(redis.url), await createRedisStore(redis.url)];
    const behind = createCounter({ revisions: [REVISIONS.at(-1)?.version ?? ''] });
    const { url } = await behind.http();
    const servers = stores.map((store) => createCounter({ http: { store } }));
    for (const server of servers)
      server.use('tools/call', (call, next) =>
        next({ ...call, caller: { ...call.caller, principal: 'ada' } }),
      );
    const fronts = stores.map((store) => createChain({ http: { store } }).to({ one: { url }, two: { url } }));
    running.push(...fronts, ...servers, behind, ...stores);
    nodes = (await Promise.all(servers.map((server) => server.http()))).map((node) => node.url);
    chains = (await Promise.all(fronts.map((front) => front.http()))).map((node) => node.url);
  });
  afterAll(async () => {
    for (const one of running) await one.close({ drain: 0 });
    await redis.stop();
  });

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
      const client = await connect(balanced(nodes), { revisions: [version] });
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
      const client = await connect(balanced(chains), { revisions: [version] });
      cleanup(() => client.close());
      const counts: string[] = [];
      for (const name of ['one__count', 'one__count', 'two__count', 'one__count', 'two__count'])
        counts.push(textOf(await client.tools.call(name)));
      expect(counts).toEqual(['1', '2', '1', '3', '2']);
    },
  );
});
