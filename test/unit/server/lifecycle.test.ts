import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { createServer, type Server, type ServerOptions } from '../../../src/server/index.js';
import {
  envelope,
  HANDSHAKE_VERSIONS,
  openOn,
  openRevision,
  textOf,
  VERSIONS,
  WirePeer,
} from '../../support/wire-peer.js';

function demo(options: Partial<ServerOptions> = {}): Server {
  const server = createServer({
    name: 'demo',
    version: '1.2',
    title: 'Demo',
    instructions: 'Be nice',
    ...options,
  });
  server.tool(
    'echo',
    { input: { type: 'object', properties: { text: { type: 'string' } } } },
    ({ text }) => text ?? '',
  );
  server.tool('who', {}, (_args, ctx) => JSON.stringify(ctx.caller));
  return server;
}

const initialize = (protocolVersion: unknown, rest: JsonObject = {}): JsonObject => ({
  protocolVersion,
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
  ...rest,
});

describe('initialize', () => {
  test.each(HANDSHAKE_VERSIONS)('agrees on %s when it is asked for', async (version) => {
    const { opening } = await openRevision(demo(), version);
    expect(opening.result).toMatchObject({
      protocolVersion: version,
      serverInfo: { name: 'demo', version: '1.2' },
      instructions: 'Be nice',
      capabilities: { tools: { listChanged: true }, logging: {} },
    });
    expect(opening.result).not.toHaveProperty('resultType');
  });

  test.each(['1999-01-01', '2099-01-01', '2026-07-28', 'latest', ''])(
    'offers its newest revision to a client that asks for %j',
    async (version) => {
      const peer = await WirePeer.connect(demo());
      expect((await peer.request('initialize', initialize(version))).result?.protocolVersion).toBe(
        '2025-11-25',
      );
    },
  );

  test('offers the newest of those that it was narrowed to', async () => {
    const peer = await WirePeer.connect(demo({ revisions: ['2024-11-05', '2025-03-26'] }));
    const answer = await peer.request('initialize', initialize('2025-06-18'));
    expect(answer.result?.protocolVersion).toBe('2025-03-26');
  });

  test.each([undefined, 5, null, ['2025-06-18']])(
    'needs a version that is a string, not %j',
    async (version) => {
      const peer = await WirePeer.connect(demo());
      expect((await peer.request('initialize', initialize(version))).error?.code).toBe(-32602);
      expect((await peer.request('initialize', initialize('2025-06-18'))).result).toBeDefined();
    },
  );

  test('forgives a client that says nothing of itself', async () => {
    const peer = await WirePeer.connect(demo());
    await peer.request('initialize', { protocolVersion: '2025-06-18' });
    const answer = await peer.request('tools/call', { name: 'who' });
    expect(JSON.parse(textOf(answer.result ?? {}))).toEqual({ revision: '2025-06-18', capabilities: {} });
  });

  test('junk for capabilities is no capability', async () => {
    for (const capabilities of [[], 'all', 5, null]) {
      const peer = await WirePeer.connect(demo());
      const opened = await peer.request('initialize', initialize('2025-06-18', { capabilities }));
      expect(opened.result).toBeDefined();
    }
  });

  test('a second time is refused, and the session goes on', async () => {
    const peer = await openRevision(demo(), '2025-03-26');
    const error = await peer.refusal('initialize', initialize('2025-06-18'));
    expect(error.code).toBe(-32600);
    expect(JSON.parse(textOf(await peer.tool('who'))).revision).toBe('2025-03-26');
  });

  test('to a server of the stateless revision alone names what it speaks', async () => {
    const peer = await WirePeer.connect(demo({ revisions: ['2026-07-28'] }));
    expect((await peer.request('initialize', initialize('2025-11-25'))).error).toMatchObject({
      code: -32022,
      data: { supported: ['2026-07-28'], requested: '2025-11-25' },
    });
  });
});

describe('before initialize', () => {
  test('ping is answered and other requests are refused, with their ids', async () => {
    const peer = await WirePeer.connect(demo());
    expect(await peer.request('ping', undefined, 'p')).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
    for (const method of ['tools/list', 'tools/call', 'resources/subscribe', 'logging/setLevel']) {
      const answer = await peer.request(method, {}, `id-${method}`);
      expect(answer).toMatchObject({
        id: `id-${method}`,
        error: { code: -32600, message: expect.stringMatching(/initialize/) },
      });
    }
    expect((await peer.request('no/such')).error?.code).toBe(-32601);
    expect((await peer.request('initialize', initialize('2025-06-18'))).result).toBeDefined();
  });

  test('notifications are ignored', async () => {
    const peer = await WirePeer.connect(demo());
    peer.notify('notifications/initialized');
    peer.notify('notifications/cancelled', { requestId: 1 });
    peer.notify('made/up', {});
    await peer.quiet();
    expect(peer.received).toHaveLength(1); // the answer to quiet itself
  });
});

describe('lenient input', () => {
  test.each(['notifications/initialized', 'initialized'])('%s makes the session ready', async (method) => {
    const server = demo();
    const peer = await openRevision(server, '2025-06-18', { initialized: false });
    server.tool('early', {}, () => '');
    await Promise.resolve();
    peer.wire.notify(method);
    expect(await peer.wire.request('ping')).toMatchObject({ result: {} });
    server.tool('late', {}, () => '');
    await peer.wire.notification('notifications/tools/list_changed');
    expect(peer.wire.all('notifications/tools/list_changed')).toHaveLength(1);
  });

  test('a client that never says so is ready with its first request, though not with a ping', async () => {
    const server = demo();
    const peer = await openRevision(server, '2025-06-18', { initialized: false });
    await peer.call('ping');
    server.tool('one', {}, () => '');
    await peer.call('ping');
    expect(peer.wire.all('notifications/tools/list_changed')).toEqual([]);
    await peer.call('tools/list');
    server.tool('two', {}, () => '');
    await peer.wire.notification('notifications/tools/list_changed');
  });

  test('unknown notifications and fields are tolerated', async () => {
    const peer = await openRevision(demo(), '2025-11-25');
    peer.wire.notify('notifications/made/up', { a: 1 });
    const result = await peer.call('tools/call', {
      name: 'echo',
      arguments: { text: 'x' },
      extra: true,
      _meta: { a: 1 },
    });
    expect(textOf(result)).toBe('x');
    expect(peer.wire.received.filter(({ error }) => error !== undefined)).toEqual([]);
  });

  test('answers to questions that nobody asked are ignored', async () => {
    const peer = await openRevision(demo(), '2025-11-25');
    for (const junk of [
      { jsonrpc: '2.0', id: 99, result: {} },
      { jsonrpc: '2.0', id: 1, result: {} },
      { jsonrpc: '2.0', id: 99, error: { code: 1, message: '' } },
      { jsonrpc: '2.0', error: { code: 1, message: '' } },
      { jsonrpc: '2.0', id: 99, result: 5 },
    ]) {
      peer.wire.send(junk);
    }
    await peer.quiet();
    expect(peer.wire.received).toHaveLength(2);
  });
});

describe('a stateless request', () => {
  const discover = 'server/discover';

  test('discovers the server without any opening', async () => {
    const { opening } = await openRevision(demo(), '2026-07-28');
    expect(opening.result).toEqual({
      resultType: 'complete',
      supportedVersions: [...VERSIONS].reverse(),
      capabilities: { tools: { listChanged: true }, logging: {} },
      instructions: 'Be nice',
      ttlMs: 60_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'demo', version: '1.2', title: 'Demo' } },
    });
  });

  test.each([
    ['no params', undefined],
    ['no _meta', {}],
    ['an empty _meta', { _meta: {} }],
    ['a _meta that is a string', { _meta: 'x' }],
    ['no capabilities', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } }],
    [
      'capabilities that are no object',
      {
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': true,
        },
      },
    ],
    [
      'a version that is no string',
      { _meta: { ...envelope(), 'io.modelcontextprotocol/protocolVersion': 5 } },
    ],
  ])('with %s is refused, with its id', async (_name, params) => {
    const peer = await WirePeer.connect(demo());
    expect(await peer.request(discover, params, 'x')).toMatchObject({ id: 'x', error: { code: -32602 } });
    const modern = await WirePeer.connect(demo({ revisions: ['2026-07-28'] }));
    expect((await modern.request('tools/list', params)).error?.code).toBe(-32602);
  });

  test('without a version, but otherwise written in the stateless way, is told so instead of to initialize', async () => {
    const peer = await WirePeer.connect(demo());
    const { 'io.modelcontextprotocol/protocolVersion': _, ...meta } = envelope();
    expect((await peer.request('tools/list', { _meta: meta })).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('protocolVersion'),
    });
  });

  test.each(['v999', '2025-06-18', '1999-01-01', ''])(
    'in version %j is refused with those that work',
    async (version) => {
      const peer = await WirePeer.connect(demo());
      expect((await peer.request('tools/list', { _meta: envelope({}, version) })).error).toMatchObject({
        code: -32022,
        data: { supported: ['2026-07-28'], requested: version },
      });
    },
  );

  test('needs no client info, and takes none from other requests', async () => {
    const peer = await openRevision(demo(), '2026-07-28');
    const { 'io.modelcontextprotocol/clientInfo': _, ...meta } = envelope({ capabilities: { sampling: {} } });
    const answer = await peer.wire.request('tools/call', { name: 'who', _meta: meta });
    expect(JSON.parse(textOf(answer.result ?? {}))).toEqual({
      revision: '2026-07-28',
      capabilities: { sampling: {} },
    });
    const next = await peer.tool('who');
    expect(JSON.parse(textOf(next))).toEqual({
      revision: '2026-07-28',
      capabilities: {},
      client: { name: 'wire-peer', version: '1' },
    });
  });

  test.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
  ])('for %s finds no such method', async (method) => {
    const peer = await openRevision(demo(), '2026-07-28');
    expect((await peer.refusal(method, { level: 'info', uri: 'a:b' })).code).toBe(-32601);
  });

  test('has the server named on every result', async () => {
    const peer = await openRevision(demo(), '2026-07-28');
    for (const [method, params] of [
      ['tools/list', {}],
      ['tools/call', { name: 'who' }],
    ] as const) {
      expect(await peer.call(method, params)).toMatchObject({
        resultType: 'complete',
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'demo' } },
      });
    }
  });
});

describe('methods of another era', () => {
  test.each(['server/discover', 'subscriptions/listen'])('%s does not exist in a session', async (method) => {
    for (const version of HANDSHAKE_VERSIONS) {
      const peer = await openRevision(demo(), version);
      expect((await peer.refusal(method, { notifications: {} })).code).toBe(-32601);
    }
  });

  test('an envelope means nothing to a server of handshake revisions alone', async () => {
    const server = demo({ revisions: ['2025-06-18'] });
    const fresh = await WirePeer.connect(server);
    expect((await fresh.request('server/discover', { _meta: envelope() })).error?.code).toBe(-32601);
    const peer = await openRevision(server, '2025-06-18');
    expect(await peer.call('tools/list', { _meta: envelope() })).not.toHaveProperty('resultType');
  });
});

describe.each(HANDSHAKE_VERSIONS)('both eras on one connection (%s)', (version) => {
  test('stateless requests are served while a session is open, and neither sees the other', async () => {
    const wire = await WirePeer.connect(demo());
    const session = await openOn(wire, version, {
      capabilities: { roots: {} },
      clientInfo: { name: 'old', version: '1' },
    });
    const stateless = await openOn(wire, '2026-07-28', { capabilities: { sampling: {} } });
    const callers = await Promise.all(
      [session, stateless, session, stateless].map(async (peer) =>
        JSON.parse(textOf(await peer.tool('who'))),
      ),
    );
    expect(callers.map(({ revision }) => revision)).toEqual([version, '2026-07-28', version, '2026-07-28']);
    expect(callers.map(({ capabilities }) => capabilities)).toEqual([
      { roots: {} },
      { sampling: {} },
      { roots: {} },
      { sampling: {} },
    ]);
    expect(await session.call('tools/list')).not.toHaveProperty('resultType');
    expect(await stateless.call('tools/list')).toHaveProperty('resultType', 'complete');
    expect(await session.call('ping')).toEqual({});
    expect((await stateless.refusal('ping')).code).toBe(-32601);
  });

  test('a session can be opened after stateless requests', async () => {
    const wire = await WirePeer.connect(demo());
    await openOn(wire, '2026-07-28');
    const session = await openOn(wire, version);
    expect(session.opening.result?.protocolVersion).toBe(version);
  });
});

describe('ids', () => {
  test.each(VERSIONS)('come back in the type they had (%s)', async (version) => {
    const peer = await openRevision(demo(), version);
    for (const id of ['7', 7, '', 0, -3, 'ü"\n', 2 ** 53 - 1]) {
      expect((await peer.request('tools/list', {}, id)).id).toBe(id);
      expect((await peer.request('no/such', {}, id)).id).toBe(id);
    }
  });
});
