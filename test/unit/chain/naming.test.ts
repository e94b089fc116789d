/** Names of several servers in one view: legal, distinct, and the same whenever and in whatever order they start. */

import fc from 'fast-check';
import { type Chain, createChain, type Destination } from 'plumb-mcp/chain';
import { type Client, connect, connectAll } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { Naming, type NamingRules } from '../../../src/chain/namespace.js';
import type { Destinations } from '../../../src/chain/targets.js';
import { cleanup } from '../../support/cleanup.js';

const LEGAL = /^[a-zA-Z0-9_-]{1,64}$/;
const LONG = `${'notion_query_database_view_with_filters_and_sorts_'.repeat(2)}end`;
/** Equal when the dots are replaced. */
const ODD = ['files.read_text', 'files_read.text', 'files_read_text'];

function serverWith(name: string, tools: readonly string[]): Server {
  const server = createServer({ name, version: '1' });
  for (const tool of tools) server.tool(tool, {}, () => `${name} ran ${tool}`);
  for (const tool of tools) server.prompt(tool, {}, () => `${name} wrote ${tool}`);
  cleanup(() => server.close({ drain: 0 }));
  return server;
}

async function open(destinations: Destinations, errors: string[] = []): Promise<Client> {
  const built: Chain = createChain({
    onError: (error) => errors.push(error instanceof Error ? error.message : String(error)),
  }).to(destinations);
  cleanup(() => built.close({ drain: 0 }));
  const client = await connect(built, { revisions: ['2025-11-25'] });
  cleanup(() => client.close());
  return client;
}

async function textOf(client: Client, name: string): Promise<unknown> {
  const { content } = await client.tools.call(name, {});
  return content;
}

const NAMES = ['x.y', 'x_y', 'x y', '文件', '记忆', 'a-server-with-a-very-long-name-indeed', 'x__y', '_'];

describe('in a gateway of servers with difficult names', () => {
  const destinations = (names: readonly string[]): Record<string, Destination> =>
    Object.fromEntries(names.map((name) => [name, serverWith(name, ['run', LONG, ...ODD])]));

  test('every tool and prompt is listed under a legal name of its own, and called by it', async () => {
    const client = await open(destinations(NAMES));
    const tools = (await client.tools.list()).map(({ name }) => name);
    expect(tools).toHaveLength(NAMES.length * (2 + ODD.length));
    expect(new Set(tools).size).toBe(tools.length);
    for (const name of tools) expect(name).toMatch(LEGAL);
    const texts = new Set<string>();
    for (const name of tools) texts.add(JSON.stringify(await textOf(client, name)));
    expect(texts.size).toBe(tools.length);
    const prompts = (await client.prompts.list()).map(({ name }) => name);
    expect(prompts).toEqual(tools);
    for (const name of prompts) expect((await client.prompts.get(name)).messages).toHaveLength(1);
  });

  test('names are the same in another order, and are called after a restart before anything was listed', async () => {
    const first = await open(destinations(NAMES));
    const tools = (await first.tools.list()).map(({ name }) => name);
    const expected = await Promise.all(tools.map((name) => textOf(first, name)));
    const restarted = await open(destinations([...NAMES].reverse()));
    for (const [index, name] of tools.entries()) {
      expect(await textOf(restarted, name)).toEqual(expected[index]);
    }
    expect((await restarted.tools.list()).map(({ name }) => name).sort()).toEqual([...tools].sort());
  });

  test('a name that no server has is refused, whatever it looks like', async () => {
    const client = await open(destinations(NAMES));
    for (const name of ['x_y__none', 'x_y__none_0abcdef', 'nobody__run', '', 'x.y__run']) {
      await expect(client.tools.call(name, {})).rejects.toMatchObject({ rpcCode: -32602 });
    }
  });

  test('a pool gives the same names', async () => {
    const servers = destinations(NAMES);
    const client = await open(servers);
    const pool = await connectAll(servers as Parameters<typeof connectAll>[0]);
    cleanup(() => pool.close());
    const pooled = (await pool.tools.list()).map(({ name }) => name);
    expect(pooled).toEqual((await client.tools.list()).map(({ name }) => name));
  });
});

describe('rules', () => {
  test('of a server alone leave its names exactly as they are', async () => {
    const client = await open({ 'x.y': serverWith('x.y', [LONG, ...ODD]) });
    expect((await client.tools.list()).map(({ name }) => name)).toEqual([LONG, ...ODD]);
    for (const name of [LONG, ...ODD])
      expect(await textOf(client, name)).toMatchObject([{ text: `x.y ran ${name}` }]);
  });

  test('with names that are not legal are made legal among several', async () => {
    const client = await open({
      one: { server: serverWith('one', ['run', 'walk']), prefix: 'a.b/', rename: { walk: 'go for a walk' } },
      two: { server: serverWith('two', ['run']), rename: { run: 'two_run' } },
    });
    const [run, walk, renamed] = (await client.tools.list()).map(({ name }) => name);
    expect([run, renamed]).toEqual(['a_b_run', 'two_run']);
    expect(walk).toMatch(/^go_for_a_walk_[0-9a-z]{7}$/);
    expect(await textOf(client, walk ?? '')).toMatchObject([{ text: 'one ran walk' }]);
    expect(await textOf(client, 'a_b_run')).toMatchObject([{ text: 'one ran run' }]);
  });

  test('that give two servers the same name show the one with the higher priority, and report the other once', async () => {
    const errors: string[] = [];
    const client = await open(
      {
        one: { server: serverWith('one', ['run', 'walk']), prefix: '' },
        two: { server: serverWith('two', ['run', 'swim']), prefix: '', priority: 1 },
      },
      errors,
    );
    for (let round = 0; round < 3; round += 1) {
      expect((await client.tools.list()).map(({ name }) => name)).toEqual(['run', 'swim', 'walk']);
    }
    expect(await textOf(client, 'run')).toMatchObject([{ text: 'two ran run' }]);
    expect(errors).toEqual([
      'The server "one" has "run" in tools/list, which "two" has too; clients see only that of "two"; ' +
        'set prefix, rename, priority or exclude to choose',
    ]);
  });
});

describe('a name and its server', () => {
  const name = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 90 }), fc.stringMatching(/^[a_b.-]{1,6}$/));
  const prefix = fc.option(fc.stringMatching(/^[a-z._-]{0,70}$/), { nil: undefined });

  test('lead to each other, by the name itself or by a list', () => {
    fc.assert(
      fc.property(name, name, prefix, (server, tool, given) => {
        const rules: NamingRules = given === undefined ? {} : { prefix: given };
        const naming = new Naming(server, rules, false);
        const published = naming.publish(tool) ?? '';
        expect(published).toMatch(LEGAL);
        const resolved = naming.resolve(published);
        if (resolved === undefined) expect(naming.mayHaveChanged(published)).toBe(true);
        else if (resolved !== tool) expect(naming.mayHaveChanged(published)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test('differ from every other server and name', () => {
    fc.assert(
      fc.property(name, name, name, name, (server, tool, otherServer, otherTool) => {
        fc.pre(server !== otherServer || tool !== otherTool);
        expect(new Naming(server, {}, false).publish(tool)).not.toBe(
          new Naming(otherServer, {}, false).publish(otherTool),
        );
      }),
      { numRuns: 5000 },
    );
  });
});
