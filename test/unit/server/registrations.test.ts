/** What an author changes about a server that runs, and what tools, templates and prompts can have besides. */

import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Client, connect, textOf } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { createServer, type Server } from '../../../src/server/index.js';

const VERSIONS = REVISIONS.map(({ version }) => version);

const created = (): Server => createServer({ name: 's', version: '1' });

async function names(client: Client): Promise<string[]> {
  return (await client.tools.list({ cache: 'reload' })).map(({ name }) => name);
}

describe.each(VERSIONS)('a registration, for clients of %s,', (version) => {
  test('can be disabled and enabled in its place', async () => {
    const server = created();
    const first = server.tool('first', {}, () => 'one');
    server.tool('second', {}, () => 'two');
    const client = await connect(server, { revisions: [version] });
    const changed = vi.fn();
    client.on('toolsChanged', changed);
    expect(first.disable()).toBe(true);
    expect(first.isEnabled).toBe(false);
    expect(await names(client)).toEqual(['second']);
    await expect(client.tools.call('first')).rejects.toThrow('Unknown tool: first');
    expect(() => server.tool('first', {}, () => 'again')).toThrow('already registered');
    expect(first.enable()).toBe(true);
    expect(await names(client)).toEqual(['first', 'second']);
    expect(textOf(await client.tools.call('first'))).toBe('one');
    await expect.poll(() => changed.mock.calls.length).toBeGreaterThan(0);
    expect(first.remove()).toBe(true);
    expect(first.enable()).toBe(false);
    await client.close();
  });

  test('can be updated, in parts or with another handler', async () => {
    const server = created();
    const tool = server.tool('t', { description: 'old', title: 'T' }, () => 'old');
    const prompt = server.prompt('p', {}, () => 'old');
    const resource = server.resource('test:r', {}, () => 'old');
    const client = await connect(server, { revisions: [version] });
    expect(tool.update({ description: 'new' })).toBe(true);
    expect((await client.tools.list({ cache: 'reload' }))[0]).toMatchObject({ description: 'new' });
    expect(textOf(await client.tools.call('t'))).toBe('old');
    tool.update({ input: z.object({ n: z.number() }) }, ({ n }) => `got ${n}`);
    expect(textOf(await client.tools.call('t', { n: 2 }))).toBe('got 2');
    expect(() => tool.update({ input: z.object({ at: z.date() }) })).toThrow('tool "t" is not usable: at: ');
    expect(textOf(await client.tools.call('t', { n: 3 }))).toBe('got 3');
    prompt.update({ description: 'p' }, () => 'new');
    expect((await client.prompts.get('p')).messages[0]?.content).toMatchObject({ text: 'new' });
    resource.update({}, () => 'new');
    expect((await client.resources.read('test:r')).contents[0]).toMatchObject({ text: 'new' });
    expect(tool.remove()).toBe(true);
    expect(tool.update({ description: 'gone' })).toBe(false);
    await client.close();
  });

  test('of a template can list the resources behind it, page by page, after those with a fixed URI', async () => {
    const server = created();
    const cursors: (string | undefined)[] = [];
    server.resource('test:fixed', {}, () => 'fixed');
    server.resource(
      'test:numbers/{n}',
      {
        mimeType: 'text/plain',
        list: (cursor) => {
          cursors.push(cursor);
          const start = Number(cursor ?? 0);
          const resources = [start, start + 1].map((n) => ({
            uri: `test:numbers/${n}`,
            title: `Number ${n}`,
          }));
          return start < 2 ? { resources, nextCursor: String(start + 2) } : { resources };
        },
      },
      ({ variables }) => variables.n,
    );
    server.resource('test:letters/{l}', { list: () => [{ uri: 'test:letters/a', name: 'a' }] }, () => 'a');
    const client = await connect(server, { revisions: [version] });
    const listed = await client.resources.list();
    expect(listed.map(({ uri }) => uri)).toEqual([
      'test:fixed',
      'test:numbers/0',
      'test:numbers/1',
      'test:numbers/2',
      'test:numbers/3',
      'test:letters/a',
    ]);
    expect(listed[1]).toMatchObject({ name: 'test:numbers/0', mimeType: 'text/plain' });
    expect(cursors).toEqual([undefined, '2']);
    await expect(client.resources.page('template []')).rejects.toThrow('Unknown cursor');
    await client.close();
  });
});

describe('completion', () => {
  test('of a prompt comes from the choices of its schema, and of a template from a list', async () => {
    const server = created();
    const input = z.object({
      unit: z.enum(['celsius', 'fahrenheit', 'kelvin']),
      city: z.string().optional(),
    });
    server.prompt('weather', { input, complete: { city: ['Bern', 'Basel', 'Zug'] } }, ({ unit }) => unit);
    server.resource('test:{kind}', { complete: { kind: ['cat', 'dog'] } }, () => '');
    const client = await connect(server);
    const ref = { type: 'ref/prompt', name: 'weather' } as const;
    const complete = async (name: string, value: string): Promise<string[]> =>
      (await client.completion.complete(ref, { name, value })).completion.values;
    expect(await complete('unit', '')).toEqual(['celsius', 'fahrenheit', 'kelvin']);
    expect(await complete('unit', 'K')).toEqual(['kelvin']);
    expect(await complete('unit', 'el')).toEqual(['celsius', 'kelvin']);
    expect(await complete('city', 'b')).toEqual(['Bern', 'Basel']);
    const template = { type: 'ref/resource', uri: 'test:{kind}' } as const;
    expect(
      (await client.completion.complete(template, { name: 'kind', value: 'd' })).completion.values,
    ).toEqual(['dog']);
    await expect(client.prompts.get('weather', { unit: 'rankine' })).rejects.toThrow('unit');
    await client.close();
  });

  test('is not declared by a server that has nothing to complete', () => {
    const server = created();
    server.prompt('plain', { input: z.object({ text: z.string() }) }, () => '');
    expect(server.capabilities.completions).toBeUndefined();
  });
});

describe('the time limit of a tool', () => {
  test('ends a call that takes longer, and aborts its signal', async () => {
    const server = created();
    let reason: unknown;
    server.tool('slow', { timeout: 30 }, (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => {
        reason = ctx.signal.reason;
      });
      return new Promise(() => {});
    });
    server.tool('quick', { timeout: 10_000 }, async () => 'in time');
    const client = await connect(server);
    const result = await client.tools.call('slow');
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toBe('Tool "slow" took longer than 30 ms and was ended');
    expect(String(reason)).toContain('took longer than 30 ms');
    expect(textOf(await client.tools.call('quick'))).toBe('in time');
    expect(() => server.tool('bad', { timeout: 0 }, () => '')).toThrow('timeout of tool "bad"');
    await client.close();
  });

  test.each(VERSIONS.slice(2))('does not count the time of questions to a client of %s', async (version) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const server = created();
    server.tool('ask', { timeout: 40 }, async (_args, ctx) => {
      const answer = await ctx.elicit('Sure?', z.object({ sure: z.boolean() }));
      return answer.action;
    });
    const client = await connect(server, {
      revisions: [version],
      elicit: async () => {
        await vi.advanceTimersByTimeAsync(120);
        return { action: 'accept', content: { sure: true } };
      },
    });
    expect(textOf(await client.tools.call('ask'))).toBe('accept');
    await client.close();
    vi.useRealTimers();
  });
});

test.each(VERSIONS)(
  'the text copy of a structured result can be left out, for clients of %s that read it',
  async (version) => {
    const server = created();
    server.tool('lean', { output: z.object({ n: z.number() }), textCopy: false }, () => ({ n: 1 }));
    const client = await connect(server, { revisions: [version] });
    const { content, structuredContent } = await client.tools.call('lean');
    const reads = REVISIONS.find((revision) => revision.version === version)?.structuredContent !== 'none';
    expect(content).toEqual(reads ? [] : [{ type: 'text', text: '{"n":1}' }]);
    expect(structuredContent).toEqual(reads ? { n: 1 } : undefined);
    await client.close();
  },
);

test('icons go to clients of revisions that have them', async () => {
  const icons = [{ src: 'https://example.com/i.png', sizes: ['48x48'] }];
  const server = createServer({ name: 's', version: '1', icons });
  server.tool('t', { icons }, () => '');
  server.prompt('p', { icons }, () => '');
  server.resource('test:r', { icons }, () => '');
  const client = await connect(server);
  expect((await client.tools.list())[0]?.icons).toEqual(icons);
  expect((await client.prompts.list())[0]?.icons).toEqual(icons);
  expect((await client.resources.list())[0]?.icons).toEqual(icons);
  expect(client.server?.icons).toEqual(icons);
  await client.close();
});
