import { describe, expect, it } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { connect } from '../../../src/client/index.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import {
  handshakeServer,
  rpcError,
  type ScriptedServer,
  statelessServer,
  turn,
} from '../../support/scripted-server.js';

const tool = (name: string): JsonObject => ({ name, inputSchema: { type: 'object' } });

/** Pages by cursor; `null` stands for the first request, which has none. */
function paged(
  server: ScriptedServer,
  pages: Record<string, [names: string[], next?: unknown]>,
): ScriptedServer {
  return server.on('tools/list', ({ cursor }) => {
    const page = pages[cursor === undefined ? 'null' : String(cursor)];
    if (page === undefined) return rpcError(-32602, 'Invalid cursor');
    const [names, nextCursor] = page;
    return { tools: names.map(tool), ...(nextCursor === undefined ? {} : { nextCursor }) };
  });
}

describe('lists', () => {
  it('follow cursors of any look, through pages of any size, to the page without one', async () => {
    const server = paged(handshakeServer(), {
      null: [['a'], ' odd "cursor"\n'],
      ' odd "cursor"\n': [[], ''],
      '': [['b', 'c', 'd'], 'last'],
      last: [['e'], null],
    });
    const client = await connect(server);
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(server.all('tools/list').map(({ params }) => params.cursor)).toEqual([
      undefined,
      ' odd "cursor"\n',
      '',
      'last',
    ]);
  });

  it('come page by page while they are iterated, and no further than wanted', async () => {
    const server = paged(handshakeServer(), { null: [['a', 'b'], '1'], 1: [['c'], '2'], 2: [['d']] });
    const client = await connect(server);
    const seen: string[] = [];
    for await (const { name } of client.tools) {
      seen.push(name);
      if (name === 'c') break;
    }
    expect(seen).toEqual(['a', 'b', 'c']);
    expect(server.all('tools/list')).toHaveLength(2);
  });

  it('give single pages with their cursor', async () => {
    const client = await connect(paged(handshakeServer(), { null: [['a'], ''], '': [['b']] }));
    const first = await client.tools.page();
    expect(first).toMatchObject({ items: [{ name: 'a' }], nextCursor: '' });
    expect(await client.tools.page(first.nextCursor)).toMatchObject({
      items: [{ name: 'b' }],
      nextCursor: undefined,
    });
  });

  it('do not go round in circles', async () => {
    const client = await connect(
      paged(handshakeServer(), { null: [['a'], 'x'], x: [['b'], 'y'], y: [['c'], 'x'] }),
    );
    await expect(client.tools.list()).rejects.toMatchObject({
      code: 'invalid_result',
      message: expect.stringContaining('"x"'),
    });
  });

  it('end at the page limit', async () => {
    let page = 0;
    const server = handshakeServer().on('tools/list', () => ({ tools: [], nextCursor: String(++page) }));
    const client = await connect(server, { maxPages: 5 });
    await expect(client.tools.list()).rejects.toMatchObject({ code: 'too_many_pages' });
    expect(server.all('tools/list')).toHaveLength(5);
  });

  it('are empty, with a fault, when the method is missing in spite of the capability', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer().on('prompts/list', () => rpcError(-32601));
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    expect(await client.prompts.list()).toEqual([]);
    expect(faults).toMatchObject([{ kind: 'deviation', message: expect.stringContaining('prompts/list') }]);
  });

  it('leave out what is no item, and take a missing list for an empty one', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer()
      .on('tools/list', () => ({ tools: [tool('a'), null, { title: 'nameless' }, { name: 'b' }] }))
      .on('resources/list', () => ({ resources: [{ uri: 'a:b' }] }))
      .on('resources/templates/list', () => ({}))
      .on('prompts/list', () => ({ prompts: { a: 1 } }));
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    expect(await client.tools.list()).toEqual([tool('a'), tool('b')]);
    expect(await client.resources.list()).toEqual([{ uri: 'a:b', name: 'a:b' }]);
    expect(await client.resources.templates().list()).toEqual([]);
    await expect(client.prompts.list()).rejects.toMatchObject({ code: 'invalid_result' });
    expect(faults).toHaveLength(3);
  });

  it('keep schemas as they are, whatever they contain', async () => {
    const inputSchema = {
      $defs: { x: { type: 'string' } },
      oneOf: [{ $ref: '#/$defs/x' }],
      'x-mcp-header': 'N',
    };
    const server = handshakeServer().on('tools/list', () => ({
      tools: [{ name: 'a', inputSchema, extra: 1 }],
    }));
    expect(await (await connect(server)).tools.list()).toEqual([{ name: 'a', inputSchema, extra: 1 }]);
  });
});

describe('the response cache', () => {
  function counting(hints: JsonObject): { server: ScriptedServer; count(): number } {
    const server = statelessServer();
    let version = 0;
    server.on('tools/list', ({ cursor }) => ({
      resultType: 'complete',
      tools: [tool(`${cursor ?? 'first'} v${++version}`)],
      ...(cursor === undefined ? { nextCursor: 'more' } : {}),
      ...hints,
    }));
    return { server, count: () => server.all('tools/list').length };
  }

  it('reuses pages while they are fresh, each for itself', async () => {
    let now = 0;
    const { server, count } = counting({ ttlMs: 1_000, cacheScope: 'private' });
    const client = await connect(server, { clock: () => now });
    const first = await client.tools.list();
    expect(first.map(({ name }) => name)).toEqual(['first v1', 'more v2']);
    now = 999;
    expect(await client.tools.list()).toEqual(first);
    expect(count()).toBe(2);
    now = 1_000;
    await client.tools.list();
    expect(count()).toBe(4);
  });

  it('hands out copies', async () => {
    const { server } = counting({ ttlMs: 1_000, cacheScope: 'public' });
    const client = await connect(server);
    const [mine] = (await client.tools.page()).items;
    if (mine !== undefined) mine.name = 'changed';
    const [again] = (await client.tools.page()).items;
    expect(again?.name).toBe('first v1');
    if (again !== undefined) again.name = 'changed';
    expect((await client.tools.page()).items[0]?.name).toBe('first v1');
  });

  it.each([[{}], [{ ttlMs: 0 }], [{ ttlMs: -5 }], [{ ttlMs: 'long' }], [{ ttlMs: null }]])(
    'keeps nothing with the hints %j',
    async (hints) => {
      const { server, count } = counting(hints);
      const client = await connect(server);
      await client.tools.page();
      await client.tools.page();
      expect(count()).toBe(2);
    },
  );

  it('does what the call says', async () => {
    const { server, count } = counting({ ttlMs: 1_000 });
    const client = await connect(server);
    await client.tools.page(undefined, { cache: 'no-store' });
    await client.tools.page();
    expect(count()).toBe(2);
    await client.tools.page(undefined, { cache: 'reload' });
    expect(count()).toBe(3);
    expect((await client.tools.page()).items[0]?.name).toBe('first v3');
    expect(count()).toBe(3);
  });

  it('can be off', async () => {
    const { server, count } = counting({ ttlMs: 1_000 });
    const client = await connect(server, { cache: false });
    await client.tools.page();
    await client.tools.page();
    expect(count()).toBe(2);
  });

  it('has room for so many entries and forgets the oldest', async () => {
    const server = statelessServer().on('resources/read', () => ({ contents: [], ttlMs: 1_000 }));
    const client = await connect(server, { cache: { maxEntries: 2 } });
    for (const uri of ['a:1', 'a:2', 'a:1', 'a:3', 'a:1', 'a:2']) await client.resources.read(uri);
    expect(server.all('resources/read').map(({ params }) => params.uri)).toEqual([
      'a:1',
      'a:2',
      'a:3',
      'a:2',
    ]);
  });

  it('is for the revision that has it', async () => {
    const server = handshakeServer().on('tools/list', () => ({ tools: [], ttlMs: 1_000 }));
    const client = await connect(server);
    await client.tools.page();
    await client.tools.page();
    expect(server.all('tools/list')).toHaveLength(2);
  });

  it('forgets a list when it changes, also one that is on its way', async () => {
    const { server, count } = counting({ ttlMs: 1_000 });
    const client = await connect(server);
    await client.tools.page();
    server.notify('notifications/tools/list_changed');
    await turn();
    await client.tools.page();
    expect(count()).toBe(2);

    server.notify('notifications/tools/list_changed');
    await turn();
    server.on('tools/list', () => undefined);
    const listing = client.tools.page();
    await turn();
    const request = server.all('tools/list').at(-1);
    server.notify('notifications/tools/list_changed');
    if (request !== undefined) server.answer(request, { tools: [tool('outdated')], ttlMs: 1_000 });
    await listing;
    server.on('tools/list', () => ({ tools: [tool('new')] }));
    expect((await client.tools.page()).items[0]?.name).toBe('new');
  });

  it('forgets a resource when it, or a part of it, changes', async () => {
    const server = statelessServer().on('resources/read', () => ({ contents: [], ttlMs: 1_000 }));
    const client = await connect(server);
    const reads = (): number => server.all('resources/read').length;
    for (const uri of ['file:///a', 'file:///ab']) await client.resources.read(uri);
    server.notify('notifications/resources/updated', { uri: 'file:///a/part' });
    await turn();
    for (const uri of ['file:///a', 'file:///ab']) await client.resources.read(uri);
    expect(reads()).toBe(3);
  });

  it('does not keep what took input', async () => {
    const question = {
      method: 'elicitation/create',
      params: { message: '?', requestedSchema: { type: 'object', properties: {} } },
    };
    const server = statelessServer().on('resources/read', (params) =>
      params.inputResponses === undefined
        ? { resultType: 'input_required', inputRequests: { q: question } }
        : { resultType: 'complete', contents: [], ttlMs: 1_000 },
    );
    const client = await connect(server, { elicit: () => ({ action: 'decline' }) });
    await client.resources.read('a:b');
    await client.resources.read('a:b');
    expect(server.all('resources/read')).toHaveLength(4);
  });

  it('begins a list anew when the cursor of a remembered page has died', async () => {
    const server = statelessServer();
    let alive = 'one';
    server.on('tools/list', ({ cursor }) => {
      if (cursor === undefined) return { tools: [tool('a')], nextCursor: alive, ttlMs: 1_000 };
      return cursor === alive ? { tools: [tool('b')], ttlMs: 0 } : rpcError(-32602, 'Unknown cursor');
    });
    const client = await connect(server);
    await client.tools.list();
    alive = 'two';
    expect(await client.tools.list()).toHaveLength(2);
    alive = 'three';
    await expect(client.tools.page('one')).rejects.toMatchObject({ rpcCode: -32602 });
  });
});
