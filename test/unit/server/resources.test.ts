import { describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../../src/server/index.js';
import type { ResourceReturn } from '../../../src/server/resources.js';
import { openRevision, VERSIONS } from '../../support/wire-peer.js';

function quietServer(): { server: Server; errors: unknown[] } {
  const errors: unknown[] = [];
  return {
    server: createServer({ name: 's', version: '1', onError: (error) => errors.push(error) }),
    errors,
  };
}

describe('what a handler may return', () => {
  const uri = 'test:r';
  test.each<[string, ResourceReturn, unknown]>([
    ['text', 'hi', [{ uri, mimeType: 'text/plain', text: 'hi' }]],
    ['empty text', '', [{ uri, mimeType: 'text/plain', text: '' }]],
    ['bytes', new Uint8Array([0, 255, 1]), [{ uri, mimeType: 'application/octet-stream', blob: 'AP8B' }]],
    ['contents without a URI', { text: 'x' }, [{ uri, text: 'x' }]],
    ['one content', { uri: 'test:other', text: 'x' }, [{ uri: 'test:other', text: 'x' }]],
    [
      'several contents',
      [
        { uri: 'test:a', text: 'a' },
        { uri: 'test:b', blob: 'YQ==' },
      ],
      [
        { uri: 'test:a', text: 'a' },
        { uri: 'test:b', blob: 'YQ==' },
      ],
    ],
    ['a whole result', { contents: [{ uri: 'test:a', text: 'a' }] }, [{ uri: 'test:a', text: 'a' }]],
  ])('%s', async (_name, returned, contents) => {
    const { server } = quietServer();
    server.resource(uri, {}, () => returned);
    expect(await (await openRevision(server, '2025-11-25')).call('resources/read', { uri })).toEqual({
      contents,
    });
  });

  test('a declared media type goes with text and bytes', async () => {
    const { server } = quietServer();
    server.resource('test:json', { mimeType: 'application/json' }, () => '{}');
    server.resource('test:png', { mimeType: 'image/png' }, () => new Uint8Array(1));
    const peer = await openRevision(server, '2025-11-25');
    for (const [uri, mimeType] of [
      ['test:json', 'application/json'],
      ['test:png', 'image/png'],
    ] as const) {
      expect((await peer.call('resources/read', { uri })).contents).toEqual([
        expect.objectContaining({ uri, mimeType }),
      ]);
    }
  });

  test('a megabyte of bytes arrives whole', async () => {
    const bytes = new Uint8Array(1_000_000).map((_, index) => index % 251);
    const { server } = quietServer();
    server.resource('test:big', {}, () => bytes);
    const { contents } = await (await openRevision(server, '2026-07-28')).call('resources/read', {
      uri: 'test:big',
    });
    expect(
      Buffer.from((contents as { blob: string }[])[0]?.blob ?? '', 'base64').equals(Buffer.from(bytes)),
    ).toBe(true);
  });
});

describe.each(VERSIONS)('in %s', (version) => {
  const notFound = version === '2026-07-28' ? -32602 : -32002;

  test('a missing resource has the code of the revision and names the URI', async () => {
    const { server, errors } = quietServer();
    server.resource('test:r', {}, () => 'x');
    server.resource('test:gone', {}, () => undefined);
    server.resource('test:maybe/{id}', {}, async () => undefined);
    const peer = await openRevision(server, version);
    for (const uri of ['test:nope', 'test:gone', 'test:maybe/1', 'TEST:r', '']) {
      const error = await peer.refusal('resources/read', { uri });
      expect(error).toMatchObject({ code: notFound, data: { uri } });
    }
    expect(errors).toEqual([]);
  });

  test('a URI that is no string is a malformed call', async () => {
    const { server } = quietServer();
    server.resource('test:r', {}, () => 'x');
    const peer = await openRevision(server, version);
    for (const uri of [undefined, 5, null, ['test:r']]) {
      expect((await peer.refusal('resources/read', { uri })).code).toBe(-32602);
    }
  });

  test('a handler that fails is an internal error without detail', async () => {
    const { server, errors } = quietServer();
    server.resource('test:sync', {}, () => {
      throw new Error('hunter2');
    });
    server.resource('test:async', {}, () => Promise.reject(new Error('hunter2')));
    const peer = await openRevision(server, version);
    for (const uri of ['test:sync', 'test:async']) {
      expect(await peer.refusal('resources/read', { uri })).toEqual({
        code: -32603,
        message: 'Internal error',
      });
    }
    expect(errors).toHaveLength(2);
  });

  test('a template serves what it matches, and a fixed resource comes first', async () => {
    const { server } = quietServer();
    server.resource('test:item/{id}', { name: 'items' }, ({ uri, variables }) => `${uri} ${variables.id}`);
    server.resource('test:item/7', {}, () => 'fixed');
    server.resource('test:{+rest}', { name: 'rest' }, ({ variables }) => `rest ${variables.rest}`);
    const peer = await openRevision(server, version);
    const read = async (uri: string) =>
      ((await peer.call('resources/read', { uri })).contents as { text: string }[])[0]?.text;
    expect(await read('test:item/42')).toBe('test:item/42 42');
    expect(await read('test:item/7')).toBe('fixed');
    expect(await read('test:item/a/b')).toBe('rest item/a/b');
    const { resourceTemplates } = await peer.call('resources/templates/list');
    expect(resourceTemplates).toEqual([
      { uriTemplate: 'test:item/{id}', name: 'items' },
      { uriTemplate: 'test:{+rest}', name: 'rest' },
    ]);
  });

  test('a path that climbs reaches no handler', async () => {
    const { server } = quietServer();
    const read: unknown[] = [];
    server.resource('file:///{+path}', {}, ({ variables }) => {
      read.push(variables.path);
      return '';
    });
    const peer = await openRevision(server, version);
    for (const path of ['../etc/passwd', 'a/../../b', '%2e%2e/etc', '..%2f', 'a%00', '..%5c']) {
      expect((await peer.refusal('resources/read', { uri: `file:///${path}` })).code).toBe(notFound);
    }
    await peer.call('resources/read', { uri: 'file:///ok/file.txt' });
    expect(read).toEqual(['ok/file.txt']);
  });

  test('cache hints are those of the resource, where the revision has them', async () => {
    const { server } = quietServer();
    server.resource('test:cached', { cache: { ttl: 5000, scope: 'public' } }, () => 'x');
    server.resource('test:plain', {}, () => 'x');
    const peer = await openRevision(server, version);
    const cached = await peer.call('resources/read', { uri: 'test:cached' });
    const plain = await peer.call('resources/read', { uri: 'test:plain' });
    if (version === '2026-07-28') {
      expect(cached).toMatchObject({ ttlMs: 5000, cacheScope: 'public' });
      expect(plain).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    } else {
      expect([Object.keys(cached), Object.keys(plain)]).toEqual([['contents'], ['contents']]);
    }
  });
});

describe('registration', () => {
  test.each(['notes.txt', '', '/etc', 'with space'])('refuses %j, which is no absolute URI', (uri) => {
    expect(() => quietServer().server.resource(uri, {}, () => '')).toThrow(/not an absolute URI/);
  });

  test('refuses a broken template, and the same URI twice', () => {
    const { server } = quietServer();
    expect(() => server.resource('test:{', {}, () => '')).toThrow(/unclosed/);
    server.resource('test:a', {}, () => '');
    expect(() => server.resource('test:a', {}, () => '')).toThrow(/already registered/);
  });

  test('shows everything that was declared; the name defaults to the URI', async () => {
    const { server } = quietServer();
    const definition = {
      name: 'n',
      title: 'T',
      description: 'd',
      mimeType: 'text/plain',
      size: 3,
      annotations: { audience: ['user' as const], priority: 1 },
      icons: [{ src: 'https://example.com/i.png' }],
    };
    server.resource('test:a', { ...definition, meta: { 'a.b/c': 1 } }, () => '');
    server.resource('test:b', {}, () => '');
    const { resources } = await (await openRevision(server, '2025-11-25')).call('resources/list');
    expect(resources).toEqual([
      { uri: 'test:a', ...definition, _meta: { 'a.b/c': 1 } },
      { uri: 'test:b', name: 'test:b' },
    ]);
  });
});
