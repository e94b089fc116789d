/** Several servers behind one chain. */

import { type Chain, createChain } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import { createServer, ProtocolError, type Server } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Destinations } from '../../../src/chain/targets.js';
import { cleanup } from '../../support/cleanup.js';
import { Steps } from '../../support/steps.js';

function serverWith(name: string, tools: readonly string[], options: object = {}): Server {
  const server = createServer({ name, version: '1', ...options });
  for (const tool of tools)
    server.tool(tool, { description: `${tool} of ${name}` }, () => `${name} ran ${tool}`);
  server.resource(`${name}://data`, { name: 'data' }, () => `data of ${name}`);
  server.prompt('greet', {}, () => `greetings from ${name}`);
  cleanup(() => server.close({ drain: 0 }));
  return server;
}

async function meet(
  destinations: Destinations,
  options: ConnectOptions = {},
): Promise<{ client: Client; built: Chain }> {
  const built = createChain({ onError: () => undefined }).to(destinations);
  cleanup(() => built.close({ drain: 0 }));
  const client = await connect(built, options);
  cleanup(() => client.close());
  return { client, built };
}

async function textOf(call: Promise<{ content: unknown }>): Promise<unknown> {
  const { content } = await call;
  return content;
}

describe('a list that a server declares and does not have', () => {
  const without = (name: string): Server =>
    serverWith(name, ['run']).use('resources/templates/list', () => {
      throw new ProtocolError('method_not_found', 'Method not found');
    });

  test('is refused by a server alone, as without the chain', async () => {
    const { client } = await meet({ one: without('one') });
    await expect(client.request('resources/templates/list')).rejects.toMatchObject({ rpcCode: -32601 });
  });

  test('is empty among several', async () => {
    const two = serverWith('two', ['run']);
    two.resource('two://{id}', { name: 'by id' }, ({ variables }) => variables.id);
    const { client } = await meet({ one: without('one'), two });
    expect(await client.resources.templates().list()).toMatchObject([{ uriTemplate: 'two://{id}' }]);
  });
});

describe('completion by a server whose revision cannot declare it', () => {
  const old = (name: string): Server => serverWith(name, [], { revisions: ['2024-11-05'] });

  test('is declared where the server completes', async () => {
    const one = old('one');
    one.prompt(
      'ask',
      { input: z.object({ who: z.string() }), complete: { who: () => ['Bo'] } },
      ({ who }) => who,
    );
    const { client } = await meet({ one });
    expect(client.capabilities.completions).toEqual({});
  });

  test('is not declared where the server refuses the method', async () => {
    const { client } = await meet({ one: old('one') });
    expect(client.capabilities).toMatchObject({ prompts: {} });
    expect(client.capabilities).not.toHaveProperty('completions');
  });
});

describe('names', () => {
  test('get the prefix of their server, in lists and calls', async () => {
    const { client } = await meet({
      one: serverWith('one', ['run']),
      two: serverWith('two', ['run', 'walk']),
    });
    const names = (await client.tools.list()).map((tool) => tool.name);
    expect(names).toEqual(['one__run', 'two__run', 'two__walk']);
    expect(await textOf(client.tools.call('two__run'))).toEqual([{ type: 'text', text: 'two ran run' }]);
    expect((await client.prompts.list()).map((prompt) => prompt.name)).toEqual(['one__greet', 'two__greet']);
    expect((await client.prompts.get('two__greet')).messages[0]).toMatchObject({
      content: { text: 'greetings from two' },
    });
  });

  test('of a server alone stay as they are', async () => {
    const { client } = await meet({ one: serverWith('one', ['run']) });
    expect((await client.tools.list()).map((tool) => tool.name)).toEqual(['run']);
  });

  test('without prefix belong to the server with the higher priority, called before they were listed too', async () => {
    const { client } = await meet({
      one: { server: serverWith('one', ['run']), prefix: '' },
      two: { server: serverWith('two', ['run', 'walk']), prefix: '', priority: 1 },
    });
    expect(await textOf(client.tools.call('run'))).toEqual([{ type: 'text', text: 'two ran run' }]);
    expect((await client.tools.list()).map((tool) => tool.name)).toEqual(['run', 'walk']);
  });

  test('can be chosen and changed for each server', async () => {
    const { client } = await meet({
      one: {
        server: serverWith('one', ['run', 'delete_all', 'walk']),
        exclude: 'delete_*',
        rename: { run: 'sprint' },
      },
      two: { server: serverWith('two', ['run', 'walk']), include: ['walk'], prefix: 'b_' },
    });
    expect((await client.tools.list()).map((tool) => tool.name)).toEqual(['sprint', 'one__walk', 'b_walk']);
    expect(await textOf(client.tools.call('sprint'))).toEqual([{ type: 'text', text: 'one ran run' }]);
    for (const name of ['one__delete_all', 'one__run', 'b_run', 'nothing']) {
      await expect(client.tools.call(name)).rejects.toMatchObject({ rpcCode: -32602 });
    }
  });
});

describe('resources', () => {
  test('are read from the server that has them, listed before or not', async () => {
    const { client } = await meet({ one: serverWith('one', []), two: serverWith('two', []) });
    expect((await client.resources.read('two://data')).contents).toMatchObject([{ text: 'data of two' }]);
    expect((await client.resources.list()).map(({ uri }) => uri)).toEqual(['one://data', 'two://data']);
    expect((await client.resources.read('one://data')).contents).toMatchObject([{ text: 'data of one' }]);
    await expect(client.resources.read('three://data')).rejects.toMatchObject({
      message: expect.stringContaining('three://data'),
    });
  });

  test('are subscribed to once for all clients, until the last of them leaves', async () => {
    const asked: string[] = [];
    const server = serverWith('one', [], { revisions: ['2025-11-25'] });
    server.use((call, next) => {
      if (call.method.includes('subscribe')) asked.push(call.method);
      return next();
    });
    const { client, built } = await meet({ one: server }, { revisions: ['2025-11-25'] });
    const other = await connect(built, { revisions: ['2025-06-18'] });
    const heard: string[] = [];
    const first = await client.resources.subscribe('one://data', () => heard.push('first'));
    await other.resources.subscribe('one://data', () => heard.push('second'));
    server.resourceUpdated('one://data');
    await expect.poll(() => [...heard].sort()).toEqual(['first', 'second']);
    expect(asked).toEqual(['resources/subscribe']);
    await first.close();
    expect(asked).toEqual(['resources/subscribe']);
    await other.close();
    await expect.poll(() => asked).toEqual(['resources/subscribe', 'resources/unsubscribe']);
  });
});

describe('a dead server', () => {
  test('does not break the others, and is named when it is called', async () => {
    const { client, built } = await meet({
      one: serverWith('one', ['run']),
      dead: { command: 'plumb-no-such-program' },
    });
    expect((await client.tools.list()).map((tool) => tool.name)).toEqual(['one__run']);
    await expect(client.tools.call('dead__run')).rejects.toMatchObject({
      message: expect.stringContaining('"dead" is not available'),
    });
    expect(built.health).toEqual([
      expect.objectContaining({ name: 'one', state: 'open' }),
      expect.objectContaining({ name: 'dead', state: 'failing' }),
    ]);
  });
});

describe('cache hints', () => {
  test('are the shortest time and the narrowest scope', async () => {
    const { client } = await meet({
      one: serverWith('one', ['run'], { cache: { ttl: 9000, scope: 'public' } }),
      two: serverWith('two', ['run'], { cache: { ttl: 5000, scope: 'public' } }),
    });
    expect(await client.request('tools/list')).toMatchObject({ ttlMs: 5000, cacheScope: 'public' });
    const mixed = await meet({
      one: serverWith('one', ['run'], { cache: { ttl: 9000, scope: 'private' } }),
      two: serverWith('two', ['run'], { cache: { ttl: 5000, scope: 'public' } }),
    });
    expect(await mixed.client.request('tools/list')).toMatchObject({ ttlMs: 5000, cacheScope: 'private' });
  });
});

describe('what no revision knows', () => {
  test('passes: methods, _meta and notifications', async () => {
    const server = serverWith('one', [], { revisions: ['2025-11-25'] });
    server.method('acme/sum', (params) => ({ sum: Number(params.a) + Number(params.b), _meta: { acme: 1 } }));
    const heard: unknown[] = [];
    server.onNotification('notifications/acme', (params) => {
      heard.push(params);
    });
    server.tool('meta', {}, (_, ctx) => JSON.stringify(ctx.meta.acme));
    for (const revision of ['2024-11-05', '2026-07-28']) {
      const { client } = await meet(
        { other: serverWith('other', []), one: server },
        { revisions: [revision] },
      );
      expect(await client.request('acme/sum', { a: 1, b: 2 })).toMatchObject({ sum: 3, _meta: { acme: 1 } });
      await expect(client.request('acme/nothing')).rejects.toMatchObject({ rpcCode: -32601 });
      const told = await client.tools.call('one__meta', {}, { meta: { acme: 'yes' } });
      expect(told.content).toEqual([{ type: 'text', text: '"yes"' }]);
    }
    const { client } = await meet({ one: server }, { revisions: ['2025-11-25'] });
    await client.notify('notifications/acme', { x: 1 });
    await expect.poll(() => heard).toEqual([{ x: 1 }]);
  });
});

describe('a chain', () => {
  test('can stand behind another chain', async () => {
    const inner = createChain({ onError: () => undefined }).to({
      a: serverWith('a', ['run']),
      b: serverWith('b', ['run']),
    });
    cleanup(() => inner.close({ drain: 0 }));
    const { client } = await meet({ inner, c: serverWith('c', ['run']) });
    expect((await client.tools.list()).map((tool) => tool.name)).toEqual([
      'inner__a__run',
      'inner__b__run',
      'c__run',
    ]);
    expect(await textOf(client.tools.call('inner__b__run'))).toEqual([{ type: 'text', text: 'b ran run' }]);
  });

  test('gets other servers while its clients stay connected', async () => {
    const kept = serverWith('kept', ['run']);
    const { client, built } = await meet(
      { kept, gone: serverWith('gone', ['run']) },
      { revisions: ['2025-11-25'] },
    );
    let changes = 0;
    client.on('toolsChanged', () => {
      changes += 1;
    });
    await client.tools.list();
    await built.replace({ kept, fresh: serverWith('fresh', ['run']) });
    await expect.poll(() => changes).toBeGreaterThan(0);
    expect((await client.tools.list()).map((tool) => tool.name)).toEqual(['kept__run', 'fresh__run']);
    await expect(client.tools.call('gone__run')).rejects.toMatchObject({ rpcCode: -32602 });
  });

  test('lets calls finish on a server that is taken out', async () => {
    const steps = new Steps();
    const slow = createServer({ name: 'slow', version: '1' });
    slow.tool('wait', {}, async (_args, ctx) => {
      steps.reach('waiting');
      await steps.opened('go', ctx.signal);
      return 'finished';
    });
    const { client, built } = await meet({ slow, other: serverWith('other', ['run']) });
    const waiting = client.tools.call('slow__wait');
    await steps.until('waiting');
    await built.replace({ other: serverWith('other', ['run']) });
    await expect(client.tools.call('slow__wait')).rejects.toMatchObject({ rpcCode: -32602 });
    steps.open('go');
    expect(await textOf(waiting)).toEqual([{ type: 'text', text: 'finished' }]);
  });
});
