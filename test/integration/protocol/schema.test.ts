import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../../src/protocol/model/base.js';
import { createAjv } from '../../../src/protocol/schema/ajv.js';
import { createInterpreter } from '../../../src/protocol/schema/interpreter.js';
import {
  compileJsonSchema,
  type JsonValidator,
  SchemaError,
} from '../../../src/protocol/schema/json-schema.js';
import { describeIssues } from '../../../src/protocol/schema/schema.js';

async function issuesOf(schema: JsonSchema, value: unknown): Promise<string | undefined> {
  const issues = (await compileJsonSchema(schema))(value);
  return issues === undefined ? undefined : describeIssues(issues);
}

describe('dialects', () => {
  const tuple = { prefixItems: [{ type: 'string' }], items: false };
  const oldTuple = { items: [{ type: 'string' }], additionalItems: false };

  test('2020-12 holds when nothing else is said', async () => {
    expect(await issuesOf(tuple, ['a'])).toBeUndefined();
    expect(await issuesOf(tuple, ['a', 'b'])).toBeDefined();
    expect(
      await issuesOf({ ...tuple, $schema: 'https://json-schema.org/draft/2020-12/schema' }, [1]),
    ).toBeDefined();
    expect(await issuesOf({ type: 'object', dependentRequired: { a: ['b'] } }, { a: 1 })).toBeDefined();
  });

  test.each(['http://json-schema.org/draft-07/schema#', 'http://json-schema.org/draft-07/schema'])(
    'draft-07 is read as draft-07 (%s)',
    async ($schema) => {
      expect(await issuesOf({ $schema, ...oldTuple }, ['a'])).toBeUndefined();
      expect(await issuesOf({ $schema, ...oldTuple }, ['a', 'b'])).toBeDefined();
      // A keyword that came later says nothing there.
      expect(await issuesOf({ $schema, ...tuple, items: true }, [1])).toBeUndefined();
      expect(
        await issuesOf({ $schema, definitions: { s: { type: 'string' } }, $ref: '#/definitions/s' }, 1),
      ).toBeDefined();
    },
  );

  test('2019-09 is read as 2019-09', async () => {
    const $schema = 'https://json-schema.org/draft/2019-09/schema';
    expect(await issuesOf({ $schema, ...oldTuple }, ['a', 'b'])).toBeDefined();
    expect(
      await issuesOf({ $schema, $recursiveAnchor: true, items: { $recursiveRef: '#' } }, [[]]),
    ).toBeUndefined();
    expect(await issuesOf({ $schema, type: 'object', unevaluatedProperties: false }, { a: 1 })).toBeDefined();
  });

  test.each(['http://json-schema.org/draft-04/schema#', 'https://example.com/mine', ''])(
    'another dialect (%j) is refused with a list of those that work',
    async ($schema) => {
      await expect(compileJsonSchema({ $schema, type: 'object' })).rejects.toThrow(SchemaError);
      await expect(compileJsonSchema({ $schema, type: 'object' })).rejects.toThrow(
        /not supported; use one of: .*2020-12/,
      );
    },
  );

  test('a schema that is not valid in its dialect is refused', async () => {
    await expect(compileJsonSchema({ type: 'strin' })).rejects.toThrow(SchemaError);
    await expect(compileJsonSchema({ type: 'object', properties: 5 })).rejects.toThrow(/not usable/);
  });

  test('formats are annotations', async () => {
    expect(await issuesOf({ type: 'string', format: 'email' }, 'not mail')).toBeUndefined();
  });
});

describe('references', () => {
  let canary: ReturnType<typeof createHttpServer>;
  let requests = 0;
  let origin = '';

  beforeAll(async () => {
    canary = createHttpServer((_request, response) => {
      requests += 1;
      response.setHeader('content-type', 'application/json');
      response.end('{"type":"string"}');
    });
    await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((resolve) => canary.close(resolve)));

  const remotes = (): JsonSchema[] => [
    { type: 'object', properties: { a: { $ref: `${origin}/schema.json` } } },
    { $id: `${origin}/root.json`, type: 'object', properties: { a: { $ref: 'other.json' } } },
    {
      $id: `${origin}/root.json`,
      type: 'object',
      $defs: { x: { $dynamicRef: `${origin}/y#z` } },
      $ref: '#/$defs/x',
    },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { $ref: `${origin}/schema.json#/a` } },
    },
  ];

  test('to other places are refused, and nothing is fetched', async () => {
    for (const schema of remotes()) await expect(compileJsonSchema(schema)).rejects.toThrow(SchemaError);
    const [plain, based] = remotes();
    for (const schema of [plain, based]) {
      expect(() => createInterpreter('2020-12')(schema as JsonSchema)).toThrow(/resolve/);
    }
    // The canary sings when it is visited.
    await fetch(origin);
    expect(requests).toBe(1);
  });

  test('inside the schema are followed, by pointer, anchor and id', async () => {
    const schema = {
      type: 'object',
      $defs: {
        a: { type: 'string' },
        b: { $anchor: 'bee', type: 'number' },
        c: { $id: 'https://x.test/c', type: 'null' },
      },
      properties: { a: { $ref: '#/$defs/a' }, b: { $ref: '#bee' }, c: { $ref: 'https://x.test/c' } },
    };
    expect(await issuesOf(schema, { a: 'x', b: 1, c: null })).toBeUndefined();
    for (const bad of [{ a: 1 }, { b: 'x' }, { c: 0 }]) expect(await issuesOf(schema, bad)).toBeDefined();
  });

  test('of one schema never meet those of another', async () => {
    const inner = (kind: string) => ({
      type: 'object',
      properties: { a: { $id: 'https://x.test/inner', type: kind } },
    });
    const strings = await compileJsonSchema(inner('string'));
    const numbers = await compileJsonSchema(inner('number'));
    expect(strings({ a: 'x' })).toBeUndefined();
    expect(numbers({ a: 1 })).toBeUndefined();
    await expect(
      compileJsonSchema({ type: 'object', properties: { a: { $ref: 'https://x.test/inner' } } }),
    ).rejects.toThrow(/can't resolve/);
  });

  test('cannot take the place of a meta-schema for everyone else', async () => {
    const $id = 'https://json-schema.org/draft/2020-12/schema';
    await compileJsonSchema({ $id, type: 'object' }).catch(() => undefined);
    expect(await issuesOf({ type: 'object', required: ['a'] }, {})).toBe('a: is required');
  });
});

describe('hostile schemas', () => {
  test('with $async are refused: their validator would say yes, and reject behind our back', async () => {
    await expect(compileJsonSchema({ $async: true, type: 'object', required: ['a'] })).rejects.toThrow(
      SchemaError,
    );
  });

  test('that are very large or very deep are refused', async () => {
    const wide = { anyOf: Array.from({ length: 30_000 }, (_, index) => ({ const: index })) };
    await expect(compileJsonSchema(wide)).rejects.toThrow(/more than 20000 parts/);
    let deep: JsonSchema = {};
    for (let depth = 0; depth < 15_000; depth += 1) deep = { not: deep };
    await expect(compileJsonSchema(deep)).rejects.toThrow(SchemaError);
  });

  test('that name what every object inherits see own properties alone', async () => {
    expect(await issuesOf({ type: 'object', required: ['toString'] }, {})).toBe('toString: is required');
    expect(
      await issuesOf({ type: 'object', properties: { constructor: { type: 'string' } } }, {}),
    ).toBeUndefined();
  });
});

describe('issues', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer', maximum: 7 },
      unit: { enum: ['c', 'f'] },
      kind: { const: 'x' },
      places: {
        type: 'array',
        items: { type: 'object', required: ['name'], additionalProperties: false, properties: { name: {} } },
      },
      'a/b~c': { type: 'string' },
    },
    required: ['city'],
    additionalProperties: false,
  };

  test.each([
    [{}, 'city: is required'],
    [{ city: 1 }, 'city: must be string'],
    [{ city: '', days: 8 }, 'days: must be <= 7'],
    [{ city: '', unit: 'k' }, 'unit: must be one of ["c","f"]'],
    [{ city: '', kind: 'y' }, 'kind: must be "x"'],
    [{ city: '', zip: 1 }, 'zip: is not a known property'],
    [{ city: '', places: [{ name: 1 }, {}] }, 'places.1.name: is required'],
    [{ city: '', places: [{ name: 1, b: 2 }] }, 'places.0.b: is not a known property'],
    [{ city: '', 'a/b~c': 1 }, 'a/b~c: must be string'],
    ['text', 'must be object'],
  ])('of %j name the place: %s', async (value, text) => {
    expect(await issuesOf(schema, value)).toBe(text);
  });

  test('are joined in one line', () => {
    expect(
      describeIssues([
        { path: 'a', message: 'is required' },
        { path: '', message: 'is odd' },
      ]),
    ).toBe('a: is required; is odd');
  });
});

describe('the interpreter', () => {
  // Parsed, because an object literal with `then` looks like a promise to the linter.
  const CONDITIONAL: JsonSchema = JSON.parse(
    '{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}',
  );
  const CASES: readonly (readonly [JsonSchema, readonly unknown[]])[] = [
    [{ type: 'string', minLength: 2, maxLength: 3 }, ['a', 'ab', 'abcd', 1, null]],
    [{ type: 'integer', minimum: 0, exclusiveMaximum: 5 }, [0, 4, 5, 1.5, -1, '1']],
    [{ type: ['string', 'null'] }, ['a', null, 0]],
    [{ enum: ['a', { b: 1 }] }, ['a', { b: 1 }, { b: 2 }]],
    [{ const: { format: 'email' } }, [{ format: 'email' }, {}]],
    [
      { type: 'array', prefixItems: [{ type: 'string' }], items: { type: 'number' } },
      [['a', 1], [1], ['a', 'b'], []],
    ],
    [{ type: 'array', uniqueItems: true, minItems: 1, contains: { const: 1 } }, [[1], [1, 1], [2], []]],
    [
      { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      [{ a: 'x' }, {}, { a: 1 }, []],
    ],
    [{ type: 'object', additionalProperties: false, properties: { a: {} } }, [{}, { a: 1 }, { b: 1 }]],
    [
      { type: 'object', patternProperties: { '^x-': { type: 'number' } } },
      [{ 'x-a': 1 }, { 'x-a': 'a' }, { y: 'a' }],
    ],
    [{ type: 'object', propertyNames: { maxLength: 2 } }, [{ ab: 1 }, { abc: 1 }]],
    [{ type: 'object', dependentRequired: { a: ['b'] } }, [{ a: 1 }, { a: 1, b: 1 }, {}]],
    [{ anyOf: [{ type: 'string' }, { minimum: 5, type: 'number' }] }, ['a', 5, 4, null]],
    [{ oneOf: [{ multipleOf: 2 }, { multipleOf: 3 }] }, [2, 3, 6, 5]],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1, 3]],
    [{ not: { type: 'string' } }, ['a', 1]],
    [CONDITIONAL, [{ a: 1 }, { a: 1, b: 1 }, {}, { c: 1 }]],
    [{ allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }, [{ a: 1 }, { b: 1 }]],
    [
      { $defs: { n: { type: 'object', properties: { next: { $ref: '#/$defs/n' } } } }, $ref: '#/$defs/n' },
      [{ next: { next: {} } }, { next: { next: 1 } }],
    ],
    [{ type: 'string', format: 'email' }, ['not mail', 1]],
    [{ type: 'string', pattern: '^a+$' }, ['aa', 'b']],
    [
      { type: 'object', properties: { format: { type: 'string', format: 'date' } } },
      [{ format: 'x' }, { format: 1 }],
    ],
    [{ type: 'object', required: ['toString'] }, [{}, { toString: 1 }]],
  ];

  test.each(CASES)('answers as ajv does for %j', async (schema, values) => {
    const compiled = (await createAjv('2020'))(schema);
    const interpreted = createInterpreter('2020-12')(schema);
    const verdicts = (validate: JsonValidator) => values.map((value) => validate(value) === undefined);
    expect(verdicts(interpreted)).toEqual(verdicts(compiled));
    expect(verdicts(compiled)).toContain(false);
  });

  test('answers as ajv does in the older dialects', async () => {
    const old = { items: [{ type: 'string' }], additionalItems: false };
    const compile = await createAjv('7');
    for (const value of [['a'], ['a', 1], [1]]) {
      const expected = compile(old)(value) === undefined;
      expect(createInterpreter('7')(old)(value) === undefined).toBe(expected);
      expect(createInterpreter('2019-09')(old)(value) === undefined).toBe(expected);
    }
  });

  test('names the field too', () => {
    const validate = createInterpreter('2020-12')({
      type: 'object',
      required: ['city'],
      properties: { 'a/b': { type: 'object', properties: { c: { type: 'string' } } } },
    });
    expect(describeIssues(validate({}) ?? [])).toContain('city');
    expect(validate({ city: 1, 'a/b': { c: 1 } })).toEqual([
      { path: 'a/b.c', message: expect.stringContaining('string') },
    ]);
  });

  test('leaves the schema as it was', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/x' } },
      $defs: { x: { format: 'email' } },
    };
    const before = JSON.stringify(schema);
    createInterpreter('2020-12')(Object.freeze(schema));
    expect(JSON.stringify(schema)).toBe(before);
    expect(Object.getOwnPropertyNames(schema)).toEqual(['type', 'properties', '$defs']);
  });
});
