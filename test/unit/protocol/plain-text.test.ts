import { describe, expect, it } from 'vitest';
import { plainText } from '../../../src/protocol/plain-text.js';

describe('text written for a terminal', () => {
  it.each([
    ['colours', '\u001b[1;31mred\u001b[0m and \u001b[38;5;200mpink\u001b[m', 'red and pink'],
    ['titles and links', '\u001b]0;title\u0007a\u001b]8;;https://x\u001b\\b\u001b]8;;\u001b\\', 'ab'],
    ['cursor movements', 'a\u001b[2K\u001b[1Ab\u001b7\u001b8', 'ab'],
    ['a bell and other controls', 'a\u0007b\u0000c\u009b31md', 'abcd'],
    ['a progress bar', '10%\r50%\r100%\ndone\r\n', '100%\ndone\n'],
    ['overstrikes of manual pages', 'N\bNA\bAM\bME\bE', 'NAME'],
    ['reversed order', 'a\u202eb', 'ab'],
    ['an unfinished sequence', 'a\u001b[', 'a'],
  ])('loses %s', (_what, written, plain) => {
    expect(plainText(written)).toBe(plain);
  });

  it('keeps tabs, lines and every other character', () => {
    expect(plainText('a\tb\n  ünï 漢字 🙂\n')).toBe('a\tb\n  ünï 漢字 🙂\n');
  });
});
