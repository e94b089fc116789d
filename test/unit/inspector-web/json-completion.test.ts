import { describe, expect, it } from 'vitest';
import { completeJson } from '../../../src/inspector/web/components/json-completion.js';

const SCHEMA = {
  type: 'object',
  properties: {
    colour: { type: 'string', enum: ['red', 'green'] },
    count: { type: 'integer', default: 3 },
    flag: { type: 'boolean' },
    place: { $ref: '#/$defs/place' },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
  $defs: { place: { type: 'object', properties: { city: { type: 'string' } } } },
};

/** The caret is where the bar stands. */
function complete(marked: string): { labels: string[]; text: string } {
  const caret = marked.indexOf('|');
  const text = marked.replace('|', '');
  const { from, to, options } = completeJson(text, caret, SCHEMA);
  const [first] = options;
  return {
    labels: options.map(({ label }) => label),
    text: first === undefined ? text : text.slice(0, from) + first.insert + text.slice(to),
  };
}

describe('completing JSON', () => {
  it('offers the names that are not taken', () => {
    expect(complete('{ "count": 1, |').labels).toEqual(['colour', 'flag', 'place', 'tags']);
  });

  it('finishes a name, with its value begun', () => {
    expect(complete('{ "col|').text).toBe('{ "colour": ""');
    expect(complete('{ "cou|"').text).toBe('{ "count": 3');
  });

  it('offers the values of an enum, of a boolean, and of items', () => {
    expect(complete('{ "colour": |').labels).toEqual(['red', 'green']);
    expect(complete('{ "colour": "g|"}').text).toBe('{ "colour": "green"}');
    expect(complete('{ "flag": t|').labels).toEqual(['true']);
    expect(complete('{ "tags": ["a", |').labels).toEqual(['a', 'b']);
  });

  it('follows references of the schema', () => {
    expect(complete('{ "place": { |').labels).toEqual(['city']);
  });

  it('offers nothing after a name, outside of everything, and without a schema', () => {
    expect(complete('{ "colour" |').labels).toEqual([]);
    expect(complete('|').labels).toEqual([]);
    expect(completeJson('{ ', 2, undefined).options).toEqual([]);
  });
});
