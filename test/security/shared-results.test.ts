/** What was made for one principal is given to no other, whatever the server says of it. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { authorize, cache, type Layer, type Middleware } from 'plumb-mcp/middleware';
import { createServer } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { describe, expect, onTestFinished, test } from 'vitest';

interface Served {
  join(principal: string): Promise<Client>;
  reads(): number;
}

type Place = 'server' | 'chain' | 'isolated chain';
const PLACES: readonly Place[] = ['server', 'chain', 'isolated chain'];

function serve(place: Place, way: 'memory' | 'http', layers: readonly (Layer | Middleware)[]): Served {
  let reads = 0;
  const server = createServer({
    name: 's',
    version: '1',
    cache: { ttl: 60_000, scope: 'public' },
    onError: () => undefined,
  });
  const everyones = { ttl: 60_000, scope: 'public' } as const;
  server.resource('a://payroll', { name: 'payroll', cache: everyones }, () => {
    reads += 1;
    return `read ${reads}`;
  });
  server.tool('pay', {}, () => 'paid');
  onTestFinished(() => server.close({ drain: 0 }));
  const isolate = place === 'isolated chain' ? { isolate: 'principal' as const } : {};
  const front =
    place === 'server'
      ? server.use(...layers)
      : createChain({ onError: () => undefined })
          .use(...layers)
          .to({ s: { server, ...isolate } });
  onTestFinished(() => front.close({ drain: 0 }));
  const overHttp = async (principal: string): Promise<Client> => {
    const authenticate = (request: { header(name: string): string | undefined }) => ({
      principal: request.header('x-test-user'),
    });
    const { url } = await front.http({ authenticate });
    return connect(url, { headers: { 'x-test-user': principal }, cache: false });
  };
  const overMemory = (principal: string): Promise<Client> => {
    const [near, far] = createMemoryPair();
    front.connect(far, { principal }).catch(() => undefined);
    return connect(near, { cache: false });
  };
  return {
    join: async (principal) => {
      const client = await (way === 'http' ? overHttp(principal) : overMemory(principal));
      onTestFinished(() => client.close());
      return client;
    },
    reads: () => reads,
  };
}

const WAYS = PLACES.flatMap((place) => (['memory', 'http'] as const).map((way) => [place, way] as const));
const RULES: readonly [string, Layer | Middleware][] = [
  ['authorize', authorize(({ caller }) => caller.principal === 'ada')],
  [
    'a middleware of the author',
    async (call, next) => {
      const { principal } = { ...call.caller };
      if (principal === 'ada') return next();
      if (call.method === 'resources/read') throw new Error('refused');
      const result = await next();
      return call.method.endsWith('/list') ? { ...result, tools: [], resources: [] } : result;
    },
  ],
];

describe.each(WAYS)('cache on a %s over %s', (place, way) => {
  test.each(RULES)('outside of %s keeps principals apart', async (_name, rule) => {
    const { join } = serve(place, way, [cache({ ttl: '1h' }), rule]);
    const ada = await join('ada');
    expect(await ada.resources.list()).toHaveLength(1);
    expect(await ada.tools.list()).toHaveLength(1);
    expect((await ada.resources.read('a://payroll')).contents).toMatchObject([{ text: 'read 1' }]);
    const eve = await join('eve');
    expect(await eve.resources.list()).toEqual([]);
    expect(await eve.tools.list()).toEqual([]);
    await expect(eve.resources.read('a://payroll')).rejects.toThrow();
  });

  test('gives the same caller its own result again', async () => {
    const rule = authorize(({ caller }) => caller.principal === 'ada');
    const { join, reads } = serve(place, way, [cache({ ttl: '1h' }), rule]);
    for (const client of [await join('ada'), await join('ada')]) await client.resources.read('a://payroll');
    expect(reads()).toBe(1);
  });
});

test('a server of each principal shares nothing, and others share what is public', async () => {
  for (const [place, expected] of [
    ['isolated chain', 2],
    ['chain', 1],
    ['server', 1],
  ] as const) {
    const { join, reads } = serve(place, 'memory', [cache()]);
    for (const principal of ['ada', 'eve']) await (await join(principal)).resources.read('a://payroll');
    expect(reads(), place).toBe(expected);
  }
});

test.each(['server', 'chain'] as const)(
  'authorize on a %s marks what it let pass as private',
  async (place) => {
    const { join } = serve(place, 'memory', [authorize(() => true)]);
    const client = await join('ada');
    for (const [method, params] of [
      ['tools/list', {}],
      ['resources/read', { uri: 'a://payroll' }],
    ] as const)
      expect((await client.request(method, params)).cacheScope, method).toBe('private');
  },
);
