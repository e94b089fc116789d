import { describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/protocol/schema/schema.js';

const filled = async (schema: object, value: unknown): Promise<unknown> =>
  createSchema({ ...schema }, 'input').check(value);

describe('the defaults of a JSON Schema', () => {
  test('are filled in before the value is checked, and the value itself stays as it was', async () => {
    const schema = {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer', default: 3 } },
      required: ['city', 'days'],
    };
    const given = Object.freeze({ city: 'Bern' });
    expect(await filled(schema, given)).toEqual({ value: { city: 'Bern', days: 3 } });
    expect(await filled(schema, { city: 'Bern', days: 1 })).toEqual({ value: { city: 'Bern', days: 1 } });
    expect(await filled(schema, {})).toMatchObject({ issues: [{ path: 'city' }] });
  });

  test('reach into objects, lists, references and every part of an allOf', async () => {
    const schema = {
      type: 'object',
      properties: {
        place: { type: 'object', properties: { zone: { default: 'utc' } }, default: {} },
        stops: { type: 'array', items: { $ref: '#/$defs/stop' } },
      },
      allOf: [{ properties: { all: { default: true } } }],
      $defs: {
        stop: { type: 'object', properties: { wait: { default: 1 }, next: { $ref: '#/$defs/stop' } } },
      },
    };
    expect(await filled(schema, { stops: [{}, { wait: 2, next: {} }] })).toEqual({
      value: { place: { zone: 'utc' }, stops: [{ wait: 1 }, { wait: 2, next: { wait: 1 } }], all: true },
    });
  });

  test('are fresh for every value', async () => {
    const schema = createSchema(
      { type: 'object', properties: { tags: { type: 'array', default: [] } } },
      'input',
    );
    const first = await schema.check({});
    const second = await schema.check({});
    expect(first).toEqual({ value: { tags: [] } });
    expect('value' in first && 'value' in second && first.value !== second.value).toBe(true);
    (('value' in first && first.value) as { tags: string[] }).tags.push('x');
    expect(await schema.check({})).toEqual({ value: { tags: [] } });
  });

  test('of an alternative are not filled in, and names that objects inherit are data', async () => {
    const alternatives = { anyOf: [{ type: 'object', properties: { a: { default: 1 } } }] };
    expect(await filled(alternatives, {})).toEqual({ value: {} });
    const inherited = { type: 'object', properties: { toString: { default: 'x' } } };
    expect(await filled(inherited, {})).toEqual({ value: { toString: 'x' } });
  });
});
