import { describe, expect, test } from 'vitest';
import type { RequestId } from '../../../src/jsonrpc/message.js';
import { Closing } from '../../../src/server/closing.js';
import type { CallContext } from '../../../src/server/context.js';
import { ChangeHub } from '../../../src/server/hub.js';
import { createServer, type Server, type ServerOptions } from '../../../src/server/index.js';
import { DEFAULT_LIMITS } from '../../../src/server/limits.js';
import { listen as serveListen } from '../../../src/server/subscriptions.js';
import {
  HANDSHAKE_VERSIONS,
  openOn,
  openRevision,
  type RevisionPeer,
  WirePeer,
} from '../../support/wire-peer.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

function stocked(options: Partial<ServerOptions> = {}): Server {
  const server = createServer({ name: 's', version: '1', ...options });
  server.tool('t', {}, () => 'x');
  server.prompt('p', {}, () => 'x');
  server.resource('test:a', {}, () => 'x');
  return server;
}

const everything = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['test:a'],
};

async function listen(peer: RevisionPeer, notifications: unknown, id?: RequestId): Promise<RequestId> {
  const listenId = peer.post('subscriptions/listen', { notifications }, id);
  const ack = await peer.wire.notification('notifications/subscriptions/acknowledged');
  expect(ack.params?._meta).toEqual({ [SUBSCRIPTION]: listenId });
  return listenId;
}

/** Methods and subscription ids of the changes that a peer got. */
const changes = (peer: RevisionPeer | WirePeer) =>
  (peer instanceof WirePeer ? peer : peer.wire).received
    .filter(({ method }) => method?.endsWith('list_changed') || method?.endsWith('updated'))
    .map(({ method, params }) => [
      method,
      (params?._meta as Record<string, unknown> | undefined)?.[SUBSCRIPTION],
    ]);

describe('listening in the stateless revision', () => {
  const open = (server: Server) => openRevision(server, '2026-07-28');

  test('is acknowledged with what the server honours', async () => {
    const peer = await open(stocked());
    const id = peer.post('subscriptions/listen', {
      notifications: { ...everything, taskIds: ['x'], other: true },
    });
    expect(await peer.wire.notification('notifications/subscriptions/acknowledged')).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/subscriptions/acknowledged',
      params: { _meta: { [SUBSCRIPTION]: id }, notifications: everything },
    });
  });

  test('is acknowledged before anything else, also when a change comes while middleware holds the acknowledgement', async () => {
    const server = stocked();
    server.use('notifications/subscriptions/acknowledged', async (_call, next) => {
      server.listChanged('tools');
      server.resourceUpdated('test:a');
      await new Promise((resolve) => setImmediate(resolve));
      return next();
    });
    const peer = await open(server);
    peer.post('subscriptions/listen', { notifications: everything });
    await peer.wire.notification('notifications/tools/list_changed');
    await peer.quiet();
    expect(peer.wire.received.flatMap(({ method }) => method ?? [])).toEqual([
      'notifications/subscriptions/acknowledged',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
  });

  test.each<[string, Partial<ServerOptions>, unknown, unknown]>([
    ['nothing asked', {}, {}, {}],
    ['false asked', {}, { toolsListChanged: false, promptsListChanged: 'yes' }, {}],
    [
      'no list changes declared',
      { capabilities: { tools: { listChanged: false } } },
      everything,
      { ...everything, toolsListChanged: undefined },
    ],
    [
      'no subscriptions declared',
      { capabilities: { resources: { subscribe: false } } },
      everything,
      { ...everything, resourceSubscriptions: undefined },
    ],
  ])('honours only what is both asked for and declared: %s', async (_name, options, asked, honoured) => {
    const peer = await open(stocked(options));
    peer.post('subscriptions/listen', { notifications: asked });
    const ack = await peer.wire.notification('notifications/subscriptions/acknowledged');
    expect(ack.params?.notifications).toEqual(JSON.parse(JSON.stringify(honoured)));
  });

  test('a server with nothing to tell acknowledges nothing', async () => {
    const peer = await open(createServer({ name: 's', version: '1' }));
    peer.post('subscriptions/listen', { notifications: everything });
    const ack = await peer.wire.notification('notifications/subscriptions/acknowledged');
    expect(ack.params?.notifications).toEqual({});
  });

  test.each([
    undefined,
    null,
    'all',
    [],
    { resourceSubscriptions: 'test:a' },
    { resourceSubscriptions: [5] },
  ])('a filter of %j is refused', async (notifications) => {
    const peer = await open(stocked());
    expect((await peer.refusal('subscriptions/listen', { notifications })).code).toBe(-32602);
    expect(peer.wire.all('notifications/subscriptions/acknowledged')).toEqual([]);
  });

  test('ten thousand resources are enough for one stream', async () => {
    const peer = await open(stocked());
    const resourceSubscriptions = Array.from({ length: 10_001 }, (_, index) => `test:${index}`);
    expect(
      (await peer.refusal('subscriptions/listen', { notifications: { resourceSubscriptions } })).code,
    ).toBe(-32602);
  });

  test('delivers what was asked for and nothing else', async () => {
    const server = stocked();
    const peer = await open(server);
    const id = await listen(peer, { promptsListChanged: true, resourceSubscriptions: ['test:a'] });
    server.listChanged('tools');
    server.listChanged('resources');
    server.listChanged('prompts');
    server.resourceUpdated('test:b');
    server.resourceUpdated('test:a');
    await peer.wire.notification('notifications/prompts/list_changed');
    await peer.quiet();
    expect(changes(peer).sort()).toEqual([
      ['notifications/prompts/list_changed', id],
      ['notifications/resources/updated', id],
    ]);
    expect(peer.wire.all('notifications/resources/updated')[0]?.params?.uri).toBe('test:a');
  });

  test('keeps the type of its id, and tells each of several streams', async () => {
    const server = stocked();
    const peer = await open(server);
    await listen(peer, { toolsListChanged: true }, 'five');
    await listen(peer, { toolsListChanged: true }, 5);
    await listen(peer, { toolsListChanged: true }, '5');
    await listen(peer, { promptsListChanged: true }, 6);
    server.tool('new', {}, () => '');
    await peer.quiet();
    expect(changes(peer)).toEqual([
      ['notifications/tools/list_changed', 'five'],
      ['notifications/tools/list_changed', 5],
      ['notifications/tools/list_changed', '5'],
    ]);
  });

  test('stops when the client cancels it, and no result follows', async () => {
    const server = stocked();
    const peer = await open(server);
    const [one, two] = [await listen(peer, everything, 'one'), await listen(peer, everything, 'two')];
    peer.wire.notify('notifications/cancelled', { requestId: one });
    await peer.quiet();
    server.listChanged('tools');
    server.resourceUpdated('test:a');
    await peer.quiet();
    expect(changes(peer).map(([, id]) => id)).toEqual([two, two]);
    expect(peer.wire.received.some(({ id }) => id === one)).toBe(false);
  });

  test('ends in an orderly way when the server closes: a result, and a cancellation for those who wait for that', async () => {
    const server = stocked();
    const peer = await open(server);
    const id = await listen(peer, everything, 'mine');
    await server.close();
    await peer.wire.closing;
    const last = peer.wire.received.slice(-2);
    expect(last[0]).toEqual({
      jsonrpc: '2.0',
      id,
      result: {
        resultType: 'complete',
        _meta: { [SUBSCRIPTION]: id, 'io.modelcontextprotocol/serverInfo': { name: 's', version: '1' } },
      },
    });
    expect(last[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  });

  test('leaves nothing behind when the connection goes', async () => {
    const server = stocked();
    const [gone, stays] = [await open(server), await open(server)];
    await listen(gone, everything);
    await listen(stays, everything);
    await gone.wire.close();
    await new Promise((resolve) => setImmediate(resolve));
    const before = gone.wire.received.length;
    server.listChanged('tools');
    await stays.wire.notification('notifications/tools/list_changed');
    expect(gone.wire.received.length).toBe(before);
    expect(server.stats.lost).toBe(0);
  });

  test('is the only way to hear of changes', async () => {
    const server = stocked();
    const peer = await open(server);
    await peer.call('tools/list');
    server.listChanged('tools');
    server.resourceUpdated('test:a');
    await peer.quiet();
    expect(changes(peer)).toEqual([]);
  });

  test('carries no log and no progress of other calls', async () => {
    const server = stocked();
    server.tool('noisy', {}, (_args, ctx) => {
      ctx.log('emergency', 'x');
      ctx.progress(1);
    });
    const peer = await openRevision(server, '2026-07-28', { logLevel: 'debug' });
    await listen(peer, everything);
    await peer.tool('noisy', {}, { _meta: { progressToken: 1 } });
    for (const method of ['notifications/message', 'notifications/progress']) {
      expect(peer.wire.all(method).map(({ params }) => params?._meta)).toEqual([undefined]);
    }
  });
});

describe.each(HANDSHAKE_VERSIONS)('changes in a session of %s', (version) => {
  test('of lists are told unasked, once for all changes of one moment', async () => {
    const server = stocked();
    const peer = await openRevision(server, version);
    await peer.call('ping');
    for (let index = 0; index < 5; index += 1) server.tool(`t${index}`, {}, () => '');
    server.prompt('q', {}, () => '').remove();
    server.resource('test:new', {}, () => '');
    server.resource('test:new/{x}', {}, () => '');
    await peer.quiet();
    expect(changes(peer)).toEqual([
      ['notifications/tools/list_changed', undefined],
      ['notifications/prompts/list_changed', undefined],
      ['notifications/resources/list_changed', undefined],
    ]);
    server.tool('again', {}, () => '');
    await peer.quiet();
    expect(changes(peer)).toHaveLength(4);
  });

  test('of lists are not told before the client is ready, nor without the capability', async () => {
    const server = stocked({ capabilities: { tools: { listChanged: false } } });
    const [unready, ready] = [
      await openRevision(server, version, { initialized: false }),
      await openRevision(server, version),
    ];
    await ready.call('ping');
    server.tool('new', {}, () => '');
    server.prompt('new', {}, () => '');
    await ready.wire.notification('notifications/prompts/list_changed');
    await ready.quiet();
    expect(changes(ready)).toHaveLength(1);
    expect(changes(unready)).toEqual([]);
  });

  test('of a capability that was not there at initialize are not told', async () => {
    const server = createServer({ name: 's', version: '1' });
    const peer = await openRevision(server, version);
    await peer.call('ping');
    server.tool('first', {}, () => '');
    await peer.quiet();
    expect(changes(peer)).toEqual([]);
    expect((await peer.call('tools/list')).tools).toHaveLength(1);
  });

  test('of resources are told to those who subscribed, until they unsubscribe', async () => {
    const server = stocked();
    const [one, other] = [await openRevision(server, version), await openRevision(server, version)];
    expect(await one.call('resources/subscribe', { uri: 'test:a' })).toEqual({});
    await one.call('resources/subscribe', { uri: 'test:a' });
    server.resourceUpdated('test:a');
    server.resourceUpdated('test:b');
    await one.quiet();
    expect(changes(one)).toEqual([['notifications/resources/updated', undefined]]);
    expect(one.wire.all('notifications/resources/updated')[0]?.params).toEqual({ uri: 'test:a' });
    expect(await one.call('resources/unsubscribe', { uri: 'test:a' })).toEqual({});
    expect(await one.call('resources/unsubscribe', { uri: 'test:never' })).toEqual({});
    server.resourceUpdated('test:a');
    await one.quiet();
    expect(changes(one)).toHaveLength(1);
    await other.quiet();
    expect(changes(other)).toEqual([]);
  });

  test('cannot be subscribed to without a URI, nor on a server that does not declare it', async () => {
    const peer = await openRevision(stocked(), version);
    for (const uri of [undefined, 5, null]) {
      expect((await peer.refusal('resources/subscribe', { uri })).code).toBe(-32602);
    }
    const without = await openRevision(
      stocked({ capabilities: { resources: { subscribe: false } } }),
      version,
    );
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) {
      expect((await without.refusal(method, { uri: 'test:a' })).code).toBe(-32601);
    }
  });

  test('reach a session and a listen stream on the same connection, each in its way', async () => {
    const server = stocked();
    const wire = await WirePeer.connect(server);
    await openOn(wire, version);
    const stateless = await openOn(wire, '2026-07-28');
    const id = await listen(stateless, { toolsListChanged: true });
    server.tool('new', {}, () => '');
    await wire.quiet();
    expect(changes(wire)).toEqual([
      ['notifications/tools/list_changed', undefined],
      ['notifications/tools/list_changed', id],
    ]);
  });
});

describe('a listen stream that has ended', () => {
  test('is forgotten, however it ended', async () => {
    const hub = new ChangeHub();
    const closing = new Closing();
    const cancel = new AbortController();
    const stream = (signal: AbortSignal) =>
      serveListen({ notifications: {} }, { id: 1, notify: () => {}, signal } as unknown as CallContext, {
        hub,
        closing,
        limits: DEFAULT_LIMITS,
        capabilities: () => ({}),
      });
    const streams = [stream(cancel.signal), stream(new AbortController().signal)];
    expect(hub.size).toBe(2);
    cancel.abort();
    await streams[0];
    expect(hub.size).toBe(1);
    closing.begin();
    await streams[1];
    expect(hub.size).toBe(0);
  });
});

describe('subscriptions of a session', () => {
  test('are bounded', async () => {
    const peer = await openRevision(stocked(), '2025-06-18');
    for (let index = 0; index < 1000; index += 1) peer.post('resources/subscribe', { uri: `test:${index}` });
    expect((await peer.refusal('resources/subscribe', { uri: 'test:one-more' })).code).toBe(-32602);
  });
});
