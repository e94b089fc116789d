/** Every schema library of the table in docs/server/tools.md: listed, checked, and typed, or refused with what to do. */

import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import * as mini from 'zod/mini';
import { z as z3 } from 'zod/v3';
import { zodToJsonSchema } from 'zod-to-json-schema';
import { type Client, connect } from '../../../src/client/index.js';
import type { InferOutput } from '../../../src/protocol/schema/infer.js';
import { withJsonSchema } from '../../../src/protocol/schema/standard-schema.js';
import { createServer, type Server } from '../../../src/server/index.js';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

const created = (): Server => createServer({ name: 's', version: '1' });

const zod = z.object({ city: z.string(), days: z.number().optional() });
const zodMini = withJsonSchema(
  mini.object({ city: mini.string(), days: mini.optional(mini.number()) }),
  mini.toJSONSchema,
);
const zodThree = withJsonSchema(
  z3.object({ city: z3.string(), days: z3.number().optional() }),
  zodToJsonSchema,
);
const valibot = toStandardJsonSchema(v.object({ city: v.string(), days: v.optional(v.number()) }));
const ark = type({ city: 'string', 'days?': 'number' });
const json = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'number' } },
  required: ['city'],
} as const;

describe.each([
  ['zod', zod],
  ['zod/mini', zodMini],
  ['zod 3', zodThree],
  ['valibot', valibot],
  ['arktype', ark],
  ['JSON Schema', json],
])('a schema of %s', (_library, input) => {
  const use = async (run: (client: Client) => Promise<void>): Promise<void> => {
    const server = created();
    server.tool('weather', { input, output: input }, (args) => args as never);
    server.prompt('ask', { input }, () => 'ran');
    const client = await connect(server);
    await run(client);
    await client.close();
  };

  test('is listed without a dialect, which is the one of the protocol', () =>
    use(async (client) => {
      const [tool] = await client.tools.list();
      expect(tool?.inputSchema).not.toHaveProperty('$schema', DIALECT);
      expect(tool?.outputSchema).not.toHaveProperty('$schema', DIALECT);
    }));

  test('is listed', () =>
    use(async (client) => {
      const [tool] = await client.tools.list();
      const shape = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
      expect(tool?.inputSchema).toMatchObject(shape);
      expect(tool?.outputSchema).toMatchObject(shape);
      expect((await client.prompts.list())[0]?.arguments?.map(({ name }) => name).sort()).toEqual([
        'city',
        'days',
      ]);
    }));

  test('checks arguments and results', () =>
    use(async (client) => {
      const good = await client.tools.call('weather', { city: 'Bern', days: 2 });
      expect(good.structuredContent).toEqual({ city: 'Bern', days: 2 });
      const bad = await client.tools.call('weather', { city: 5 });
      expect(bad).toMatchObject({ isError: true });
      expect(JSON.stringify(bad.content)).toContain('city');
    }));
});

test('types come from the library, with a description added too', () => {
  expectTypeOf<InferOutput<typeof zodMini>>().toEqualTypeOf<{ city: string; days?: number | undefined }>();
  expectTypeOf<InferOutput<typeof zodThree>>().toEqualTypeOf<{ city: string; days?: number | undefined }>();
});

test.each<[string, () => unknown, RegExp]>([
  [
    'zod/mini',
    () => mini.object({ a: mini.string() }),
    /tool "t".*withJsonSchema\(schema, z\.toJSONSchema\)/,
  ],
  ['zod 3', () => z3.object({ a: z3.string() }), /tool "t".*withJsonSchema\(schema, zodToJsonSchema\)/],
  ['valibot', () => v.object({ a: v.string() }), /tool "t".*toStandardJsonSchema\(schema\)/],
])('a schema of %s without a description is refused, with what to do about it', (_library, make, advice) => {
  expect(() => created().tool('t', { input: make() as never }, () => 'never')).toThrow(advice);
});

test('integers are listed with the limits of their author, and not with those of the type', async () => {
  const server = created();
  const input = z.object({
    page: z.number().int().max(9).default(1),
    ids: z.array(z.int()),
    port: z.union([z.int().min(1), z.null()]),
    minimum: z.int().optional(),
  });
  server.tool('list', { input }, () => '');
  server.tool('plain', { input: { $schema: DIALECT, ...json } }, () => '');
  const client = await connect(server);
  const [listed, plain] = await client.tools.list();
  expect(listed?.inputSchema.properties).toEqual({
    page: { type: 'integer', maximum: 9, default: 1 },
    ids: { type: 'array', items: { type: 'integer' } },
    port: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
    minimum: { type: 'integer' },
  });
  // A JSON Schema is listed as its author wrote it.
  expect(plain?.inputSchema).toEqual({ $schema: DIALECT, ...json });
  await client.close();
});
