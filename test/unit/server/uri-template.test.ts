import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchUri } from '../../../src/server/uri-match.js';
import { parseUriTemplate } from '../../../src/server/uri-template.js';
import { anyText } from '../../support/arbitraries.js';

const match = (template: string, uri: string) => matchUri(parseUriTemplate(template), uri);

describe('RFC 6570 operators, read backwards', () => {
  test.each<[string, string, Record<string, unknown> | undefined]>([
    // Level 1
    ['test:{id}', 'test:42', { id: '42' }],
    ['test:{id}', 'test:a%20b', { id: 'a b' }],
    ['test:{id}', 'test:', undefined],
    ['test:{id}', 'test:a/b', undefined],
    ['test:{id}', 'test:a?b', undefined],
    ['test:{id}', 'other:42', undefined],
    ['test:{id}/end', 'test:42/end', { id: '42' }],
    ['test:{id}/end', 'test:42/end/', undefined],
    ['test:{id}/end', 'test:/end', undefined],
    ['test:{a}/{b}', 'test:x/y', { a: 'x', b: 'y' }],
    ['test:{a}-{b}', 'test:x-y-z', { a: 'x', b: 'y-z' }],
    ['test:{a,b}', 'test:x,y', { a: 'x', b: 'y' }],
    ['test:{a,b}', 'test:x', { a: 'x' }],
    ['test:{a,b}', 'test:x,y,z', undefined],
    ['test:{list*}', 'test:x,y,z', { list: ['x', 'y', 'z'] }],
    ['test:{id:3}', 'test:abc', { id: 'abc' }],
    // Level 2: reserved and fragment
    ['file:///{+path}', 'file:///a/b/c.txt', { path: 'a/b/c.txt' }],
    ['file:///{+path}', 'file:///a%20b', { path: 'a b' }],
    ['file:///{+path}/data', 'file:///a/data/b/data', { path: 'a/data/b' }],
    ['test:x{#part}', 'test:x#top', { part: 'top' }],
    ['test:x{#part}', 'test:x', {}],
    // Level 3: labels, segments, parameters, queries
    ['test:x{.ext}', 'test:x.json', { ext: 'json' }],
    ['test:x{.ext*}', 'test:x.tar.gz', { ext: ['tar', 'gz'] }],
    ['test:{/id}', 'test:/7', { id: '7' }],
    ['test:{/path*}', 'test:/a/b', { path: ['a', 'b'] }],
    ['test:{/a,b}', 'test:/x/y', { a: 'x', b: 'y' }],
    ['test:x{;a,b}', 'test:x;a=1;b=2', { a: '1', b: '2' }],
    ['test:x{;flag}', 'test:x;flag', { flag: '' }],
    ['test:x{?page,size}', 'test:x?page=2&size=10', { page: '2', size: '10' }],
    ['test:x{?page,size}', 'test:x?size=10&page=2', { page: '2', size: '10' }],
    ['test:x{?page}', 'test:x', {}],
    ['test:x{?page}', 'test:x?other=1', undefined],
    ['test:x{?q*}', 'test:x?q=a&q=b', { q: ['a', 'b'] }],
    ['test:x{?q}', 'test:x?q=a%26b', { q: 'a&b' }],
    ['test:x?fixed=1{&more}', 'test:x?fixed=1&more=2', { more: '2' }],
    // Next to each other
    ['test:{id}{?page}', 'test:7?page=2', { id: '7', page: '2' }],
    ['test:{id}{?page}', 'test:7', { id: '7' }],
    ['test:x{/a}{?q}', 'test:x/y?q=1', { a: 'y', q: '1' }],
    ['test:x{/a}{?q}', 'test:x?q=1', { q: '1' }],
    ['test:x{/a}{/b}', 'test:x/y/z', { a: 'y', b: 'z' }],
    ['test:{+path}{?q}{#f}', 'test:a/b?q=1#z', { path: 'a/b', q: '1', f: 'z' }],
    ['test:x{?a}{&b}', 'test:x?a=1&b=2', { a: '1', b: '2' }],
  ])('%s matches %s as %j', (template, uri, expected) => {
    expect(match(template, uri)).toEqual(expected);
  });

  test('a literal is never counted twice', () => {
    expect(match('test:a{?q}a', 'test:a')).toBeUndefined();
    expect(match('test:a{?q}a', 'test:aa')).toEqual({});
    expect(match('test:a{x}a', 'test:aa')).toBeUndefined();
  });

  test('percent escapes that are broken do not match', () => {
    for (const uri of ['test:%', 'test:%zz', 'test:%ff', 'test:%c3'])
      expect(match('test:{id}', uri)).toBeUndefined();
  });

  test('a variable may have any name, and stays a plain one', () => {
    const variables = match('test:{__proto__}/{constructor}', 'test:a/b');
    expect(Object.keys(variables ?? {})).toEqual(['__proto__', 'constructor']);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });
});

describe('dot segments', () => {
  const HOSTILE = [
    '../etc/passwd',
    'a/../../etc/passwd',
    '..',
    '.',
    './x',
    'a/.',
    '%2e%2e/etc',
    '%2E%2e%2Fetc',
    '.%2e/etc',
    'a%2f..%2fb',
    '..%5c..%5cwindows',
    'a\\..\\b',
    'a%00.txt',
  ];

  test.each(HOSTILE)('%s climbs nowhere', (path) => {
    expect(match('file:///{+path}', `file:///${path}`)).toBeUndefined();
    expect(match('file:///data{/path*}', `file:///data/${path}`)).toBeUndefined();
    expect(
      match('file:///{name}', `file:///${encodeURIComponent(decodeURIComponent(path))}`),
    ).toBeUndefined();
    expect(match('file:///x{?path}', `file:///x?path=${path}`)).toBeUndefined();
  });

  test.each(['.hidden', 'a..b', '...', 'a/.../b', 'v1.2', 'a./b'])('%s is an ordinary name', (path) => {
    expect(match('file:///{+path}', `file:///${path}`)).toEqual({ path });
  });
});

describe('the work of a match', () => {
  /** Counts the characters that are looked at, through the string methods that look at them. */
  function charactersRead(run: () => void): number {
    const counted = ['split', 'indexOf', 'startsWith', 'endsWith', 'slice', 'includes'] as const;
    const originals = counted.map((name) => String.prototype[name]);
    let read = 0;
    for (const [index, name] of counted.entries()) {
      const original = originals[index] as (...args: unknown[]) => unknown;
      Object.defineProperty(String.prototype, name, {
        configurable: true,
        writable: true,
        value(this: string, ...args: unknown[]) {
          read += this.length;
          return original.apply(this, args);
        },
      });
    }
    try {
      run();
    } finally {
      for (const [index, name] of counted.entries()) {
        Object.defineProperty(String.prototype, name, {
          configurable: true,
          writable: true,
          value: originals[index],
        });
      }
    }
    return read;
  }

  test.each([
    ['test:{/id*}', (size: number) => `test:/${','.repeat(size)}`],
    ['test:{/id*}', (size: number) => `test:${'/'.repeat(size)}`],
    ['test:{?t*}', (size: number) => `test:?${','.repeat(size)}`],
    ['test:{?t*}', (size: number) => `test:?t=${'&t='.repeat(size)}`],
    ['test:{t*}', (size: number) => `test:${','.repeat(size)}`],
    ['test:{+a}-{b}-{c}', (size: number) => `test:${'-'.repeat(size)}`],
    ['test:{a}{b}{/c*}{?d*}{&e*}', (size: number) => `test:${'a,/?&'.repeat(size / 5)}`],
  ])('%s is linear in a URI of 50,000 separators', (template, uri) => {
    const parsed = parseUriTemplate(template);
    const work = (size: number): number => {
      const text = uri(size);
      return charactersRead(() => void matchUri(parsed, text));
    };
    const [small, large] = [work(5_000), work(50_000)];
    expect(large).toBeLessThan(50_000 * 100);
    expect(large).toBeLessThan(small * 15);
  });
});

describe('parsing a template', () => {
  test.each([
    'test:{',
    'test:{}',
    'test:{a',
    'test:{a b}',
    'test:{a,}',
    'test:{?}',
    'test:{a-b}',
    'test:{=a}',
    'test:{{a}}',
  ])('refuses %s', (template) => {
    expect(() => parseUriTemplate(template)).toThrow(TypeError);
  });

  test('refuses a variable named twice', () => {
    expect(() => parseUriTemplate('test:{a}/{a}')).toThrow(/twice/);
  });

  test('knows its names', () => {
    expect(parseUriTemplate('test:{a}/{+b}{?c,d*}').names).toEqual(['a', 'b', 'c', 'd']);
  });

  test('never throws while matching, and gives back what simple variables were filled with', () => {
    const parsed = parseUriTemplate('test:{a}/{b}{?c}');
    fc.assert(
      fc.property(anyText, (uri) => {
        matchUri(parsed, `test:${uri}`);
      }),
    );
    const value = fc.string({ minLength: 1 }).filter((text) => !/(^|[/\\])\.\.?($|[/\\])|\0/.test(text));
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        const uri = `test:${encodeURIComponent(a)}/${encodeURIComponent(b)}?c=${encodeURIComponent(c)}`;
        expect(matchUri(parsed, uri)).toEqual({ a, b, c });
      }),
    );
  });
});
