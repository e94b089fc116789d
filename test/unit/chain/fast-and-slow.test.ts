/**
 * A chain without middleware hands results on as texts where it can; with middleware that looks at everything it
 * decodes them all. Both give the same answers, and the right ones, whatever stands behind and in front.
 */

import { type Chain, createChain, type Destination } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { afterAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Destinations } from '../../../src/chain/targets.js';
import type { UpstreamOptions } from '../../../src/chain/upstream-options.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';

const VERSIONS = REVISIONS.map(({ version }) => version);
const SIZES = [1, 2, 10];
const TOOLS = ['run', 'walk', 'delete_all'];
/** Every server has this one; only one of them can be shown. */
const SHARED_URI = 'shared://same';

type Rules = Partial<UpstreamOptions>;

/** For the server at each position. */
const OPTIONS: Readonly<Record<string, (index: number) => Rules>> = {
  none: () => ({}),
  prefix: (index) => ({ prefix: `p${index}-` }),
  rename: (index) => ({ rename: { run: `sprint${index}`, greet: `hello${index}` } }),
  include: (index) => ({ include: ['walk', 'greet', `s${index}://*`] }),
  exclude: () => ({ exclude: ['delete_*', 'shared://*'] }),
  priority: (index) => ({ prefix: '', priority: index }),
  isolate: () => ({ isolate: 'session' }),
};

const servers = new Map<string, Server>();
afterAll(() => Promise.all([...servers.values()].map((server) => server.close({ drain: 0 }))));

function serverAt(index: number, version: string): Server {
  const key = `${index} ${version}`;
  const known = servers.get(key);
  if (known !== undefined) return known;
  const name = `s${index}`;
  const server = createServer({ name, version: '1', revisions: [version], pageSize: 2 });
  for (const tool of TOOLS)
    server.tool(tool, { description: `${tool} of ${name}` }, () => `${name} ran ${tool}`);
  server.prompt(
    'greet',
    {
      description: `greet of ${name}`,
      input: z.object({ who: z.string().optional() }),
      complete: { who: () => [`who of ${name}`] },
    },
    () => `greetings from ${name}`,
  );
  server.resource(`${name}://data`, { name: `data of ${name}` }, () => `data of ${name}`);
  server.resource(SHARED_URI, { name: `shared of ${name}` }, () => `shared of ${name}`);
  server.resource(
    `${name}://item/{id}`,
    { name: `item of ${name}`, complete: { id: () => [`id of ${name}`] } },
    ({ variables }) => `item ${variables.id} of ${name}`,
  );
  server.method(`acme/${name}`, () => ({ from: name }));
  servers.set(key, server);
  return server;
}

interface Pair {
  readonly fast: Client;
  readonly slow: Client;
  close(): Promise<void>;
}

async function open(
  size: number,
  rules: (index: number) => Rules,
  front: string,
  behind: string,
): Promise<Pair> {
  const destinations: Destinations = Object.fromEntries(
    Array.from({ length: size }, (_, index): [string, Destination] => [
      `s${index}`,
      { server: serverAt(index, behind), ...rules(index) },
    ]),
  );
  const chains: Chain[] = [
    createChain({ onError: () => undefined }).to(destinations),
    createChain({ onError: () => undefined })
      .use((_call, next) => next())
      .to(destinations),
  ];
  const [fast, slow] = await Promise.all(chains.map((built) => connect(built, { revisions: [front] })));
  if (fast === undefined || slow === undefined) throw new Error('Two chains have two clients');
  return {
    fast,
    slow,
    close: async () => {
      await Promise.all([fast.close(), slow.close()]);
      await Promise.all(chains.map((built) => built.close({ drain: 0 })));
    },
  };
}

/** What a client has to see, by the words of the documentation and nothing of the code. */
interface Expected {
  readonly tools: Readonly<Record<string, string>>;
  readonly prompts: Readonly<Record<string, number>>;
  readonly resources: readonly string[];
  readonly shared: string | undefined;
}

function expectedOf(option: string, size: number): Expected {
  const order = Array.from({ length: size }, (_, index) => index);
  if (option === 'priority') order.reverse();
  const tools: Record<string, string> = {};
  const prompts: Record<string, number> = {};
  const resources: string[] = [];
  const prefixOf = (index: number): string => {
    if (option === 'prefix') return `p${index}-`;
    return option === 'priority' || size === 1 ? '' : `s${index}__`;
  };
  for (const index of order) {
    const shown = TOOLS.filter((tool) =>
      option === 'include' ? tool === 'walk' : option === 'exclude' ? tool !== 'delete_all' : true,
    );
    for (const tool of shown) {
      const name = option === 'rename' && tool === 'run' ? `sprint${index}` : `${prefixOf(index)}${tool}`;
      tools[name] ??= `s${index} ran ${tool}`;
    }
    const prompt = option === 'rename' ? `hello${index}` : `${prefixOf(index)}greet`;
    prompts[prompt] ??= index;
    resources.push(`s${index}://data`);
  }
  const hasShared = option !== 'include' && option !== 'exclude';
  if (hasShared) resources.push(SHARED_URI);
  return {
    tools,
    prompts,
    resources,
    shared: hasShared ? `shared of s${order[0]}` : undefined,
  };
}

type Result = Readonly<Record<string, unknown>>;

/** The same request on both; what it was answered with, or the code it was refused with. */
async function both({ fast, slow }: Pair, method: string, params: Result): Promise<Result> {
  const [one, other] = await Promise.all(
    [fast, slow].map((client) =>
      client.request(method, params).catch((error: { rpcCode?: number }) => ({ refused: error.rpcCode })),
    ),
  );
  expect(one, method).toEqual(other);
  return one ?? {};
}

/** All pages of a list: a server alone pages as it likes. */
async function listed(pair: Pair, method: string, field: string): Promise<Result[]> {
  const items: Result[] = [];
  let cursor: unknown;
  do {
    const page = await both(pair, method, cursor === undefined ? {} : { cursor });
    items.push(...(page[field] as Result[]));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

async function compare(
  pair: Pair,
  option: string,
  size: number,
  front: string,
  behind: string,
): Promise<void> {
  const expected = expectedOf(option, size);
  // Calls come first: who knows a name need not list.
  for (const [name, text] of Object.entries(expected.tools)) {
    expect(await both(pair, 'tools/call', { name, arguments: {} })).toMatchObject({
      content: [{ type: 'text', text }],
    });
  }
  const tools = await listed(pair, 'tools/list', 'tools');
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(expected.tools));
  for (const { name, description } of tools) {
    const [server, , tool] = (expected.tools[String(name)] ?? '').split(' ');
    expect(description).toBe(`${tool} of ${server}`);
  }
  for (const [name, text] of Object.entries(expected.tools).slice(0, 3)) {
    expect(await both(pair, 'tools/call', { name, arguments: {} })).toMatchObject({ content: [{ text }] });
  }
  expect(await both(pair, 'tools/call', { name: 'no such tool', arguments: {} })).toEqual({
    refused: -32602,
  });

  const prompts = await listed(pair, 'prompts/list', 'prompts');
  expect(prompts.map(({ name }) => name)).toEqual(Object.keys(expected.prompts));
  for (const [name, index] of Object.entries(expected.prompts)) {
    expect(await both(pair, 'prompts/get', { name })).toMatchObject({
      messages: [{ content: { text: `greetings from s${index}` } }],
    });
    const ref = { type: 'ref/prompt', name };
    const argument = { name: 'who', value: '' };
    expect(await both(pair, 'completion/complete', { ref, argument })).toMatchObject({
      completion: { values: [`who of s${index}`] },
    });
  }

  const resources = await listed(pair, 'resources/list', 'resources');
  expect(resources.map(({ uri }) => uri).sort()).toEqual([...expected.resources].sort());
  const templates = await listed(pair, 'resources/templates/list', 'resourceTemplates');
  expect(templates).toHaveLength(size);
  for (let index = 0; index < size; index += 1) {
    expect(await both(pair, 'resources/read', { uri: `s${index}://data` })).toMatchObject({
      contents: [{ text: `data of s${index}` }],
    });
    expect(await both(pair, 'resources/read', { uri: `s${index}://item/7` })).toMatchObject({
      contents: [{ text: `item 7 of s${index}` }],
    });
    const ref = { type: 'ref/resource', uri: `s${index}://item/{id}` };
    const argument = { name: 'id', value: '' };
    expect(await both(pair, 'completion/complete', { ref, argument })).toMatchObject({
      completion: { values: [`id of s${index}`] },
    });
    expect(await both(pair, `acme/s${index}`, {})).toMatchObject({ from: `s${index}` });
  }
  const read = await both(pair, 'resources/read', { uri: SHARED_URI });
  if (expected.shared === undefined) expect(read).toHaveProperty('refused');
  else expect(read).toMatchObject({ contents: [{ text: expected.shared }] });
  expect(await both(pair, 'resources/read', { uri: 'nobody://has/this' })).toHaveProperty('refused');
  expect(await both(pair, 'acme/unknown', {})).toEqual({ refused: -32601 });
  if (pair.fast.revision !== VERSIONS.at(-1)) {
    await both(pair, 'ping', {});
    for (const method of ['resources/subscribe', 'resources/unsubscribe'])
      expect(await both(pair, method, { uri: 's0://data' })).not.toHaveProperty('refused');
    await both(pair, 'logging/setLevel', { level: 'info' });
  }
  expect([pair.fast.revision, behind]).toEqual([front, behind]);
}

describe.each(SIZES)('with %i servers behind', (size) => {
  describe.each(Object.keys(OPTIONS))('and the option %s', (option) => {
    test.each(VERSIONS)(
      'a client of %s gets the same both ways, from servers of every revision',
      async (front) => {
        for (const behind of VERSIONS) {
          const pair = await open(size, OPTIONS[option] ?? (() => ({})), front, behind);
          try {
            await compare(pair, option, size, front, behind);
          } finally {
            await pair.close();
          }
        }
      },
    );
  });
});
