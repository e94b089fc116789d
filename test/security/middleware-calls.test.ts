/** Calls that a middleware makes of its own pass everything that a call of the client passes. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import {
  authorize,
  concurrency,
  hide,
  type Layer,
  type Middleware,
  rateLimit,
  rename,
  rewrite,
  toolSearch,
} from 'plumb-mcp/middleware';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';

type Way = 'memory' | 'http';
const WAYS = (['server', 'chain'] as const).flatMap((place) =>
  (['memory', 'http'] as const).flatMap((way) =>
    ['2025-11-25', '2026-07-28'].map((revision) => [place, way, revision] as const),
  ),
);

interface Attacked {
  readonly client: Client;
  readonly ran: string[];
}

async function attack(
  place: 'server' | 'chain',
  way: Way,
  revision: string,
  layers: readonly (Layer | Middleware)[],
): Promise<Attacked> {
  const ran: string[] = [];
  const server = createServer({ name: 's', version: '1', onError: () => undefined });
  for (const name of ['open', 'secret', 'other']) {
    const properties = { index: { type: 'string' } } as const;
    server.tool(name, { description: `the ${name} one`, input: { type: 'object', properties } }, (args) => {
      ran.push(`${name} ${JSON.stringify(args)}`);
      return `ran ${name}`;
    });
  }
  server.tool('scoped', { scopes: ['admin'] }, () => {
    ran.push('scoped');
    return 'ran scoped';
  });
  onTestFinished(() => server.close({ drain: 0 }));
  const front =
    place === 'server'
      ? server.use(...layers)
      : createChain({ onError: () => undefined })
          .use(...layers)
          .to(server);
  onTestFinished(() => front.close({ drain: 0 }));
  const target = way === 'memory' ? front : (await front.http()).url;
  const client = await connect(target, { revisions: [revision] });
  onTestFinished(() => client.close());
  return { client, ran };
}

function callTool(client: Client, name: string, args: Record<string, unknown> = {}) {
  return client.tools.call('call_tool', { name, arguments: args });
}

describe.each(WAYS)('toolSearch on a %s over %s in %s, inside of a policy', (place, way, revision) => {
  const policies: readonly [string, Layer][] = [
    ['hide', { tools: hide('secret') }],
    ['authorize', authorize(({ name }) => name !== 'secret')],
  ];

  test.each(policies)('%s: neither finds nor calls what is closed', async (_name, policy) => {
    const { client, ran } = await attack(place, way, revision, [policy, toolSearch({ above: 1 })]);
    const found = await client.tools.call('search_tools', { query: 'secret one' });
    expect(JSON.stringify(found.content)).not.toContain('secret');
    await expect(callTool(client, 'secret')).rejects.toMatchObject({ rpcCode: -32602 });
    expect(ran).toEqual([]);
    expect(await callTool(client, 'open')).toMatchObject({ content: [{ text: 'ran open' }] });
  });

  test('a middleware of the author that refuses by name is asked for the tool that is meant', async () => {
    const refusing: Middleware = (call, next) => {
      if (call.method === 'tools/call' && call.params.name === 'secret') throw new Error('refused');
      return next();
    };
    const { client, ran } = await attack(place, way, revision, [refusing, toolSearch({ above: 1 })]);
    const answer = await callTool(client, 'secret').catch(() => ({ isError: true }));
    expect(answer.isError).toBe(true);
    expect(ran).toEqual([]);
  });

  test('rewrite: a fixed argument stays fixed, and is not in what is found', async () => {
    const { client, ran } = await attack(place, way, revision, [
      { tools: rewrite({ open: { fixed: { index: 'public' } } }) },
      toolSearch({ above: 1 }),
    ]);
    const found = await client.tools.call('search_tools', { query: 'open' });
    expect(JSON.stringify(found.content)).not.toContain('index');
    await callTool(client, 'open', { index: 'internal' });
    expect(ran).toEqual(['open {"index":"public"}']);
  });

  test('rename: the old name is unknown', async () => {
    const { client, ran } = await attack(place, way, revision, [
      { tools: rename({ secret: 'renamed' }) },
      toolSearch({ above: 1 }),
    ]);
    await expect(callTool(client, 'secret')).rejects.toMatchObject({ rpcCode: -32602 });
    expect(ran).toEqual([]);
    await callTool(client, 'renamed');
    expect(ran).toEqual(['secret {}']);
  });

  test('two searches around each other end', async () => {
    const { client } = await attack(place, way, revision, [
      toolSearch({ above: 1 }),
      toolSearch({ above: 1 }),
    ]);
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
    expect(await callTool(client, 'open')).toMatchObject({ content: [{ text: 'ran open' }] });
    await expect(callTool(client, 'call_tool')).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('limits count the call of the client once, and never wait for themselves', async () => {
    const { client } = await attack(place, way, revision, [
      concurrency({ max: 1 }),
      rateLimit({ perPrincipal: '2/h' }),
      toolSearch({ above: 1 }),
    ]);
    await callTool(client, 'open');
    await callTool(client, 'open');
    await expect(callTool(client, 'open')).rejects.toThrow('Too many calls');
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a tool that scopes close (%s)', (revision) => {
  test('stays closed to call_tool of a caller without a token', async () => {
    const { client, ran } = await attack('server', 'http', revision, [toolSearch({ above: 1 })]);
    await expect(callTool(client, 'scoped')).rejects.toThrow('needs the scopes: admin');
    expect(ran).toEqual([]);
  });

  test('is open to a local client, which needs no token', async () => {
    const { client, ran } = await attack('server', 'memory', revision, [toolSearch({ above: 1 })]);
    await callTool(client, 'scoped');
    expect(ran).toEqual(['scoped']);
  });
});

test('limits inside of a middleware count each call that it makes', async () => {
  const twice: Middleware = async (call, next) => {
    if (call.method !== 'tools/call' || call.params.name !== 'twice') return next();
    await next.request('tools/call', { name: 'open' });
    return next.request('tools/call', { name: 'open' });
  };
  const { client } = await attack('chain', 'memory', '2025-11-25', [
    twice,
    rateLimit({ perPrincipal: '3/h' }),
  ]);
  await client.tools.call('twice');
  await expect(client.tools.call('twice')).rejects.toThrow('Too many calls');
});
