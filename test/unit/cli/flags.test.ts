import { describe, expect, it } from 'vitest';
import {
  collect,
  collectList,
  formatDuration,
  parseCount,
  parseDuration,
} from '../../../src/cli/options/flags.js';

describe('options', () => {
  it('read durations', () => {
    expect(['30', '1.5s', '500ms', '2m'].map(parseDuration)).toEqual([30_000, 1_500, 500, 120_000]);
    expect([500, 1_500].map(formatDuration)).toEqual(['500 ms', '1.5 s']);
    for (const text of ['', '0', '-1', 'soon', '1h', '1 2'])
      expect(() => parseDuration(text)).toThrow(/not a duration/);
  });

  it('read counts', () => {
    expect(parseCount('100')).toBe(100);
    for (const text of ['', '-1', '1.5', 'x', '12345678'])
      expect(() => parseCount(text)).toThrow(/not a number/);
  });

  it('collect what is repeated', () => {
    expect(collect('b,c', ['a'])).toEqual(['a', 'b,c']);
    expect(collectList('b, c', ['a'])).toEqual(['a', 'b', 'c']);
  });
});
