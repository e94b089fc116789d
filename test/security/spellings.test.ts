/** Policies judge a resource, a tool and a method, whatever their spelling, and what they judged is what goes on. */

import { posix } from 'node:path';
import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { authorize, hide, type Layer, type Middleware } from 'plumb-mcp/middleware';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, onTestFinished, test } from 'vitest';

const SECRET = 'file:///secret/key';
const SPELLINGS: readonly string[] = [
  SECRET,
  'FILE:///secret/key',
  'file://localhost/secret/key',
  'file://127.0.0.1/secret/key',
  'file:/secret/key',
  'file:////secret//key',
  'file:///public/../secret/key',
  'file:///public/%2e%2e/secret/key',
  'file:///public/.%2E/secret/key',
  'file:///public/..%2fsecret%2fkey',
  'file:///public%2f..%2fsecret%2fkey',
  'file:///public/%252e%252e/secret/key',
  'file:///public\\..\\secret\\key',
  'file:///public/..;/secret/key',
  'file:///%73ecret/key',
  'file:///secret%2Fkey',
  'file:///secret/key?x=1',
  'file:///secret/key#x',
  ' file:///secret/key',
  'fi\tle:///sec\nret/key',
  'file:///secret/key\u0000',
];

interface Files {
  readonly server: Server;
  /** The paths that were read or watched, as a server that decodes, resolves and ignores hosts finds them. */
  readonly touched: string[];
  /** The URIs as they arrived. */
  readonly received: string[];
}

function fileServer(): Files {
  const touched: string[] = [];
  const received: string[] = [];
  const server = createServer({ name: 'files', version: '1', onError: () => undefined });
  server.resource('file:///public/note', { name: 'note' }, () => 'the note');
  const complete = {
    path: () => {
      touched.push('completed');
      return [];
    },
  };
  server.resource('file:///{+path}', { name: 'any', complete }, () => 'unused');
  server.resource(
    'file:///secret/{name}',
    { name: 'secrets', complete: { name: complete.path } },
    () => 'unused',
  );
  server.tool('open', {}, () => 'opened');
  server.tool('secret_tool', {}, () => 'opened the secret');
  const touch = (uri: unknown): string => {
    received.push(String(uri));
    let path = new URL(String(uri)).pathname;
    for (let round = 0; round < 2; round += 1) path = decodeURIComponent(path.replaceAll('%00', ''));
    const resolved = posix.resolve(path.replaceAll('\\', '/').replaceAll(/;[^/]*/g, ''));
    touched.push(resolved);
    return resolved;
  };
  server.use({ method: ['resources/read', 'resources/subscribe'] }, (call) => {
    const path = touch(call.params.uri);
    return call.method === 'resources/read'
      ? { contents: [{ uri: String(call.params.uri), text: `contents of ${path}` }] }
      : {};
  });
  server.use({ method: 'subscriptions/listen' }, (call, next) => {
    const { notifications } = call.params;
    if (
      typeof notifications === 'object' &&
      notifications !== null &&
      'resourceSubscriptions' in notifications
    )
      for (const uri of Array.isArray(notifications.resourceSubscriptions)
        ? notifications.resourceSubscriptions
        : [])
        touch(uri);
    return next();
  });
  onTestFinished(() => server.close({ drain: 0 }));
  return { server, touched, received };
}

type Policy = readonly [string, readonly (Layer | Middleware)[], { exclude?: string; include?: string }];
const POLICIES: readonly Policy[] = [
  ['hide', [{ resources: hide('file:///secret/*') }], {}],
  [
    'authorize',
    [authorize(({ kind, name }) => kind !== 'resource' || name.startsWith('file:///public/'))],
    {},
  ],
  ['authorize by what is forbidden', [authorize(({ name }) => !name.startsWith('file:///secret/'))], {}],
  ['exclude', [], { exclude: 'file:///secret/*' }],
  ['include', [], { include: 'file:///public/*' }],
];
const WAYS = POLICIES.flatMap((policy) =>
  (['memory', 'http'] as const).flatMap((way) =>
    ['2025-11-25', '2026-07-28'].map((revision) => [policy[0], way, revision, policy] as const),
  ),
);

async function front(
  files: Files,
  policy: Policy,
  way: 'memory' | 'http',
  revision: string,
): Promise<Client> {
  const built = createChain({ onError: () => undefined })
    .use(...policy[1])
    .to({ files: { server: files.server, ...policy[2] } });
  onTestFinished(() => built.close({ drain: 0 }));
  const client = await connect(way === 'memory' ? built : (await built.http()).url, {
    revisions: [revision],
  });
  onTestFinished(() => client.close());
  return client;
}

describe.each(WAYS)('%s on a chain over %s in %s', (_name, way, revision, policy) => {
  test('opens a forbidden resource in no spelling', async () => {
    const files = fileServer();
    const client = await front(files, policy, way, revision);
    await client.resources.templates();
    for (const uri of SPELLINGS) {
      await expect(client.request('resources/read', { uri }), uri).rejects.toThrow();
      if (revision === '2025-11-25')
        await expect(client.request('resources/subscribe', { uri }), uri).rejects.toThrow();
    }
    for (const uri of ['file:///secret/{name}', 'FILE:///secret/{name}', 'file:///%73ecret/{name}']) {
      const ref = { type: 'ref/resource', uri };
      const argument = { name: 'name', value: '' };
      await expect(client.request('completion/complete', { ref, argument }), uri).rejects.toThrow();
    }
    expect(files.touched).toEqual([]);
  });

  test('opens a permitted resource, and sends on what it judged', async () => {
    const files = fileServer();
    const client = await front(files, policy, way, revision);
    const answer = await client.request('resources/read', { uri: 'FILE:///public/x/../%6eote' });
    expect(JSON.stringify(answer)).toContain('contents of /public/note');
    expect(files.received).toEqual(['file:///public/note']);
  });
});

describe.each(['2025-11-25', '2026-07-28'])('a proxy without policies (%s)', (revision) => {
  test('passes every URI on as it was given', async () => {
    const files = fileServer();
    const client = await front(files, ['none', [], {}], 'http', revision);
    const uris = ['FILE:///public/../secret/key', 'file:///%73ecret/key', 'file:///A b', 'file:///é'];
    for (const uri of uris) await client.request('resources/read', { uri });
    expect(files.received).toEqual(uris);
  });
});

test('a policy sends on the spelling that the server itself listed', async () => {
  const server = createServer({ name: 's', version: '1' });
  server.resource('note://Ada/my%7enote', { name: 'n' }, () => 'mine');
  server.resource('note://Ada/hidden', { name: 'h' }, () => 'hidden');
  onTestFinished(() => server.close({ drain: 0 }));
  for (const [layers, rules] of [
    [[{ resources: hide('note://Ada/hid*') }], {}],
    [[], { exclude: 'note://Ada/hid*' }],
  ] as const) {
    const built = createChain()
      .use(...layers)
      .to({ s: { server, ...rules } });
    onTestFinished(() => built.close({ drain: 0 }));
    const client = await connect(built);
    onTestFinished(() => client.close());
    const [listed] = await client.resources.list();
    expect(listed?.uri).toBe('note://Ada/my%7enote');
    for (const uri of ['note://Ada/my%7enote', 'note://Ada/my~note', 'NOTE://Ada/./my~note'])
      expect((await client.resources.read(uri)).contents).toMatchObject([{ text: 'mine' }]);
    await expect(client.resources.read('note://Ada/%68idden')).rejects.toThrow();
  }
});

describe.each([
  ['hide', [{ tools: hide('secret_*') }], {}],
  ['authorize', [authorize(({ name }) => name !== 'secret_tool')], {}],
  ['exclude', [], { exclude: 'secret_*' }],
] as const)('%s', (_name, layers, rules) => {
  test('closes a tool to other spellings of its name and of the method', async () => {
    const called: string[] = [];
    const server = createServer({ name: 's', version: '1' });
    server.tool('secret_tool', {}, () => 'ran');
    // As lenient as servers get.
    server.use((call, next) => {
      if (call.method.trim().toLowerCase().replaceAll('/', '') !== 'toolscall') return next();
      called.push(String(call.params.name).trim().normalize('NFC'));
      return { content: [] };
    });
    onTestFinished(() => server.close({ drain: 0 }));
    const built = createChain({ onError: () => undefined })
      .use(...layers)
      .to({ s: { server, ...rules } });
    onTestFinished(() => built.close({ drain: 0 }));
    const client = await connect(built);
    onTestFinished(() => client.close());
    for (const name of [
      'secret_tool',
      ' secret_tool',
      'secret_tool\n',
      '\u200bsecret_tool',
      'secret_tool\u0000',
    ])
      await expect(client.request('tools/call', { name })).rejects.toThrow();
    for (const method of ['Tools/Call', 'tools/call ', '/tools/call', 'tools//call', '\ttools/call'])
      await expect(client.request(method, { name: 'secret_tool' })).rejects.toThrow();
    expect(called).toEqual([]);
  });
});
