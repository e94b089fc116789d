import { describe, expect, it } from 'vitest';
import { diffLines } from '../../../src/inspector/web/components/line-diff.js';
import { linkTarget } from '../../../src/inspector/web/components/link-target.js';
import { mediaAddress } from '../../../src/inspector/web/components/media-address.js';
import {
  expandTemplate,
  templateNames,
} from '../../../src/inspector/web/panels/resources/expand-template.js';
import { folders } from '../../../src/inspector/web/panels/resources/folders.js';
import { splitWords } from '../../../src/inspector/web/panels/servers/command-line.js';
import { parseRoute, routeHash } from '../../../src/inspector/web/state/route-path.js';

describe('addresses in the hash', () => {
  it('survive every character', () => {
    const hash = routeHash('resources', 'server 1', 'demo://a/b?c#d%', { group: '7' });
    const { panel, server, item, query } = parseRoute(hash);
    expect({ panel, server, item, group: query.get('group') }).toEqual({
      panel: 'resources',
      server: 'server 1',
      item: 'demo://a/b?c#d%',
      group: '7',
    });
  });

  it('lead to the first panel when they make no sense', () => {
    expect(parseRoute('#/nowhere/%')).toMatchObject({ panel: 'servers', server: '%' });
  });
});

describe('URI templates', () => {
  it.each([
    ['demo://{a}/{b}', { a: 'x y', b: '1/2' }, 'demo://x%20y/1%2F2'],
    ['demo://p/{+path}', { path: 'a/b c' }, 'demo://p/a/b%20c'],
    ['http://x{/a}{?q,r}', { a: '1', q: 'é', r: '2' }, 'http://x/1?q=%C3%A9&r=2'],
    ['http://x{?q}{&r}', { r: '2' }, 'http://x&r=2'],
    ['x{#part}', { part: 'a!b' }, 'x#a!b'],
    ['x/{name:3}', { name: 'abcdef' }, 'x/abc'],
  ])('%s', (template, values, uri) => {
    expect(expandTemplate(template, values as Record<string, string>)).toBe(uri);
  });

  it('know their variables', () => {
    expect(templateNames('{a}/{+b}{?c,d*}{a}')).toEqual(['a', 'b', 'c', 'd']);
  });
});

it('command lines are split at blanks, outside of quotes, and nothing is expanded', () => {
  expect(splitWords(`npx -y "a b"c 'd $HOME' e\\ f ""`)).toEqual(['npx', '-y', 'a bc', 'd $HOME', 'e f', '']);
  expect(splitWords('"C:\\Program Files\\node.exe" x')).toEqual(['C:\\Program Files\\node.exe', 'x']);
});

it('resources are grouped by the folder of their address', () => {
  const uris = ['demo://a', 'file:///x/y/one', 'file:///x/y/two', 'plain'];
  expect(folders(uris.map((uri) => ({ uri }))).map(({ folder, items }) => [folder, items.length])).toEqual([
    ['/', 1],
    ['demo://', 1],
    ['file:///x/y/', 2],
  ]);
});

it('only addresses that can do no harm become links', () => {
  expect(['https://a.example/', 'http://a.example/', 'mailto:a@b.c'].map(linkTarget)).not.toContain(
    undefined,
  );
  const bad = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'JAVASCRIPT:1',
    'data:text/html,x',
    'file:///x',
    'vbscript:x',
    'blob:x',
    '/x',
    '//x.example',
    'ssh://x',
  ];
  expect(bad.map(linkTarget)).toEqual(bad.map(() => undefined));
});

it('only pictures and sounds become media', () => {
  expect(mediaAddress('image', 'AA-_', 'image/png')).toBe('data:image/png;base64,AA+/');
  expect(mediaAddress('image', 'AAAA', 'text/html')).toBeUndefined();
  expect(mediaAddress('image', 'AAAA', 'image/png,<script>')).toBeUndefined();
  expect(mediaAddress('audio', 'javascript:1', 'audio/wav')).toBeUndefined();
});

describe('comparing texts', () => {
  it('tells what was added and removed, in order', () => {
    expect(diffLines('a\nb\nc\nd', 'a\nc\nx\nd').map(({ kind, text }) => `${kind[0]}${text}`)).toEqual([
      'sa',
      'rb',
      'sc',
      'ax',
      'sd',
    ]);
  });

  it('rebuilds both texts from the differences', () => {
    const [left, right] = ['1\n2\n3\n2\n1', '2\n1\n2\n3'];
    const lines = diffLines(left, right);
    const without = (kind: string) =>
      lines
        .filter((line) => line.kind !== kind)
        .map(({ text }) => text)
        .join('\n');
    expect(without('added')).toBe(left);
    expect(without('removed')).toBe(right);
  });
});
