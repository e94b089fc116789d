/** Handlers that do something before they ask, which stateless clients make them do again. */

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { type Client, connect, textOf } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { type Context, createServer } from '../../../src/server/index.js';

const form = z.object({ sure: z.boolean() });
let warnings: string[] = [];
let count = 0;

beforeEach(() => {
  warnings = [];
  count += 1;
  vi.spyOn(console, 'warn').mockImplementation((text: string) => {
    warnings.push(text);
  });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** A client of a server whose tool does this; each has a name of its own, because each is warned of once. */
async function running(
  handler: (ctx: Context) => Promise<unknown>,
  version?: string,
): Promise<{ client: Client; name: string }> {
  const server = createServer({ name: 's', version: '1' });
  const name = `tool-${count}-${version ?? 'newest'}`;
  server.tool(name, {}, async (_args, ctx) => JSON.stringify(await handler(ctx)));
  const client = await connect(server, {
    ...(version === undefined ? {} : { revisions: [version] }),
    elicit: () => ({ action: 'accept', content: { sure: true } }),
  });
  return { client, name };
}

const elsewhere = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const asking = REVISIONS.filter(({ version }) => version > '2025-06').map(({ version }) => version);

describe('in development', () => {
  test('a task is not reported, because it does not start over', async () => {
    const server = createServer({ name: 's', version: '1', tasks: { pollInterval: 5 } });
    server.tool('build', { task: 'optional' }, async (_args, ctx) => {
      await elsewhere();
      return (await ctx.elicit('Sure?', form)).action;
    });
    const client = await connect(server, { elicit: () => ({ action: 'accept', content: { sure: true } }) });
    expect(textOf(await client.tools.call('build'))).toBe('accept');
    expect(warnings).toEqual([]);
    await client.close();
  });

  test.each(asking)(
    'a handler that awaits before its first question is reported, for clients of %s',
    async (version) => {
      const { client, name } = await running(async (ctx) => {
        await elsewhere();
        return (await ctx.elicit('Sure?', form)).action;
      }, version);
      await client.tools.call(name);
      await client.tools.call(name);
      expect(warnings).toHaveLength(1);
      expect(warnings[0]).toContain(
        `the handler of tool ${name} awaited something before its first question`,
      );
      expect(warnings[0]).toContain('ctx.once(key, fn)');
      await client.close();
    },
  );

  test('a handler that asks first, or uses the context, is not', async () => {
    const { client, name } = await running(async (ctx) => {
      const id = await ctx.once('id', async () => {
        await elsewhere();
        return 5;
      });
      const wrapped = async (): Promise<number> => ctx.step('count', () => id + 1);
      const next = await wrapped();
      await ctx.elicit('Sure?', form);
      await elsewhere();
      await ctx.elicit('Really?', form);
      return next;
    });
    expect(textOf(await client.tools.call(name))).toBe('6');
    expect(warnings).toEqual([]);
    await client.close();
  });
});

test('in production nothing is reported', async () => {
  vi.stubEnv('NODE_ENV', 'production');
  const { client, name } = await running(async (ctx) => {
    await elsewhere();
    return (await ctx.elicit('Sure?', form)).action;
  });
  await client.tools.call(name);
  expect(warnings).toEqual([]);
  await client.close();
});

test.each(asking)('a step is done once and reported as progress, for clients of %s', async (version) => {
  let orders = 0;
  const { client, name } = await running(async (ctx) => {
    const order = await ctx.step('create the order', () => {
      orders += 1;
      return orders;
    });
    await ctx.elicit('Sure?', form);
    await ctx.elicit('Really?', form);
    const paid = await ctx.step('pay', () => `paid ${order}`);
    return paid;
  }, version);
  const progress: (string | undefined)[] = [];
  const result = await client.tools.call(name, {}, { onProgress: ({ message }) => progress.push(message) });
  expect(textOf(result)).toBe('"paid 1"');
  expect(orders).toBe(1);
  expect(progress).toEqual(['create the order', 'pay']);
  await client.close();
});
