/** What the compiler knows of a JSON Schema literal. */

import type { InferInput, InferOutput } from 'plumb-mcp/protocol';
import { createServer } from 'plumb-mcp/server';
import { describe, expectTypeOf, test } from 'vitest';

/** The type of the literal that is given. */
function schema<const S>(_literal: S): { output: InferOutput<S>; input: InferInput<S> } {
  const types: object = { output: {}, input: {} };
  return types as { output: InferOutput<S>; input: InferInput<S> };
}

describe('a JSON Schema literal', () => {
  test('has scalars, several types, enum and const', () => {
    const { output } = schema({
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        maybe: { type: ['string', 'null'] },
        list: { type: ['array', 'number'], items: { type: 'boolean' } },
        unit: { enum: ['c', 'f', null] },
        kind: { const: 'circle' },
      },
      required: ['text', 'count', 'maybe', 'list', 'unit', 'kind'],
    } as const);
    expectTypeOf(output).toEqualTypeOf<{
      text: string;
      count: number;
      maybe: string | null;
      list: boolean[] | number;
      unit: 'c' | 'f' | null;
      kind: 'circle';
    }>();
  });

  test('has alternatives', () => {
    const { output } = schema({
      oneOf: [
        {
          type: 'object',
          properties: { kind: { const: 'a' }, x: { type: 'number' } },
          required: ['kind', 'x'],
        },
        { type: 'object', properties: { kind: { const: 'b' }, y: { type: 'string' } }, required: ['kind'] },
      ],
    } as const);
    expectTypeOf(output).toEqualTypeOf<{ kind: 'a'; x: number } | { kind: 'b'; y?: string }>();
    const beside = schema({
      type: 'object',
      anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }],
    } as const);
    expectTypeOf(beside.output).toEqualTypeOf<{ a?: string }>();
    const titled = schema({ type: 'string', oneOf: [{ const: 'x', title: 'X' }, { const: 'y' }] } as const);
    expectTypeOf(titled.output).toEqualTypeOf<'x' | 'y'>();
    const either = schema({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'number' } }],
    } as const);
    expectTypeOf(either.output).toEqualTypeOf<string | number[]>();
  });

  test('has all parts of an allOf', () => {
    const { output } = schema({
      allOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: { type: 'number' } } },
      ],
    } as const);
    expectTypeOf(output).toEqualTypeOf<{ a: string; b?: number }>();
  });

  test('follows references into $defs, in circles too', () => {
    const { output } = schema({
      type: 'object',
      properties: { home: { $ref: '#/$defs/place' }, tree: { $ref: '#/$defs/node' } },
      required: ['home'],
      $defs: {
        place: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        node: { type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#/$defs/node' } } },
      },
    } as const);
    expectTypeOf(output.home).toEqualTypeOf<{ city: string }>();
    expectTypeOf(output.tree?.next?.next?.name).toEqualTypeOf<string | undefined>();
  });

  test('has additional properties', () => {
    const map = schema({ type: 'object', additionalProperties: { type: 'number' } } as const);
    expectTypeOf(map.output).toEqualTypeOf<{ [key: string]: number }>();
    const both = schema({
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: { type: 'number' },
    } as const);
    expectTypeOf(both.output.name).toEqualTypeOf<string>();
    expectTypeOf(both.output.other).toEqualTypeOf<string | number | undefined>();
    const closed = schema({
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: false,
    } as const);
    expectTypeOf(closed.output).toEqualTypeOf<{ a?: string }>();
    const open = schema({
      type: 'object',
      properties: { a: { type: 'string' } },
      additionalProperties: true,
    } as const);
    expectTypeOf(open.output.a).toEqualTypeOf<string | undefined>();
    expectTypeOf(open.output.b).toEqualTypeOf<unknown>();
  });

  test('has tuples', () => {
    const pair = schema({
      type: 'array',
      prefixItems: [{ type: 'string' }, { type: 'number' }],
      minItems: 2,
      items: false,
    } as const);
    expectTypeOf(pair.output).toEqualTypeOf<[string, number]>();
    const rest = schema({
      type: 'array',
      prefixItems: [{ type: 'string' }],
      items: { type: 'boolean' },
    } as const);
    expectTypeOf(rest.output).toEqualTypeOf<[string?, ...boolean[]]>();
  });

  test('has defaults: present after validation, optional before', () => {
    const { input, output } = schema({
      type: 'object',
      properties: { days: { type: 'number', default: 3 }, city: { type: 'string' } },
      required: ['city'],
    } as const);
    expectTypeOf(output).toEqualTypeOf<{ days: number; city: string }>();
    expectTypeOf(input).toEqualTypeOf<{ days?: number; city: string }>();
  });

  test('types the arguments of a tool without `as const`', () => {
    const server = createServer({ name: 's', version: '1' });
    server.tool(
      't',
      {
        input: {
          type: 'object',
          properties: {
            pair: {
              type: 'array',
              prefixItems: [{ type: 'number' }, { type: 'number' }],
              minItems: 2,
              items: false,
            },
            days: { type: 'integer', default: 3 },
            to: { $ref: '#/$defs/to' },
          },
          required: ['pair'],
          $defs: { to: { type: ['string', 'null'] } },
        },
      },
      (args) => {
        expectTypeOf(args).toEqualTypeOf<{ pair: [number, number]; days: number; to?: string | null }>();
        return args.days;
      },
    );
  });
});
