import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/protocol/model/base.js';
import { createAjv } from '../../../src/protocol/schema/ajv.js';
import { compileJsonSchema, preloadValidator } from '../../../src/protocol/schema/json-schema.js';
import { compilePattern } from '../../../src/protocol/schema/patterns.js';
import { compilePlain, isPlain } from '../../../src/protocol/schema/plain.js';

const name = fc.constantFrom('a', 'b', 'c', 'toString');
const count = fc.integer({ min: 0, max: 3 });
const bound = fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(0.5));
const text = fc.constantFrom('', 'a', 'ab', 'abcd', '😀', '😀😀', '\ud800a');
const scalar = fc.oneof(text, bound, fc.boolean(), fc.constant(null));
const choices = fc.uniqueArray(scalar, { minLength: 1, maxLength: 4 });
const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'array', 'object');
const types = fc.uniqueArray(type, { minLength: 1, maxLength: 3 });

type Keywords = Record<string, fc.Arbitrary<unknown>>;
/** A few of these keywords, so that some values are valid. */
const some = (keywords: Keywords, always: Keywords = {}) =>
  fc
    .subarray(Object.keys(keywords), { maxLength: Math.min(4, Object.keys(keywords).length) })
    .chain((names) =>
      fc.record({ ...Object.fromEntries(names.map((each) => [each, keywords[each] ?? scalar])), ...always }),
    );

/** Many keywords do not fit the type that stands beside them: then they say nothing. */
const { schema } = fc.letrec<{ schema: unknown }>((tie) => {
  const inside = fc.oneof(tie('schema'), fc.boolean());
  const shallow = {
    type: fc.oneof(type, types),
    const: scalar,
    enum: choices,
    maximum: bound,
    minimum: bound,
    exclusiveMaximum: bound,
    exclusiveMinimum: bound,
    maxLength: count,
    minLength: count,
    pattern: fc.constantFrom('^a', 'b$', '^.$'),
    format: fc.constant('email'),
    maxItems: count,
    minItems: count,
    maxProperties: count,
    minProperties: count,
    required: fc.uniqueArray(name, { maxLength: 3 }),
    title: fc.constant('A title'),
    description: fc.constant(undefined),
    'x-own': fc.constant({ type: 'nonsense' }),
  };
  const deep = {
    items: inside,
    properties: fc.dictionary(name, inside, { maxKeys: 3, noNullPrototype: true }),
    additionalProperties: inside,
  };
  return { schema: fc.oneof({ maxDepth: 4 }, some(shallow), some({ ...shallow, ...deep }), some(deep)) };
});

const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.constantFrom(1e15, Number.POSITIVE_INFINITY, undefined),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const DIALECTS = {
  '2020': 'https://json-schema.org/draft/2020-12/schema',
  '2019': 'https://json-schema.org/draft/2019-09/schema',
  '7': 'http://json-schema.org/draft-07/schema#',
};

describe('plain schemas', () => {
  const RUNS = 250;
  const VALUES = 20;
  const values = fc.array(value, { minLength: VALUES, maxLength: VALUES });

  test.each(['2020', '2019', '7'] as const)('find what ajv finds in draft %s', async (draft) => {
    const ajv = await createAjv(draft, { allErrors: true });
    let refused = 0;
    fc.assert(
      fc.property(schema, values, (drawn, several) => {
        const one: JsonSchema = { $schema: DIALECTS[draft], ...(drawn as JsonSchema) };
        expect(isPlain(one)).toBe(true);
        const [plain, reference] = [compilePlain(one, compilePattern), ajv(one)];
        for (const each of several) {
          const expected = reference(each);
          const issues = plain(each);
          if (expected === undefined) expect(issues).toBeUndefined();
          else expect(expected).toEqual(expect.arrayContaining([...(issues ?? ['nothing'])]));
          if (issues !== undefined) refused += 1;
        }
      }),
      { numRuns: RUNS },
    );
    // Neither nearly all nor nearly none, or the comparison would say little.
    expect(refused / (RUNS * VALUES)).toBeGreaterThan(0.1);
    expect(refused / (RUNS * VALUES)).toBeLessThan(0.9);
  });

  test('say where in nested values', () => {
    const check = compilePlain({
      type: 'object',
      properties: { list: { items: { properties: { name: { type: 'string' } }, required: ['name'] } } },
      additionalProperties: { type: 'number' },
    });
    expect(check({ list: [{ name: 'a' }, { name: 1 }] })).toEqual([
      { path: 'list.1.name', message: 'must be string' },
    ]);
    expect(check({ list: [{}] })).toEqual([{ path: 'list.0.name', message: 'is required' }]);
    expect(check({ more: 'text' })).toEqual([{ path: 'more', message: 'must be number' }]);
    expect(check({ list: [{ name: 'a' }], more: 1 })).toBeUndefined();
  });

  test.each([
    ['a keyword that is not among them', { anyOf: [{ type: 'string' }] }],
    ['a reference', { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: true } }],
    ['a keyword of ajv alone', { type: 'string', nullable: true }],
    ['another schema declared inside', { properties: { a: { $schema: DIALECTS['7'] } } }],
    ['objects to be equal to', { enum: [{ a: 1 }] }],
    ['a list of schemas for items', { items: [{ type: 'string' }] }],
    ['a keyword that every object inherits', { constructor: 1 }],
    ['a type that there is not', { type: 'strin' }],
    ['a type that every object inherits', { type: 'toString' }],
    ['no types', { type: [] }],
    ['a type twice', { type: ['string', 'string'] }],
    ['a length below zero', { minLength: -1 }],
    ['a broken pattern', { pattern: '(' }],
    ['a name that is required twice', { required: ['a', 'a'] }],
    ['nothing to choose from', { enum: [] }],
    ['a choice twice', { enum: ['a', 'a'] }],
    ['properties that are none', { properties: { a: 'string' } }],
  ])('are not those with %s', (_, odd) => {
    expect(isPlain(odd as JsonSchema)).toBe(false);
  });

  test('are not those that are nested without end', async () => {
    let deep: JsonSchema = { type: 'string' };
    for (let depth = 0; depth < 15_000; depth += 1) deep = { items: deep };
    expect(() => preloadValidator(deep)).not.toThrow();
    await expect(compileJsonSchema(deep)).rejects.toThrow(/not usable/);
  });

  test('need no ajv', async () => {
    const { execFileSync } = await import('node:child_process');
    const program = `
      import { createServer } from './dist/server/index.js';
      import { connect } from './dist/client/index.js';
      const server = createServer({ name: 's', version: '1' });
      const input = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
      server.tool('echo', { input, output: input }, ({ a }) => ({ a }));
      const client = await connect(server);
      console.log(JSON.stringify((await client.tools.call('echo', { a: 'x' })).structuredContent));
      await client.close();
      const { createRequire } = await import('node:module');
      console.log(Object.keys(createRequire(import.meta.url).cache).some((file) => file.includes('ajv')));
    `;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
    });
    expect(output).toBe('{"a":"x"}\nfalse\n');
  });
});
