/** What servers behind a chain keep for a client, whatever the eras of both. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect, textOf } from 'plumb-mcp/client';
import { expect, test } from 'vitest';
import type { Destinations } from '../../../src/chain/targets.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { cleanup } from '../../support/cleanup.js';
import { createCounter } from '../server/fixtures/counter.mjs';

const KEY = 'plumb-mcp/session';
const VERSIONS = REVISIONS.map(({ version }) => version);
const STATELESS = REVISIONS.filter(({ lifecycle }) => lifecycle === 'stateless').map(
  ({ version }) => version,
);
const HANDSHAKE = VERSIONS.filter((version) => !STATELESS.includes(version));
const NEWEST = STATELESS.at(-1) ?? '';

async function through(destinations: Destinations, version: string): Promise<Client> {
  const chain = createChain({}).to(destinations);
  cleanup(() => chain.close({ drain: 0 }));
  const client = await connect(chain, { revisions: [version] });
  cleanup(() => client.close());
  return client;
}

async function counts(client: Client, ...names: readonly string[]): Promise<string[]> {
  const counted: string[] = [];
  for (const name of names) counted.push(textOf(await client.tools.call(name)));
  return counted;
}

const PAIRS = VERSIONS.flatMap((client) => VERSIONS.map((server) => ({ client, server })));

test.each(PAIRS)(
  'a client of $client finds what a server of $server kept for it, through a chain',
  async ({ client: version, server }) => {
    // A server with sessions knows the chain as one client, unless each session has a connection of its own.
    const target = { server: createCounter({ revisions: [server] }), isolate: 'session' } as const;
    const client = await through({ only: target }, version);
    expect(await counts(client, 'count', 'count', 'count')).toEqual(['1', '2', '3']);
  },
);

test.each(VERSIONS)('clients of %s in front of one stateless server have their own', async (version) => {
  const chain = createChain({}).to({ only: createCounter({ revisions: [NEWEST] }) });
  cleanup(() => chain.close({ drain: 0 }));
  const [one, other] = await Promise.all([1, 2].map(() => connect(chain, { revisions: [version] })));
  cleanup(
    () => one?.close(),
    () => other?.close(),
  );
  if (one === undefined || other === undefined) throw new Error('both are connected');
  expect(await counts(one, 'count', 'count')).toEqual(['1', '2']);
  expect(await counts(other, 'count')).toEqual(['1']);
  expect(await counts(one, 'count')).toEqual(['3']);
});

test.each(VERSIONS)(
  'servers behind a gateway keep apart what they keep for a client of %s',
  async (version) => {
    const servers = {
      'a.b': createCounter({ revisions: [NEWEST] }),
      c: createCounter({ revisions: [NEWEST] }),
    };
    const client = await through(servers, version);
    const [first = '', second = ''] = (await client.tools.list())
      .map(({ name }) => name)
      .filter((name) => name.endsWith('count'));
    expect(await counts(client, first, second, first, first, second)).toEqual(['1', '1', '2', '3', '2']);
  },
);

test('a handle passes through a chain of one server as it is', async () => {
  const server = createCounter({ revisions: [NEWEST] });
  const client = await through({ only: server }, NEWEST);
  const { _meta } = await client.tools.call('count');
  const direct = await connect(server, { revisions: [NEWEST] });
  cleanup(() => direct.close());
  expect(textOf(await direct.tools.call('count', {}, { meta: { [KEY]: _meta?.[KEY] } }))).toBe('2');
});

test('behind a gateway each server has a handle, also behind a gateway behind it', async () => {
  const inner = createChain({}).to({ x: createCounter(), 'y z': createCounter() });
  cleanup(() => inner.close({ drain: 0 }));
  const client = await through({ inner, own: createCounter() }, NEWEST);
  const names = (await client.tools.list()).map(({ name }) => name).filter((name) => name.endsWith('count'));
  expect(names).toHaveLength(3);
  const seen = new Set<string>();
  for (const name of names) {
    const { _meta = {} } = await client.tools.call(name);
    for (const key of Object.keys(_meta)) if (key.startsWith(KEY)) seen.add(key);
  }
  expect([...seen].sort()).toEqual([`${KEY}.inner.x`, `${KEY}.inner.y_0020z`, `${KEY}.own`]);
  for (const name of names) expect(await counts(client, name)).toEqual(['2']);
});

test('the handle of one server is not shown to another', async () => {
  const asked: unknown[] = [];
  const spy = createCounter({ revisions: [NEWEST] });
  spy.method('acme/ask', () => ({}));
  spy.use((call, next) => {
    if (call.direction === 'inbound' && call.kind === 'request') asked.push(call.params._meta);
    return next();
  });
  const client = await through({ one: createCounter({ revisions: [NEWEST] }), spy }, NEWEST);
  await counts(client, 'one__count');
  const begin = asked.length;
  await counts(client, 'spy__count');
  await client.tools.list({ cache: 'reload' });
  await client.request('acme/ask', {});
  await counts(client, 'spy__count');
  const keys = asked.slice(begin).map((meta) => Object.keys(meta ?? {}).filter((key) => key.startsWith(KEY)));
  expect(keys).toEqual([[], [KEY], [KEY], [KEY]]);
});

test.each(HANDSHAKE)('a client of %s is not shown handles that it has no use for', async (version) => {
  const client = await through({ only: createCounter({ revisions: [NEWEST] }) }, version);
  expect((await client.tools.call('count'))._meta).toBeUndefined();
});
