import { describe, expect, it } from 'vitest';
import { adaptSchema } from '../../../src/inspector/web/form/adapt-schema.js';
import { defaultValues, meantValues } from '../../../src/inspector/web/form/default-values.js';
import { checkAgainst } from '../../../src/inspector/web/form/form-validator.js';

function complaints(schema: unknown, value: unknown): string[] {
  const verdict = checkAgainst(schema, value);
  if (!verdict.ok) throw new Error(verdict.message);
  return verdict.errors.map(({ stack }) => stack);
}

describe('checking a form', () => {
  it('names the field and says what it must be', () => {
    const schema = {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 2 },
        age: { type: 'integer', minimum: 18 },
        mail: { type: 'string', format: 'email' },
        colour: { enum: ['red', 'green'] },
        tags: { type: 'array', items: { type: 'string' }, maxItems: 1 },
        place: { type: 'object', properties: { floor: { type: 'integer' } }, required: ['floor'] },
      },
      required: ['name'],
    };
    expect(complaints(schema, {})).toEqual(['name is required']);
    const wrong = { name: 'x', age: 3, mail: 'nobody', colour: 'blue', tags: ['a', 'b'], place: {} };
    expect(complaints(schema, wrong)).toEqual([
      'name must have at least 2 characters',
      'age must be at least 18',
      'mail must be a valid email',
      'colour must be one of: red, green',
      'tags must have at most 1 items',
      'place.floor is required',
    ]);
  });

  it('follows references, and checks tuples and alternatives of 2020-12', () => {
    const schema = {
      $defs: { size: { type: 'integer', maximum: 9 } },
      type: 'object',
      properties: {
        size: { $ref: '#/$defs/size' },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        either: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      },
    };
    expect(complaints(schema, { size: 3, pair: ['a', 1], either: 1 })).toEqual([]);
    expect(complaints(schema, { size: 10 })).toHaveLength(1);
    expect(complaints(schema, { pair: [1] })).toEqual(['pair.0 must be a string']);
    expect(complaints(schema, { either: true }).join()).toContain('either must fit exactly one');
  });

  it('says that a schema cannot be used, instead of failing', () => {
    expect(checkAgainst({ $ref: 'https://attacker.example/schema' }, {})).toMatchObject({ ok: false });
  });
});

describe('what is meant by the values of a form', () => {
  const schema = {
    type: 'object',
    properties: {
      name: { type: 'string' },
      count: { type: 'integer', default: 3 },
      drink: { oneOf: [{ const: 'tea' }, { const: 'coffee' }] },
      seat: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      payment: {
        oneOf: [
          { type: 'object', properties: { cash: { type: 'boolean' } }, required: ['cash'] },
          { type: 'object', properties: { card: { type: 'string' } }, required: ['card'] },
        ],
      },
      place: { type: 'object', properties: { city: { type: 'string' } } },
    },
    required: ['name'],
  };

  it('begins with the defaults of the schema, and nothing else', () => {
    expect(defaultValues(schema)).toEqual({ count: 3 });
  });

  it('leaves out what is optional and empty, and keeps what was filled in', () => {
    const value = { name: 'x', count: 3, seat: [undefined, undefined], place: { city: undefined } };
    expect(meantValues(schema, value)).toEqual({ name: 'x', count: 3 });
    const filled = {
      name: '',
      seat: ['a', 1],
      payment: { card: '1' },
      place: { city: 'Rome' },
      drink: 'tea',
    };
    expect(meantValues(schema, filled)).toEqual(filled);
  });
});

describe('adapting a schema for the form library', () => {
  it('turns tuples, dependencies and names of choices into older words', () => {
    expect(
      adaptSchema({
        properties: {
          pair: { prefixItems: [{ type: 'string' }], items: { type: 'integer' } },
          meal: { type: 'string', enum: ['v'], enumNames: ['Vegetarian'] },
        },
        dependentRequired: { a: ['b'] },
      }),
    ).toEqual({
      properties: {
        pair: { items: [{ type: 'string' }], additionalItems: { type: 'integer' } },
        meal: { type: 'string', enum: ['v'], 'x-choice-titles': { '"v"': 'Vegetarian' } },
      },
      dependencies: { a: ['b'] },
    });
  });

  it('makes a list of choices a set only where it is told to', () => {
    const schema = { type: 'array', items: { enum: ['a'] } };
    expect(adaptSchema(schema)).toEqual(schema);
    expect(adaptSchema(schema, { choicesAreSets: true })).toEqual({ ...schema, uniqueItems: true });
  });
});
