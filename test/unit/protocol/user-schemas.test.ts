import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { InferInput, InferOutput } from '../../../src/protocol/schema/infer.js';
import { SchemaError } from '../../../src/protocol/schema/json-schema.js';
import {
  type Checked,
  closedProperties,
  createSchema,
  describeIssues,
} from '../../../src/protocol/schema/schema.js';

describe('Standard Schema', () => {
  const zodSchema = z.object({
    city: z.string().min(1),
    days: z.number().int().max(7).default(3),
    when: z.enum(['now', 'later']).optional(),
  });
  const valibotSchema = toStandardJsonSchema(
    v.object({
      city: v.pipe(v.string(), v.minLength(1)),
      days: v.optional(v.number(), 3),
      when: v.optional(v.picklist(['now', 'later'])),
    }),
  );
  const arktypeSchema = type({ city: 'string > 0', days: 'number = 3', 'when?': "'now' | 'later'" });

  const LIBRARIES = [
    ['zod', zodSchema],
    ['valibot', valibotSchema],
    ['arktype', arktypeSchema],
  ] as const;

  test.each(LIBRARIES)('%s describes itself to clients', (_name, source) => {
    const { json } = createSchema(source, 'input');
    expect(json.type).toBe('object');
    expect(Object.keys(json.properties as object).sort()).toEqual(['city', 'days', 'when']);
    // What has a default may be left out by the sender.
    expect(json.required).toEqual(['city']);
  });

  test.each(LIBRARIES)('%s checks, and fills in defaults', async (_name, source) => {
    const schema = createSchema(source, 'input');
    expect(await schema.check({ city: 'Oslo' })).toMatchObject({ value: { city: 'Oslo', days: 3 } });
    const wrong = (await schema.check({ city: 5 })) as Checked;
    expect(describeIssues(wrong.issues ?? [])).toMatch(/^city: /);
  });

  test('paths into lists and objects are joined by dots', async () => {
    const schema = createSchema(z.object({ a: z.array(z.object({ b: z.string() })) }), 'input');
    const checked = (await schema.check({ a: [{ b: 'x' }, { b: 1 }] })) as Checked;
    expect(checked.issues?.map(({ path }) => path)).toEqual(['a.1.b']);
  });

  test('input and output are described apart', () => {
    const source = z.object({ days: z.number().default(3) });
    expect(createSchema(source, 'input').json.required).toBeUndefined();
    expect(createSchema(source, 'output').json.required).toEqual(['days']);
  });

  test('asynchronous validators are awaited', async () => {
    const schema = createSchema(
      z.object({ a: z.string().refine(async (value) => value === 'x', 'is not x') }),
      'input',
    );
    expect(await schema.check({ a: 'x' })).toEqual({ value: { a: 'x' } });
    expect(await schema.check({ a: 'y' })).toEqual({ issues: [{ path: 'a', message: 'is not x' }] });
  });

  test('a schema that cannot describe itself says what to do about it', () => {
    const bare = v.object({ city: v.string() });
    expect(() => createSchema(bare, 'input')).toThrow(/toStandardJsonSchema/);
    const other = {
      '~standard': { version: 1, vendor: 'mine', validate: (value: unknown) => ({ value }) },
    } as const;
    expect(() => createSchema(other, 'input')).toThrow(/mine.*withJsonSchema/);
  });

  test('what is no schema at all is refused', () => {
    for (const value of [5, null, 'x', []])
      expect(() => createSchema(value as never, 'input')).toThrow(TypeError);
  });

  test('types follow the libraries', () => {
    type Read = { city: string; days: number; when?: 'now' | 'later' | undefined };
    expectTypeOf<InferOutput<typeof zodSchema>>().toEqualTypeOf<Read>();
    expectTypeOf<InferOutput<typeof valibotSchema>>().toEqualTypeOf<Read>();
    expectTypeOf<InferOutput<typeof arktypeSchema>>().toEqualTypeOf<{
      city: string;
      days: number;
      when?: 'now' | 'later';
    }>();
    expectTypeOf<InferInput<typeof zodSchema>['days']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<InferInput<typeof valibotSchema>['days']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<InferInput<typeof arktypeSchema>['days']>().toEqualTypeOf<number | undefined>();
  });
});

describe('JSON Schema', () => {
  test('is shown unchanged and compiled once', async () => {
    const source = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
    const schema = createSchema(source, 'input');
    expect(schema.json).toBe(source);
    expect(schema.check({ a: 'x' })).toBeInstanceOf(Promise);
    expect(await schema.check({ a: 'x' })).toEqual({ value: { a: 'x' } });
    // The validator is ready now, so checks need no promise any more.
    expect(schema.check({})).toEqual({ issues: [{ path: 'a', message: 'is required' }] });
  });

  test('in a dialect that we do not know is refused at once', () => {
    expect(() => createSchema({ $schema: 'urn:mine', type: 'object' }, 'input')).toThrow(/use one of/);
  });

  test('that does not compile fails every check with the same reason', async () => {
    const schema = createSchema({ type: 'object', $ref: 'https://x.test/none' }, 'input');
    await expect(schema.check({})).rejects.toThrow(SchemaError);
    await expect(schema.check({})).rejects.toThrow(SchemaError);
  });

  test('closes its top level unless a keyword opens it', () => {
    const properties = { a: {}, b: {} };
    expect([...(closedProperties({ type: 'object', properties }) ?? [])]).toEqual(['a', 'b']);
    expect(closedProperties({ type: 'object' })).toBeUndefined();
    for (const keyword of [
      'additionalProperties',
      'patternProperties',
      'allOf',
      'anyOf',
      'oneOf',
      'if',
      '$ref',
      'dependentSchemas',
    ]) {
      expect(closedProperties({ type: 'object', properties, [keyword]: {} })).toBeUndefined();
    }
  });

  test('types follow the common keywords of a literal', () => {
    const literal = {
      type: 'object',
      properties: {
        city: { type: 'string' },
        days: { type: 'integer' },
        sure: { type: 'boolean' },
        unit: { enum: ['c', 'f'] },
        fixed: { const: 5 },
        nothing: { type: 'null' },
        tags: { type: 'array', items: { type: 'string' } },
        any: { type: 'array' },
        place: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
        open: { type: 'object' },
        other: { anyOf: [{ type: 'string' }] },
      },
      required: ['city', 'unit'],
    } as const;
    expectTypeOf<InferOutput<typeof literal>>().toEqualTypeOf<{
      city: string;
      unit: 'c' | 'f';
      days?: number;
      sure?: boolean;
      fixed?: 5;
      nothing?: null;
      tags?: string[];
      any?: unknown[];
      place?: { name: string };
      open?: { [key: string]: unknown };
      other?: string;
    }>();
  });
});
