import { describe, expect, test } from 'vitest';
import {
  canonicalTemplate,
  canonicalUri,
  decodedReadingsOf,
  readingsOf,
} from '../../../src/middleware/canonical.js';
import { canonicalName } from '../../../src/middleware/canonical-name.js';

describe('a canonical URI', () => {
  test.each([
    ['FILE:///secret/a', 'file:///secret/a'],
    ['file://localhost/secret/a', 'file:///secret/a'],
    ['file://LOCALHOST/secret/a', 'file:///secret/a'],
    ['file:/secret/a', 'file:///secret/a'],
    ['file:secret/a', 'file:///secret/a'],
    ['file:////secret//a', 'file:///secret/a'],
    ['file:///public/../secret/a', 'file:///secret/a'],
    ['file:///public/%2e%2E/secret/a', 'file:///secret/a'],
    ['file:///public/..%2fsecret/a', 'file:///secret/a'],
    ['file:///public\\..\\secret\\a', 'file:///secret/a'],
    ['file:///public%5c..%5csecret%5ca', 'file:///secret/a'],
    ['file:///./secret/./a', 'file:///secret/a'],
    ['file:///%73ecret/a', 'file:///secret/a'],
    ['file:///secret/a?x#y', 'file:///secret/a'],
    [' \tfi\nle:///secret/a\u0000', 'file:///secret/a'],
    ['HTTP://Example.COM:80/a/../b?q=%7e#f', 'http://example.com/b?q=~#f'],
    ['https://example.com./x', 'https://example.com/x'],
    ['https://0x7f.1/x', 'https://127.0.0.1/x'],
    ['NOTE://Ada/x', 'note://Ada/x'],
    ['note://ada/a/../b', 'note://ada/b'],
    ['note:a/./b', 'note:a/b'],
    ['note://ada/%c3%a9', 'note://ada/%C3%A9'],
    ['note://ada/é', 'note://ada/%C3%A9'],
    ['note://ada/a b{c}', 'note://ada/a%20b%7Bc%7D'],
    ['note://ada/100%', 'note://ada/100%25'],
    ['urn:isbn:123', 'urn:isbn:123'],
    ['a://b', 'a://b'],
    ['a://b?c=../d', 'a://b?c=../d'],
  ])('of %j is %j', (uri, canonical) => {
    expect(canonicalUri(uri)).toBe(canonical);
    expect(canonicalUri(canonical)).toBe(canonical);
  });

  test.each([
    'note://ada/..%2fsecret',
    'note://ada/%252e%252e/secret',
    'note://ada/..%5csecret',
    'note://ada/..;x/secret',
    'note://ada/%00',
    'http://[broken/x',
  ])('does not exist for %j, which readers take for different things', (uri) => {
    expect(canonicalUri(uri)).toBeUndefined();
  });

  test.each(['', 'name', '/path/../x', '::', '%', '\ud800', 'é', '1a:b'])(
    'of %j, which is no URI, is itself',
    (text) => {
      expect(canonicalUri(text)).toBe(text);
    },
  );

  test('of half a surrogate pair is written', () => {
    expect(canonicalUri('note://x/\ud800')).toBe('note://x/%EF%BF%BD');
  });
});

test('readings of a URI leave out what readers ignore', () => {
  expect(readingsOf('note://a/b#c')).toEqual(['note://a/b#c', 'note://a/b']);
  expect(readingsOf('file://host/secret')).toEqual(['file://host/secret', 'file:///secret']);
  expect(decodedReadingsOf('note://a/b%2Fc')).toEqual(['note://a/b%2Fc', 'note://a/b/c']);
});

test('expressions of a template stay as they are', () => {
  expect(canonicalTemplate('FILE:///%61/{+path}')).toBe('file:///a/{+path}');
});

test('a name loses what surrounds it and is composed', () => {
  expect(canonicalName(' cafe\u0301\u200b\n')).toBe('café');
});
