import { expect, it } from 'vitest';
import { givenArguments } from '../../../src/cli/arguments/given-files.js';

const files = new Map<string | 0, string>([
  ['note.txt', 'a = b\n'],
  ['all.json', '{"one": 1, "two": 2}'],
  [0, '{"two": 3}'],
]);
const read = (source: string | 0): string => files.get(source) ?? '';

it('puts the content of files in place of their names, and @@ for an @', () => {
  expect(givenArguments(['text=@note.txt', 'list:=@all.json', 'user=@@ada', 'plain=a@b'], read)).toEqual({
    base: {},
    pairs: ['text=a = b\n', 'list:={"one": 1, "two": 2}', 'user=@ada', 'plain=a@b'],
    readsStdin: false,
  });
});

it('takes all arguments from files and from stdin, the later over the earlier', () => {
  expect(givenArguments(['@all.json', '-'], read)).toEqual({
    base: { one: 1, two: 3 },
    pairs: [],
    readsStdin: true,
  });
});

it('takes all arguments as JSON too', () => {
  expect(givenArguments(['{"query": "a=b"}', 'limit=3'], read)).toEqual({
    base: { query: 'a=b' },
    pairs: ['limit=3'],
    readsStdin: false,
  });
});

it('reads stdin for one argument only, and names a file that is not there', () => {
  expect(() => givenArguments(['-', 'text=@-'], read)).toThrow('one argument only');
  expect(() => givenArguments(['text=@/no/such/file'])).toThrow('write key=@@text');
});
