import { describe, expect, it } from 'vitest';
import { assign } from '../../../src/cli/arguments/assignments.js';
import { UsageError } from '../../../src/cli/failure/failure.js';

const SCHEMA = {
  type: 'object',
  properties: {
    text: { type: 'string' },
    count: { type: 'integer' },
    share: { type: 'number' },
    flag: { type: 'boolean' },
    level: { type: 'string', enum: ['1', '2'] },
    size: { enum: [1, 2, 'all'] },
    tags: { type: 'array', items: { type: 'string' } },
    ids: { type: 'array', items: { type: 'integer' } },
    filter: { type: 'object', properties: { depth: { type: 'integer' } } },
    maybe: { type: ['integer', 'null'] },
    either: { anyOf: [{ type: 'number' }, { type: 'string' }] },
    home: { $ref: '#/$defs/place' },
    'dotted.name': { type: 'integer' },
    anything: {},
  },
  $defs: {
    place: { type: 'object', properties: { floor: { type: 'integer' }, next: { $ref: '#/$defs/place' } } },
  },
};

const typed = (...words: string[]): unknown => assign(words, SCHEMA);

describe('words as arguments', () => {
  it.each([
    ['text=12', { text: '12' }],
    ['text=', { text: '' }],
    ['text=a=b', { text: 'a=b' }],
    ['count=12', { count: 12 }],
    ['count=-3', { count: -3 }],
    ['share=.5', { share: 0.5 }],
    ['share=1e3', { share: 1000 }],
    ['flag=true', { flag: true }],
    ['flag=no', { flag: false }],
    ['level=1', { level: '1' }],
    ['size=2', { size: 2 }],
    ['size=all', { size: 'all' }],
    ['maybe=null', { maybe: null }],
    ['maybe=7', { maybe: 7 }],
    ['either=7', { either: 7 }],
    ['either=seven', { either: 'seven' }],
    ['anything=7', { anything: '7' }],
    ['unknown=7', { unknown: '7' }],
    ['filter={"depth":2}', { filter: { depth: 2 } }],
    ['tags=one', { tags: ['one'] }],
    ['tags=["one","two"]', { tags: ['one', 'two'] }],
    ['ids=[1,2]', { ids: [1, 2] }],
    ['dotted.name=4', { 'dotted.name': 4 }],
  ])('types %s by the schema', (word, expected) => {
    expect(typed(word)).toEqual(expected);
  });

  it('makes a list of a key that is repeated', () => {
    expect(typed('ids=1', 'ids=2', 'tags=a')).toEqual({ ids: [1, 2], tags: ['a'] });
    expect(assign(['x=1', 'x=2'], undefined)).toEqual({ x: ['1', '2'] });
  });

  it('refuses to repeat what is no list', () => {
    expect(() => typed('count=1', 'count=2')).toThrow(/"count" is given 2 times/);
  });

  it('puts a.b within a, with the type that it has there', () => {
    expect(typed('filter.depth=2', 'filter.name=x')).toEqual({ filter: { depth: 2, name: 'x' } });
  });

  it('follows references, also those that go in circles', () => {
    expect(typed('home.next.next.floor=3')).toEqual({ home: { next: { next: { floor: 3 } } } });
  });

  it('takes JSON after := whatever the schema says', () => {
    expect(typed('text:=12', 'count:="12"', 'anything:={"a":[null]}')).toEqual({
      text: 12,
      count: '12',
      anything: { a: [null] },
    });
  });

  it('adds to what was given as JSON, and wins over it', () => {
    const base = { text: 'a', filter: { depth: 1 } };
    expect(assign(['text=b', 'filter.name=x'], SCHEMA, base)).toEqual({
      text: 'b',
      filter: { depth: 1, name: 'x' },
    });
    expect(base).toEqual({ text: 'a', filter: { depth: 1 } });
  });

  it.each([
    ['count=1.5', /count=1.5: must be an integer/],
    ['count=many', /must be an integer/],
    ['share=', /must be a number/],
    ['flag=maybe', /must be true or false/],
    ['filter=x', /must be a JSON object/],
    ['ids=x', /must be an integer/],
    ['text:=x', /text:= needs JSON/],
    ['word', /"word" is not an argument/],
    ['=x', /is not an argument/],
    ['a..b=1', /"a..b" is not a key/],
    ['__proto__=1', /cannot be written as key=value/],
    ['a.__proto__.b=1', /cannot be written as key=value/],
  ])('says what is wrong with %s', (word, message) => {
    expect(() => typed(word)).toThrow(UsageError);
    expect(() => typed(word)).toThrow(message);
  });

  it('refuses a key within a value', () => {
    expect(() => typed('text=x', 'text.more=y')).toThrow(/within "text"/);
  });
});
