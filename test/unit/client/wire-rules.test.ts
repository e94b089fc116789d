/** The rules of the wire for a client: ids, batches, malformed messages, and what it may send when. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import type { Observation } from '../../../src/middleware/observe.js';
import { handshakeServer, type ScriptedServer, turn } from '../../support/scripted-server.js';

const clients: Client[] = [];
const OLDEST = '2024-11-05';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  vi.useRealTimers();
});

async function open(server: ScriptedServer, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(server, { random: () => 0.5, ...options });
  clients.push(client);
  return client;
}

describe('messages', () => {
  it('ids are numbers that grow and are never used twice', async () => {
    const server = handshakeServer().on('tools/call', () => ({ content: [] }));
    const client = await open(server, { revisions: [OLDEST, '2025-11-25'] });
    for (let round = 0; round < 3; round += 1) await client.tools.call('x');
    const ids = server.received.flatMap(({ id }) => (typeof id === 'number' ? [id] : []));
    expect(ids).toHaveLength(4);
    expect(ids).toEqual([...ids].sort((one, other) => one - other));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('params without anything in them are {}', async () => {
    const server = handshakeServer().on('tools/list', () => ({ tools: [] }));
    const client = await open(server, { revisions: ['2025-11-25'] });
    await client.tools.list();
    expect(server.raw.at(-1)).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'tools/list',
      params: {},
    });
  });

  it('an answer has a result or an error: both are an invalid answer, neither is none at all', async () => {
    const server = handshakeServer();
    const client = await open(server);
    const both = expect(client.tools.call('x')).rejects.toMatchObject({ code: 'invalid_result' });
    const first = await server.next('tools/call');
    server.send({ jsonrpc: '2.0', id: first.id, result: {}, error: { code: 1, message: 'no' } });
    await both;
    const neither = client.tools.call('x');
    const second = await server.next('tools/call');
    server.send({ jsonrpc: '2.0', id: second.id });
    await turn();
    expect(client.stats).toMatchObject({ malformed: 2, waiting: 1 });
    server.answer(second, { content: [] });
    await neither;
  });

  it('an error has a number for a code, and a default text where it has none', async () => {
    const server = handshakeServer();
    const client = await open(server);
    const call = expect(client.tools.call('x')).rejects.toMatchObject({
      rpcCode: -32603,
      message: expect.stringMatching(/\w+/),
    });
    const { id } = await server.next('tools/call');
    server.send({ jsonrpc: '2.0', id, error: { code: -32603 } });
    await call;
  });

  it('an answer with an unknown id is dropped and counted', async () => {
    const server = handshakeServer().on('tools/call', () => ({ content: [] }));
    const faults: ClientFault[] = [];
    const client = await open(server, { onFault: (fault) => faults.push(fault) });
    server.send({ jsonrpc: '2.0', id: 'nobody', result: {} });
    await turn();
    expect(client.stats.unknown).toBe(1);
    expect(faults.map(({ kind }) => kind)).toEqual(['unexpected_answer']);
    await client.tools.call('x');
  });
});

describe('the life of a connection', () => {
  it('initialize carries protocolVersion, capabilities and clientInfo, and initialized follows it', async () => {
    const server = handshakeServer(OLDEST);
    const client = await open(server, { name: 'me', version: '9', revisions: [OLDEST], roots: [] });
    expect(server.all('initialize')[0]?.params).toEqual({
      protocolVersion: OLDEST,
      capabilities: { roots: { listChanged: true } },
      clientInfo: { name: 'me', version: '9' },
    });
    expect(server.methods()).toEqual(['initialize', 'notifications/initialized']);
    expect(client.server).toEqual({ name: 'scripted', version: '1' });
  });

  it('a version that was not asked for is a protocol error, and leads to backoff', async () => {
    const server = handshakeServer('2025-03-26');
    const client = await connect(server, { lazy: true, revisions: [OLDEST] });
    clients.push(client);
    await turn();
    expect(client.state).toBe('backoff');
    expect(client.error).toMatchObject({ code: 'no_common_revision' });
    expect(server.all('notifications/initialized')).toEqual([]);
  });

  it('a connection that the server closes leads to backoff and another attempt', async () => {
    const server = handshakeServer();
    const client = await open(server);
    await server.hangUp();
    await turn();
    expect(client.state).toBe('backoff');
    await vi.advanceTimersByTimeAsync(1_000);
    await client.whenReady();
    expect(server.connections).toBe(2);
  });

  it('shutdown sends no new requests, waits for answers under way, and closes', async () => {
    const server = handshakeServer();
    const client = await open(server);
    const call = client.tools.call('x');
    const request = await server.next('tools/call');
    const closing = client.close({ drain: 5_000 });
    expect(client.state).toBe('closing');
    await expect(client.tools.call('y')).rejects.toMatchObject({ code: 'connection_closed' });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(client.state).toBe('closing');
    server.answer(request, { content: [{ type: 'text', text: 'done' }] });
    expect((await call).content).toMatchObject([{ text: 'done' }]);
    await vi.advanceTimersByTimeAsync(10);
    await closing;
    expect(client.state).toBe('closed');
    expect(server.all('tools/call')).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('shutdown waits no longer than it was told, and not at all unless it was', async () => {
    const server = handshakeServer();
    for (const drainMs of [5_000, undefined]) {
      const client = await open(server);
      const call = expect(client.tools.call('x')).rejects.toMatchObject({ code: 'connection_closed' });
      await server.next('tools/call');
      const closing = client.close({ drain: drainMs });
      await vi.advanceTimersByTimeAsync(drainMs === undefined ? 0 : drainMs + 10);
      await closing;
      await call;
    }
  });

  it('ping is answered, and asked', async () => {
    const server = handshakeServer().on('ping', () => ({}));
    const client = await open(server);
    server.ask('p1', 'ping');
    await turn();
    expect(server.raw.at(-1)).toEqual({ jsonrpc: '2.0', id: 'p1', result: {} });
    await client.ping();
    expect(server.all('ping')).toHaveLength(1);
  });
});

describe('capabilities', () => {
  it.each<[string, JsonObject]>([
    ['no capability', {}],
    ['one that nobody knows', { experimental: { customFeature: {} }, futuristic: { deep: [1] } }],
  ])('a server needs none: %s will do', async (_what, capabilities) => {
    const client = await open(handshakeServer(OLDEST, capabilities), { revisions: [OLDEST] });
    expect(client.capabilities).toEqual(capabilities);
  });

  it('what is no map counts as none', async () => {
    const server = handshakeServer().on('initialize', () => ({
      protocolVersion: '2025-11-25',
      capabilities: 'all of them',
    }));
    const client = await open(server);
    expect(client.capabilities).toEqual({});
    await expect(client.tools.list()).rejects.toMatchObject({ code: 'not_supported' });
  });

  it('resources.subscribe is looked at for itself', async () => {
    const server = handshakeServer('2025-11-25', { resources: {} });
    const client = await open(server);
    await expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject({
      code: 'not_supported',
    });
    expect(server.all('resources/subscribe')).toEqual([]);
  });
});

describe('methods', () => {
  type Case = readonly [
    method: string,
    params: JsonObject,
    result: JsonObject,
    run: (client: Client) => unknown,
  ];
  const CASES: readonly Case[] = [
    ['tools/list', {}, { tools: [] }, (client) => client.tools.list()],
    [
      'tools/call',
      { name: 't', arguments: { a: 1 } },
      { content: [] },
      (client) => client.tools.call('t', { a: 1 }),
    ],
    ['resources/list', {}, { resources: [] }, (client) => client.resources.list()],
    [
      'resources/templates/list',
      {},
      { resourceTemplates: [] },
      (client) => client.resources.templates().list(),
    ],
    ['resources/read', { uri: 'a:b' }, { contents: [] }, (client) => client.resources.read('a:b')],
    ['resources/subscribe', { uri: 'a:b' }, {}, (client) => client.resources.subscribe('a:b', () => {})],
    ['prompts/list', {}, { prompts: [] }, (client) => client.prompts.list()],
    [
      'prompts/get',
      { name: 'p', arguments: { a: '1' } },
      { messages: [] },
      (client) => client.prompts.get('p', { a: '1' }),
    ],
    ['logging/setLevel', { level: 'error' }, {}, (client) => client.logging.setLevel('error')],
  ];

  it.each(CASES)('%s is sent as it is specified', async (method, params, result, run) => {
    const server = handshakeServer(OLDEST).on(method, () => result);
    const client = await open(server, { revisions: [OLDEST] });
    await run(client);
    expect(server.all(method).map((message) => message.params)).toEqual([params]);
  });

  it('resources/unsubscribe is sent when nobody listens any more', async () => {
    const server = handshakeServer(OLDEST)
      .on('resources/subscribe', () => ({}))
      .on('resources/unsubscribe', () => ({}));
    const client = await open(server, { revisions: [OLDEST] });
    const subscription = await client.resources.subscribe('a:b', () => {});
    await subscription.close();
    expect(server.all('resources/unsubscribe').map(({ params }) => params)).toEqual([{ uri: 'a:b' }]);
  });

  it('progress is asked for with a token, and told to who asked', async () => {
    const server = handshakeServer();
    const client = await open(server);
    const progress: unknown[] = [];
    const call = client.tools.call('x', {}, { onProgress: (params) => progress.push(params) });
    const request = await server.next('tools/call');
    const { progressToken } = request.params._meta as { progressToken: unknown };
    server.notify('notifications/progress', { progressToken, progress: 0.5, total: 1 });
    await turn();
    server.answer(request, { content: [] });
    await call;
    server.notify('notifications/progress', { progressToken, progress: 1 });
    await turn();
    expect(progress).toEqual([{ progressToken, progress: 0.5, total: 1 }]);
  });

  it('a cancellation names the request and a reason, and an answer that still comes reaches nobody', async () => {
    const server = handshakeServer();
    const client = await open(server);
    const controller = new AbortController();
    const call = expect(client.tools.call('x', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
    });
    const request = await server.next('tools/call');
    controller.abort();
    await call;
    await turn();
    expect(server.all('notifications/cancelled').map(({ params }) => params)).toEqual([
      { requestId: request.id, reason: expect.any(String) },
    ]);
    server.answer(request, { content: [] });
    await turn();
    expect(client.stats).toMatchObject({ late: 1, unknown: 0, duplicate: 0 });
  });

  it('every notification of the server has its event', async () => {
    const server = handshakeServer().on('resources/subscribe', () => ({}));
    const client = await open(server);
    const heard: string[] = [];
    client.on('toolsChanged', () => heard.push('tools'));
    client.on('promptsChanged', () => heard.push('prompts'));
    client.on('resourcesChanged', () => heard.push('resources'));
    client.on('resourceUpdated', ({ uri }) => heard.push(uri));
    client.on('log', ({ level, data }) => heard.push(`${level} ${String(data)}`));
    server.notify('notifications/tools/list_changed');
    server.notify('notifications/prompts/list_changed');
    server.notify('notifications/resources/list_changed');
    server.notify('notifications/resources/updated', { uri: 'a:b' });
    server.notify('notifications/message', { level: 'info', logger: 'db', data: 'connected' });
    await turn();
    expect(heard).toEqual(['tools', 'prompts', 'resources', 'a:b', 'info connected']);
  });

  it('content is text, an image or a resource, which may lie flat', async () => {
    const content = [
      { type: 'text', text: 'a' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'resource', uri: 'a:b', mimeType: 'text/plain', text: 'c' },
    ];
    const server = handshakeServer(OLDEST).on('tools/call', () => ({ content }));
    const client = await open(server, { revisions: [OLDEST] });
    expect((await client.tools.call('x')).content).toEqual([
      content[0],
      content[1],
      { type: 'resource', resource: { uri: 'a:b', mimeType: 'text/plain', text: 'c' } },
    ]);
  });
});

it('telemetry tells of requests, connection transitions, retries, unknown responses and violations', async () => {
  const seen: Observation[] = [];
  const server = handshakeServer().on('tools/call', ({ name }) =>
    name === 'a' ? { content: [] } : undefined,
  );
  const client = await open(server, { observe: (observation) => seen.push(observation) });
  await client.tools.call('a');
  const again = client.tools.call('b', {}, { retry: true });
  await server.next('tools/call');
  server.send('no JSON-RPC');
  server.send({ jsonrpc: '2.0', id: 'nobody', result: {} });
  await turn();
  await server.hangUp();
  await turn();
  await vi.advanceTimersByTimeAsync(1_000);
  await client.whenReady();
  const last = server.all('tools/call').at(-1);
  if (last !== undefined) server.answer(last, { content: [] });
  await again;
  const kinds = new Set(seen.map(({ type }) => type));
  expect(kinds).toEqual(new Set(['request', 'state', 'retry', 'unknown_response', 'violation']));
});
