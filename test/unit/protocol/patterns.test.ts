import { describe, expect, test } from 'vitest';
import { compileJsonSchema, SchemaError } from '../../../src/protocol/schema/json-schema.js';
import { isLinear } from '../../../src/protocol/schema/linear-pattern.js';
import { compilePattern, preparePatterns } from '../../../src/protocol/schema/patterns.js';

const LINEAR = [
  '^[a-z]+$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[a-z0-9_-]{1,20}$',
  '^\\d+\\.\\d+\\.\\d+$',
  'abc',
  '[A-Z]{3}',
  '^x-',
  '^[^#]*#?$',
  '\\d',
  '^.*$',
  '',
  '^$',
];
const OTHERS = [
  '^(a+)+$',
  '(a|a)*b',
  '\\s+$',
  'a+$',
  '^a*a*b$',
  '^\\w+\\d+$',
  '^[a-z]+[a-y]?x$',
  '^\\s*é+$'.replace('é', '\\u00e9'),
  '^.*x',
  'a{0,60}b',
  '^(?:[a-z]+-)+$',
  'x?y',
];

test.each(LINEAR)('%j is seen to be linear', (pattern) => {
  expect(isLinear(pattern)).toBe(true);
});

test.each(OTHERS)('%j is not taken for linear', (pattern) => {
  expect(isLinear(pattern)).toBe(false);
});

const TEXTS = [
  '',
  'a',
  'aaa',
  'aab',
  'abc',
  'xy',
  'y',
  '2024-01-02',
  '1.2.3',
  ' \u00a0',
  '\u2028',
  'é',
  'π',
  'x-1',
  '#',
  'A\nB',
  'ab-cd-',
  'a1',
  '😀',
  'AbC',
  '\u000b',
  'user@example.com',
];
const SAME = [
  ...LINEAR,
  ...OTHERS,
  '^[\\s\\S]+$',
  '^\\s+$',
  '^\\S+(?:x|y)?$',
  '^(?:.)$',
  '^\\p{L}+(?:x)?$',
  '^\\p{Letter}*\\p{Script=Greek}$',
  '^(?<year>\\d+)(?:x)?$',
  '^[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+$',
  '(?:^|,)a',
  '[\\b]|\\u0061|\\u{1F600}',
  '^(?:a|b|c)+$',
  '\\/|\\-'.slice(0, 2),
];

test.each(SAME)('%j matches what a RegExp matches', async (pattern) => {
  await preparePatterns({ pattern: '(a|a)*b' });
  const [ours, native] = [compilePattern(pattern), new RegExp(pattern, 'u')];
  for (const text of TEXTS) expect(ours.test(text), JSON.stringify(text)).toBe(native.test(text));
});

describe.each([
  ['a plain schema', (pattern: string) => ({ type: 'string', pattern })],
  ['a schema for ajv', (pattern: string) => ({ type: 'string', pattern, not: { const: 1 } })],
  [
    'draft 7',
    (pattern: string) => ({ $schema: 'http://json-schema.org/draft-07/schema#', allOf: [{ pattern }] }),
  ],
  [
    '2019-09',
    (pattern: string) => ({ $schema: 'https://json-schema.org/draft/2019-09/schema', allOf: [{ pattern }] }),
  ],
])('in %s', (_name, schemaOf) => {
  test('a catastrophic pattern is matched in linear time', async () => {
    const validate = await compileJsonSchema(schemaOf('^(a+)+$'));
    expect(validate('aaa')).toBeUndefined();
    expect(validate(`${'a'.repeat(100_000)}!`)).toHaveLength(1);
  });

  test('look-around and back-references make the schema unusable, in words', async () => {
    for (const pattern of ['^(?=.*\\d).+$', '(a)\\1', '(?<!a)b'])
      await expect(compileJsonSchema(schemaOf(pattern))).rejects.toThrow(SchemaError);
    await expect(compileJsonSchema(schemaOf('^(?=a)'))).rejects.toThrow('cannot be matched in linear time');
  });
});

test('names of properties are matched in linear time too', async () => {
  const name = `${'a'.repeat(50_000)}!`;
  for (const schema of [
    { patternProperties: { '^(a+)+$': { type: 'string' } } },
    { patternProperties: { '^(a+)+$': {} }, additionalProperties: false },
    { propertyNames: { pattern: '^(a+)+$' } },
    { patternProperties: { '^(a+)+$': {} }, unevaluatedProperties: false },
  ]) {
    const validate = await compileJsonSchema(schema);
    const issues = validate({ [name]: 1 });
    expect(issues === undefined).toBe('patternProperties' in schema && Object.keys(schema).length === 1);
  }
});

test('unique items and enumerations cost no more than their size', async () => {
  const validate = await compileJsonSchema({ type: 'array', uniqueItems: true });
  const items = Array.from({ length: 200_000 }, (_, index) => ({ index, name: 'x' }));
  expect(validate(items)).toBeUndefined();
  expect(validate([...items, { name: 'x', index: 7 }])).toMatchObject([
    { message: 'must NOT have duplicate items' },
  ]);
  const values = Array.from({ length: 100_000 }, (_, index) => `v${index}`);
  const chosen = await compileJsonSchema({ type: 'array', items: { enum: values, not: { const: 1 } } });
  expect(chosen(Array.from({ length: 100_000 }, () => 'v99999'))).toBeUndefined();
  expect(chosen(['w'])?.[0]).toMatchObject({ path: '0' });
  const deep = await compileJsonSchema({ enum: [{ a: 1, b: [2] }, null, 'x'], not: { const: 1 } });
  expect(deep({ b: [2], a: 1 })).toBeUndefined();
  expect(deep({ b: [2] })).toMatchObject([{ message: 'must be one of [{"a":1,"b":[2]},null,"x"]' }]);
});

describe('a schema that refers to its parts along too many paths', () => {
  const bomb = (levels: number, wrap: (next: object) => object) => ({
    $ref: '#/$defs/l0',
    $defs: Object.fromEntries(
      Array.from({ length: levels }, (_, level) => {
        const next = level === levels - 1 ? { type: 'string' } : { $ref: `#/$defs/l${level + 1}` };
        return [`l${level}`, { anyOf: [wrap(next), wrap(next)] }];
      }),
    ),
  });

  test('is refused, whether its parts are for the value or for what is in it', async () => {
    for (const wrap of [
      (next: object) => next,
      (next: object) => ({ properties: { a: next } }),
      (next: object) => ({ items: { not: next } }),
    ])
      await expect(compileJsonSchema(bomb(40, wrap))).rejects.toThrow('along too many paths');
  });

  test('is refused when it refers by anchor', async () => {
    const levels = Array.from({ length: 40 }, (_, level) => ({
      $anchor: `l${level}`,
      allOf: level === 39 ? [] : [{ $ref: `#l${level + 1}` }, { $ref: `#l${level + 1}` }],
    }));
    await expect(compileJsonSchema({ $ref: '#l0', $defs: { ...levels } })).rejects.toThrow(
      'along too many paths',
    );
  });

  test('is accepted when it is small, or leads back to itself', async () => {
    const small = await compileJsonSchema(bomb(5, (next) => next));
    expect(small('x')).toBeUndefined();
    expect(small(1)).toBeDefined();
    const tree = await compileJsonSchema({
      $ref: '#/$defs/tree',
      $defs: {
        tree: {
          type: 'object',
          properties: { left: { $ref: '#/$defs/tree' }, right: { $ref: '#/$defs/tree' } },
        },
      },
    });
    expect(tree({ left: { right: {} } })).toBeUndefined();
    expect(tree({ left: 1 })).toBeDefined();
  });
});
