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
