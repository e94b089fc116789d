/** What the compiler knows about a client. */

import { type Client, connect, type Pool } from 'plumb-mcp/client';
import type { CallToolResult } from 'plumb-mcp/protocol';
import { createServer, defineTool } from 'plumb-mcp/server';
import { describe, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

interface Order {
  item: string;
  amount?: number;
}

describe('arguments of a call', () => {
  test('may be an interface, and are an object', () => {
    const use = async (client: Client, pool: Pool, order: Order): Promise<void> => {
      await client.tools.call('order', order);
      await pool.call('shop__order', order);
      // @ts-expect-error A string is no set of arguments.
      await client.tools.call('order', 'item');
    };
    expectTypeOf(use).toBeFunction();
  });
});

describe('a server whose tools are defined with it', () => {
  const server = createServer({
    name: 's',
    version: '1',
    tools: {
      forecast: defineTool(
        {
          input: z.object({ city: z.string(), days: z.number().default(3) }),
          output: z.object({ unit: z.string(), temperatures: z.array(z.number()) }),
        },
        (args) => {
          expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
          return { unit: 'C', temperatures: [] };
        },
      ),
      ping: defineTool({}, () => 'pong'),
      json: defineTool(
        { input: { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } },
        ({ a }) => String(a),
      ),
    },
  });

  test('is known to its clients, in the same process and elsewhere', () => {
    const use = async (): Promise<void> => {
      const near = await connect(server);
      const far = await connect<typeof server>('https://example.com/mcp');
      expectTypeOf(near).toEqualTypeOf(far);
      const result = await far.tools.call('forecast', { city: 'Bern' });
      if (result.isError !== true) {
        expectTypeOf(result.structuredContent).toEqualTypeOf<{ unit: string; temperatures: number[] }>();
      }
      expectTypeOf(await far.tools.call('ping')).toEqualTypeOf<CallToolResult>();
      await far.tools.call('json', { a: 1 }, { timeout: 5 });
      // @ts-expect-error There is no such tool.
      await far.tools.call('forecats', { city: 'Bern' });
      // @ts-expect-error A city is missing.
      await far.tools.call('forecast', {});
      // @ts-expect-error Arguments are missing altogether.
      await far.tools.call('forecast');
      // @ts-expect-error A number is not a city.
      await far.tools.call('forecast', { city: 5 });
    };
    expectTypeOf(use).toBeFunction();
  });

  test('is known to its clients when they start tasks', () => {
    const use = async (): Promise<void> => {
      const client = await connect(server);
      const handle = await client.tools.start('forecast', { city: 'Bern' });
      expectTypeOf(handle.id).toEqualTypeOf<string | undefined>();
      const result = await handle.result();
      if (result.isError !== true) {
        expectTypeOf(result.structuredContent).toEqualTypeOf<{ unit: string; temperatures: number[] }>();
      }
      const ping = await client.tools.start('ping');
      expectTypeOf(await ping.result()).toEqualTypeOf<CallToolResult>();
      // @ts-expect-error There is no such tool.
      await client.tools.start('forecats', { city: 'Bern' });
      // @ts-expect-error A number is not a city.
      await client.tools.start('forecast', { city: 5 });
    };
    expectTypeOf(use).toBeFunction();
  });
});

describe('a call with a schema for its result', () => {
  test('resolves with the validated value', () => {
    const use = async (client: Client, pool: Pool): Promise<void> => {
      const output = z.object({ when: z.string().transform((text) => new Date(text)) });
      expectTypeOf(await client.tools.call('x', {}, { output })).toEqualTypeOf<{ when: Date }>();
      expectTypeOf(await pool.call('s__x', {}, { output })).toEqualTypeOf<{ when: Date }>();
      const literal = await client.tools.call(
        'x',
        {},
        { output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } },
      );
      expectTypeOf(literal).toEqualTypeOf<{ n: number }>();
      expectTypeOf(await client.tools.call('x')).toEqualTypeOf<CallToolResult>();
    };
    expectTypeOf(use).toBeFunction();
  });
});
