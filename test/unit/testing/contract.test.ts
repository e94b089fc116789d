import { describe, expect, test } from 'vitest';
import type { Surface } from '../../../src/chain/lock/surface.js';
import { compareSchemas } from '../../../src/testing/contract/schema-change.js';
import { compareSurfaces } from '../../../src/testing/contract/surface-change.js';

const object = (properties: object, more: object = {}): Record<string, unknown> => ({
  type: 'object',
  properties,
  ...more,
});

describe('a schema', () => {
  const field = (before: object, after: object) =>
    compareSchemas(object({ a: before }), object({ a: after })).map(
      ({ path, effect }) => `${path} ${effect}`,
    );

  test.each<[string, object, object, string[]]>([
    ['a type that got an alternative', { type: 'string' }, { type: ['string', 'null'] }, ['.a wider']],
    ['a type that lost an alternative', { type: ['string', 'null'] }, { type: 'string' }, ['.a narrower']],
    ['another type', { type: 'string' }, { type: 'number' }, ['.a both']],
    ['an integer that became a number', { type: 'integer' }, { type: 'number' }, ['.a wider']],
    ['a type that is no longer given', { type: 'string' }, {}, ['.a wider']],
    ['values that are gone', { enum: ['x', 'y'] }, { enum: ['x'] }, ['.a narrower']],
    ['values that are new', { enum: ['x'] }, { enum: ['x', 'y'] }, ['.a wider']],
    ['values in another order', { enum: ['x', 'y'] }, { enum: ['y', 'x'] }, []],
    ['a larger minimum', { minimum: 1 }, { minimum: 2 }, ['.a narrower']],
    ['a larger maximum', { maximum: 1 }, { maximum: 2 }, ['.a wider']],
    [
      'the limits of the type',
      { minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
      {},
      [],
    ],
    ['a limit that is new', {}, { maxLength: 10 }, ['.a narrower']],
    ['a pattern that is new', {}, { pattern: '^a' }, ['.a narrower']],
    ['another pattern', { pattern: '^b' }, { pattern: '^a' }, ['.a both']],
    ['a format that is gone', { format: 'date' }, {}, ['.a wider']],
    [
      'items that accept less',
      { items: { type: ['string', 'number'] } },
      { items: { type: 'string' } },
      ['.a[] narrower'],
    ],
    [
      'an alternative that is gone',
      { anyOf: [{ type: 'string' }, { type: 'null' }] },
      { anyOf: [{ type: 'string' }] },
      ['.a narrower'],
    ],
    ['an object that closed', object({}), object({}, { additionalProperties: false }), ['.a narrower']],
    ['a keyword that is not understood', {}, { if: {} }, ['.a both']],
    ['words', { description: 'x' }, { description: 'y' }, ['.a words']],
  ])('%s', (_name, before, after, expected) => {
    expect(field(before, after)).toEqual(expected);
  });

  test('is compared through references, recursive ones too', () => {
    const tree = (value: object) => ({
      ...object({ root: { $ref: '#/$defs/node' } }),
      $defs: { node: object({ value, children: { type: 'array', items: { $ref: '#/$defs/node' } } }) },
    });
    expect(compareSchemas(tree({ type: 'string' }), tree({ type: 'number' }))).toEqual([
      { path: '.root.value', what: 'type changed from string to number', effect: 'both' },
    ]);
    const inlined = object({ a: { type: 'string' } });
    const referred = { ...object({ a: { $ref: '#/$defs/text' } }), $defs: { text: { type: 'string' } } };
    expect(compareSchemas(inlined, referred)).toEqual([]);
  });
});

describe('a surface', () => {
  const surface = (tool: object, more: Partial<Surface> = {}): Surface => ({
    server: { name: 'x', version: '1' },
    revision: '2025-11-25',
    instructions: 'Be kind',
    lists: { tools: [{ name: 'run', inputSchema: object({ a: { type: 'string' } }), ...tool }], prompts: [] },
    ...more,
  });
  const changes = (before: object, after: object): string[] =>
    compareSurfaces(surface(before), surface(after)).map(({ level, what }) => `${level} ${what}`);

  test.each<[string, object, object, string[]]>([
    ['nothing', {}, {}, []],
    ['a description', { description: 'x' }, { description: 'y' }, ['model description changed']],
    [
      'input that is narrower',
      {},
      { inputSchema: object({ a: { type: 'string' } }, { required: ['a'] }) },
      ['breaking input.a: is required now'],
    ],
    [
      'input that is wider',
      {},
      { inputSchema: object({ a: { type: 'string' }, b: {} }) },
      ['compatible input.b: property added'],
    ],
    [
      'output that is wider',
      { outputSchema: object({ s: { enum: ['x'] } }) },
      { outputSchema: object({ s: { enum: ['x', 'y'] } }) },
      ['breaking output.s: values added: "y"'],
    ],
    [
      'output that is narrower',
      { outputSchema: object({ s: { enum: ['x', 'y'] } }) },
      { outputSchema: object({ s: { enum: ['x'] } }) },
      ['compatible output.s: values removed: "y"'],
    ],
    [
      'output that is not described any more',
      { outputSchema: object({}) },
      {},
      ['breaking output schema removed'],
    ],
    [
      'an annotation',
      { annotations: { readOnlyHint: true } },
      { annotations: { readOnlyHint: false } },
      ['breaking annotation readOnlyHint changed from true to false'],
    ],
    ['icons', {}, { icons: [] }, ['compatible icons changed']],
    ['what is said of tasks, with the same meaning', { execution: { taskSupport: 'forbidden' } }, {}, []],
    [
      'tasks that are possible',
      {},
      { execution: { taskSupport: 'optional' } },
      ['compatible task support changed from forbidden to optional'],
    ],
    [
      'tasks that are required',
      { execution: { taskSupport: 'optional' } },
      { execution: { taskSupport: 'required' } },
      ['breaking task support changed from optional to required'],
    ],
  ])('with a change of %s', (_name, before, after, expected) => {
    expect(changes(before, after)).toEqual(expected);
  });

  test('of a revision that says nothing of tasks is not compared there', () => {
    const before = surface({ execution: { taskSupport: 'optional' } });
    expect(compareSurfaces(before, surface({}, { revision: '2026-07-28' }))).toEqual([]);
  });

  test('lists what breaks first', () => {
    const before = surface({});
    const after = surface(
      { name: 'walk' },
      { instructions: 'Be quick', server: { name: 'x', version: '2' } },
    );
    expect(
      compareSurfaces(before, after).map(({ level, kind, name, what }) => [level, kind, name, what]),
    ).toEqual([
      ['breaking', 'tool', 'run', 'removed'],
      ['model', 'instructions', '', 'changed'],
      ['compatible', 'server', 'x', 'changed from x 1 to x 2'],
      ['compatible', 'tool', 'walk', 'added'],
    ]);
  });

  test('compares the arguments of prompts', () => {
    const prompt = (args: object[]): Surface =>
      surface({}, { lists: { prompts: [{ name: 'p', arguments: args }] } });
    const before = prompt([{ name: 'a' }, { name: 'b', required: true }, { name: 'c', description: 'x' }]);
    const after = prompt([{ name: 'a', required: true }, { name: 'c', description: 'y' }, { name: 'd' }]);
    expect(compareSurfaces(before, after).map(({ level, what }) => `${level} ${what}`)).toEqual([
      'breaking argument a is required now',
      'breaking argument b removed',
      'model argument c: description changed',
      'compatible argument d added',
    ]);
  });
});
