import { describe, expect, it } from 'vitest';
import { displayWidth, formatBytes, padTo, wrap } from '../../../src/cli/output/text.js';
import { printable, singleLine } from '../../../src/protocol/display.js';

describe('text for terminals', () => {
  it('holds nothing that the terminal would obey', () => {
    expect(printable('a\u001b[2Jb\u0007\u009bc\r\nd\te')).toBe('a\u241b[2Jb\u2407\ufffdc\nd\te');
    expect(printable('over\u202ewritten\rnew')).toBe('over\ufffdwritten\u240dnew');
  });

  it('fits on one line', () => {
    expect(singleLine('  a\n\tb  c\u001b[0m ')).toBe('a b c\u241b[0m');
  });

  it('is as wide as it looks', () => {
    expect(displayWidth('abc')).toBe(3);
    expect(displayWidth('日本')).toBe(4);
    expect(displayWidth('e\u0301')).toBe(1);
    expect(displayWidth('🎉')).toBe(2);
    expect(padTo('日本', 6)).toBe('日本  ');
    expect(padTo('too long', 3)).toBe('too long');
  });

  it('wraps at spaces and keeps long words whole', () => {
    expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
    expect(wrap('a https://example.com/long b', 5)).toEqual(['a', 'https://example.com/long', 'b']);
    expect(wrap('one\n\ntwo', 9)).toEqual(['one', '', 'two']);
    expect(wrap('never wrapped at all', Number.POSITIVE_INFINITY)).toEqual(['never wrapped at all']);
  });

  it('names sizes', () => {
    expect([999, 1_240, 5_600_000].map(formatBytes)).toEqual(['999 B', '1.2 kB', '5.6 MB']);
  });
});
