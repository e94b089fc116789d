/** Schemas that providers refuse become ones that they accept, and the server gets the arguments that it asked for. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { fit as fitTo } from '../../../src/middleware/fit/fit.js';
import { fitSchema } from '../../../src/middleware/fit/fit-schema.js';
import { PROVIDERS, type Provider } from '../../../src/middleware/fit/provider-rules.js';
import { refusals } from '../../../src/middleware/fit/refusals.js';
import { cleanup } from '../../support/cleanup.js';

const object = (properties: object, more: object = {}) => ({ type: 'object' as const, properties, ...more });

const NASTY: Readonly<Record<string, ReturnType<typeof object>>> = {
  union: object(
    { kind: { type: 'string' } },
    {
      anyOf: [
        object({ path: { type: 'string' } }, { required: ['path'] }),
        object({ url: { type: 'string' } }, { required: ['url'] }),
      ],
    },
  ),
  odata: object(
    { $top: { type: 'integer' }, 'a b': object({ 'c d': { type: 'string' } }) },
    { required: ['$top'] },
  ),
  numbers: object({ level: { enum: [1, 2, 3] }, fixed: { const: true }, mixed: { enum: ['x', 1, null] } }),
  maps: object({ labels: { type: 'object', additionalProperties: { type: 'string' } }, anything: {} }),
  tree: object(
    { root: { $ref: '#/$defs/node' } },
    {
      $defs: {
        node: object({
          value: { type: 'number' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        }),
      },
    },
  ),
  lists: object({
    list: { type: 'array' },
    tuple: { type: 'array', prefixItems: [{ type: 'string' }], items: false },
  }),
  formats: object({
    mail: { type: 'string', format: 'email' },
    when: { type: ['string', 'null'], format: 'date-time' },
  }),
  bounds: object(
    { count: { type: 'integer', exclusiveMinimum: 0, multipleOf: 5 } },
    { additionalProperties: false },
  ),
  either: object({
    value: { oneOf: [{ type: 'string' }, { type: 'array', items: { enum: [1, 2] } }, { type: 'null' }] },
  }),
  both: object({
    value: {
      allOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })],
    },
  }),
};

describe.each(PROVIDERS)('%s', (provider) => {
  test.each(Object.entries(NASTY))('accepts the schema "%s" once it is fitted', (name, inputSchema) => {
    const { schema } = fitSchema(provider, inputSchema);
    expect(refusals(provider, { name, description: name, inputSchema: schema })).toEqual([]);
  });
});

test('schemas that are accepted stay the same', () => {
  const plain = object(
    { a: { type: 'string', description: 'x' }, b: { type: 'array', items: { type: 'number' } } },
    { required: ['a'] },
  );
  for (const provider of PROVIDERS)
    expect(fitSchema(provider, plain)).toEqual({ schema: plain, restore: undefined });
});

describe('arguments for gemini', () => {
  const restored = (name: string, args: object): unknown => {
    const { restore } = fitSchema('gemini', NASTY[name] ?? {});
    return restore === undefined ? args : restore(args);
  };

  test.each<[string, object, object]>([
    ['numbers', { level: '2', fixed: 'true', mixed: '1' }, { level: 2, fixed: true, mixed: 1 }],
    ['numbers', { mixed: 'x' }, { mixed: 'x' }],
    ['maps', { labels: '{"a":"b"}', anything: '[1]' }, { labels: { a: 'b' }, anything: [1] }],
    ['maps', { anything: 'not JSON' }, { anything: 'not JSON' }],
    ['either', { value: ['1', '2'] }, { value: [1, 2] }],
    ['either', { value: 'text' }, { value: 'text' }],
    ['lists', { list: ['1', '"a"'] }, { list: [1, 'a'] }],
  ])('of "%s" become those of the server', (name, given, expected) => {
    expect(restored(name, given)).toEqual(expected);
  });
});

async function meet(provider: Provider): Promise<{ client: Client; calls: unknown[] }> {
  const calls: unknown[] = [];
  const server = createServer({ name: 'nasty', version: '1' });
  for (const [name, inputSchema] of Object.entries({ ...NASTY, 'name.with.dots': object({}) })) {
    server.tool(name, { description: name, input: inputSchema }, (args) => {
      calls.push(args);
      return 'done';
    });
  }
  const built = createChain().use(fitTo(provider)).to(server);
  const client = await connect(built);
  cleanup(
    () => server.close({ drain: 0 }),
    () => built.close({ drain: 0 }),
    () => client.close(),
  );
  return { client, calls };
}

describe('behind fit()', () => {
  test.each(PROVIDERS)('everything that %s is shown is accepted', async (provider) => {
    const { client } = await meet(provider);
    const tools = await client.tools.list();
    expect(tools).toHaveLength(11);
    for (const tool of tools) expect(refusals(provider, { ...tool })).toEqual([]);
  });

  test('calls reach the server with its own names and arguments', async () => {
    const { client, calls } = await meet('anthropic');
    const tools = await client.tools.list();
    const odata = tools.find(({ name }) => name === 'odata');
    const [top = '', nested = ''] = Object.keys(odata?.inputSchema.properties ?? {});
    expect(top).toMatch(/^_top_\w+$/);
    expect(odata?.inputSchema.required).toEqual([top]);
    await client.tools.call('odata', { [top]: 3, [nested]: {} });
    expect(calls).toEqual([{ $top: 3, 'a b': {} }]);
    const dotted = tools.find(({ name }) => name.startsWith('name_with_dots_'));
    expect(await client.tools.call(dotted?.name ?? '')).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('a call without a list before it is understood too', async () => {
    const { client, calls } = await meet('gemini');
    await client.tools.call('numbers', { level: '3' });
    expect(calls).toEqual([{ level: 3 }]);
  });

  test('another provider than those is refused', () => {
    expect(() => fitTo('none' as Provider)).toThrow('choose one of: openai, anthropic, gemini');
  });
});
