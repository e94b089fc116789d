/** What a client does when its server goes away and comes back, against a server by script. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type Client, type ConnectOptions, connect, mayHaveActed } from '../../../src/client/index.js';
import {
  handshakeServer,
  type ScriptedServer,
  statelessServer,
  turn,
} from '../../support/scripted-server.js';

const TOOLS = {
  tools: [
    { name: 'read', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } },
    { name: 'put', inputSchema: { type: 'object' }, annotations: { idempotentHint: true } },
    { name: 'add', inputSchema: { type: 'object' } },
  ],
};
const ERAS = [
  ['handshake', handshakeServer],
  ['stateless', statelessServer],
] as const;

const clients: Client[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});

async function open(server: ScriptedServer, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(server, { random: () => 0.5, ...options });
  clients.push(client);
  return client;
}

function states(client: Client): string[] {
  const seen: string[] = [];
  client.on('state', ({ state }) => seen.push(state));
  return seen;
}

/** Lets the time of the first backoff pass. */
async function comeBack(): Promise<void> {
  await turn();
  await vi.advanceTimersByTimeAsync(1_000);
  await turn();
}

describe.each(ERAS)('a lost connection to a %s server', (_era, create) => {
  it('is opened again after the backoff, and calls go out again', async () => {
    const server = create().on('tools/call', () => ({ content: [] }));
    const client = await open(server);
    const seen = states(client);
    await server.hangUp();
    await turn();
    expect(client.state).toBe('backoff');
    await comeBack();
    expect(seen).toEqual(['backoff', 'starting', 'initializing', 'ready']);
    expect(server.connections).toBe(2);
    await client.tools.call('x');
  });

  it('never uses a request id twice', async () => {
    const server = create().on('tools/call', () => ({ content: [] }));
    const client = await open(server);
    for (let round = 0; round < 3; round += 1) {
      await client.tools.call('x');
      await server.hangUp();
      await comeBack();
    }
    const ids = server.received.flatMap(({ id }) => (id === undefined ? [] : [id]));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('fails a call under way, and says that the server may have acted', async () => {
    const server = create();
    const client = await open(server);
    const call = client.tools.call('add');
    const failure = call.catch((error: unknown) => error);
    await server.next('tools/call');
    await server.hangUp();
    const error = await failure;
    expect(error).toMatchObject({ code: 'connection_closed', mayHaveActed: true });
    expect(mayHaveActed(error)).toBe(true);
    await comeBack();
    expect(server.all('tools/call')).toHaveLength(1);
  });

  it.each([
    ['a tool that is read-only', (client: Client) => client.tools.call('read'), 'tools/call'],
    ['a tool that is idempotent', (client: Client) => client.tools.call('put'), 'tools/call'],
    [
      'a tool that the caller lets repeat',
      (client: Client) => client.tools.call('add', {}, { retry: true }),
      'tools/call',
    ],
    ['a read', (client: Client) => client.resources.read('a:b'), 'resources/read'],
    ['a list', (client: Client) => client.prompts.list(), 'prompts/list'],
  ] as const)('sends %s again on the new connection', async (_what, act, method) => {
    const server = create().on('tools/list', () => TOOLS);
    const client = await open(server);
    await client.tools.list();
    const call = act(client);
    const first = await server.next(method);
    await server.hangUp();
    await comeBack();
    const second = await server.next(method);
    const { _meta: _, ...params } = first.params;
    expect(second.params).toMatchObject(params);
    expect(second.id).not.toBe(first.id);
    server.answer(second, { content: [], contents: [], prompts: [] });
    await call;
  });

  it('does not send again what the caller forbids, and a call that kills the server only once more', async () => {
    const server = create().on('tools/list', () => TOOLS);
    const client = await open(server);
    await client.tools.list();
    const forbidden = expect(client.tools.call('read', {}, { retry: false })).rejects.toMatchObject({
      code: 'connection_closed',
    });
    await server.next('tools/call');
    await server.hangUp();
    await forbidden;
    await comeBack();
    await client.tools.list();
    const deadly = expect(client.tools.call('read')).rejects.toMatchObject({ mayHaveActed: true });
    for (let round = 0; round < 2; round += 1) {
      await server.next('tools/call');
      await server.hangUp();
      await comeBack();
    }
    await deadly;
    expect(server.all('tools/call')).toHaveLength(3);
  });

  it('fails calls at once while it is away, with a state error', async () => {
    const server = create();
    const client = await open(server);
    await server.hangUp();
    await turn();
    const refused = { code: 'state', state: 'backoff', mayHaveActed: false };
    await expect(client.tools.call('x')).rejects.toMatchObject(refused);
    await expect(client.tools.list()).rejects.toMatchObject(refused);
    await expect(client.ping()).rejects.toMatchObject(refused);
    await expect(client.notify('x/y')).rejects.toMatchObject(refused);
    await expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject(refused);
    await expect(client.logging.setLevel('info')).rejects.toMatchObject(refused);
    await expect(client.request('x/y')).rejects.toMatchObject(refused);
    expect(client.server).toMatchObject({ name: 'scripted' });
  });

  it('lets calls wait where that is wanted, bounded in time and number', async () => {
    const server = create().on('tools/call', () => ({ content: [] }));
    const client = await open(server, { whenNotReady: 'wait', maxWaiting: 2 });
    await server.hangUp();
    await turn();
    const waiting = client.tools.call('a');
    const late = expect(client.tools.call('b', {}, { timeout: 500 })).rejects.toMatchObject({
      code: 'state',
    });
    await expect(client.tools.call('c')).rejects.toThrow(/2 calls wait already; raise maxWaiting/);
    await expect(client.tools.call('d', {}, { whenNotReady: 'fail' })).rejects.toMatchObject({
      code: 'state',
    });
    await vi.advanceTimersByTimeAsync(500);
    await late;
    await vi.advanceTimersByTimeAsync(500);
    await waiting;
    expect(server.all('tools/call').map(({ params }) => params.name)).toEqual(['a']);
  });

  it('gives up a waiting call when its caller does', async () => {
    const server = create();
    const client = await open(server, { whenNotReady: 'wait' });
    await server.hangUp();
    await turn();
    const controller = new AbortController();
    const call = expect(client.tools.call('a', {}, { signal: controller.signal })).rejects.toMatchObject({
      code: 'cancelled',
      cause: 'enough',
      mayHaveActed: false,
    });
    controller.abort('enough');
    await call;
  });

  it('rejects with its caller’s reason a call that was lost and waits to be sent again', async () => {
    const server = create();
    const client = await open(server);
    const controller = new AbortController();
    const { signal } = controller;
    const call = client.tools.call('a', {}, { signal, retry: true });
    const failure = expect(call).rejects.toMatchObject({
      code: 'cancelled',
      cause: 'enough',
      mayHaveActed: true,
    });
    await server.next('tools/call');
    await server.hangUp();
    await turn();
    controller.abort('enough');
    await failure;
  });

  it('reads capabilities anew, and re-establishes subscriptions and the log level', async () => {
    const server = create()
      .on('resources/subscribe', () => ({}))
      .on('logging/setLevel', () => ({}))
      .on('subscriptions/listen', (params, { id }) => {
        const meta = { 'io.modelcontextprotocol/subscriptionId': id };
        server.notify('notifications/subscriptions/acknowledged', { ...params, _meta: meta });
        return undefined;
      });
    const client = await open(server, { logLevel: 'warning' });
    const updates: string[] = [];
    await client.resources.subscribe('a:b', ({ uri }) => updates.push(uri));
    const wanting = server.received.filter(({ method }) => isWanting(method)).length;
    const capabilities = { resources: { subscribe: true }, logging: {}, completions: {} };
    redeclare(server, capabilities);
    await server.hangUp();
    await comeBack();
    expect(client.capabilities).toEqual(capabilities);
    expect(client.capabilities.tools).toBeUndefined();
    expect(server.received.filter(({ method }) => isWanting(method))).toHaveLength(wanting * 2);
    // Whatever happened in between, nobody told us.
    expect(updates).toEqual(['a:b']);
  });

  it('invalidates results and schemas, and tells listeners', async () => {
    const list = {
      tools: [
        { name: 'x', inputSchema: { type: 'object' }, outputSchema: { type: 'object', required: ['a'] } },
      ],
      ttlMs: 60_000,
      cacheScope: 'private',
    };
    const server = create()
      .on('tools/list', () => list)
      .on('tools/call', () => ({ content: [], structuredContent: {} }))
      .on('subscriptions/listen', (params, { id }) => {
        const meta = { 'io.modelcontextprotocol/subscriptionId': id };
        server.notify('notifications/subscriptions/acknowledged', { ...params, _meta: meta });
        return undefined;
      });
    const client = await open(server);
    let told = 0;
    client.on('toolsChanged', () => {
      told += 1;
    });
    await client.tools.list();
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'invalid_result' });
    await server.hangUp();
    await comeBack();
    expect(told).toBe(1);
    await client.tools.call('x');
    const before = server.all('tools/list').length;
    await client.tools.list();
    expect(server.all('tools/list')).toHaveLength(before + 1);
  });

  it('is the end where recovery is off', async () => {
    const server = create();
    const client = await open(server, { recover: false });
    const closes: string[] = [];
    client.on('close', ({ kind }) => closes.push(kind));
    await server.hangUp();
    await turn();
    expect(client.state).toBe('closed');
    expect(closes).toEqual(['remote']);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'connection_closed' });
    expect(server.connections).toBe(1);
  });

  it('stops trying after as many attempts as it was told', async () => {
    const server = create();
    const client = await open(server, { recover: { maxRetries: 2 }, initTimeout: 100, probeTimeout: 50 });
    const waiting = client.whenReady().catch((error: unknown) => error);
    server.on('server/discover', () => undefined).on('initialize', () => undefined);
    await server.hangUp();
    await turn();
    const given = expect(client.whenReady()).rejects.toMatchObject({ code: 'connection_closed' });
    await vi.advanceTimersByTimeAsync(10_000);
    await given;
    expect(await waiting).toBeUndefined();
    expect(client.state).toBe('closed');
    expect(server.connections).toBe(3);
  });
});

function isWanting(method: string | undefined): boolean {
  return (
    method === 'resources/subscribe' || method === 'logging/setLevel' || method === 'subscriptions/listen'
  );
}

function redeclare(server: ScriptedServer, capabilities: Record<string, unknown>): void {
  server.on('initialize', (params) => ({
    protocolVersion: params.protocolVersion,
    capabilities,
    serverInfo: { name: 'scripted', version: '2' },
  }));
  if (server.all('initialize').length > 0) return;
  server.on('server/discover', () => ({ supportedVersions: ['2026-07-28'], capabilities }));
}

describe('a server that hangs', () => {
  it('is found out by a call that times out and a ping that nobody answers', async () => {
    const server = handshakeServer();
    const client = await open(server, { timeout: 1_000 });
    const seen: unknown[] = [];
    client.on('state', ({ state, error }) => state === 'backoff' && seen.push(error));
    const call = expect(client.tools.call('x')).rejects.toMatchObject({
      code: 'timeout',
      mayHaveActed: true,
    });
    await vi.advanceTimersByTimeAsync(1_000);
    await call;
    expect(server.all('ping')).toHaveLength(1);
    expect(client.state).toBe('ready');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(String(seen[0])).toMatch(/does not answer: ping was not answered within 10000 ms/);
    await comeBack();
    expect(client.state).toBe('ready');
    expect(server.connections).toBe(2);
  });

  it('is left alone when it answers the ping, or another call still has time', async () => {
    const server = handshakeServer().on('ping', () => ({}));
    const client = await open(server, { timeout: 1_000 });
    const call = expect(client.tools.call('x')).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(20_000);
    await call;
    expect(client.state).toBe('ready');
    server.on('ping', () => undefined);
    const patient = client.tools.call('patient', {}, { timeout: 60_000 });
    const hasty = expect(client.tools.call('hasty')).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(30_000);
    await hasty;
    expect(server.all('ping')).toHaveLength(1);
    const request = server.all('tools/call').find(({ params }) => params.name === 'patient');
    if (request !== undefined) server.answer(request, { content: [] });
    await patient;
  });
});

describe('keep-alive', () => {
  it.each([
    ['ping', handshakeServer],
    ['server/discover', statelessServer],
  ] as const)('asks an idle connection by %s, and not one that says something', async (method, create) => {
    const server = create().on('ping', () => ({}));
    const client = await open(server, { keepAlive: 5_000 });
    const before = server.all(method).length;
    await vi.advanceTimersByTimeAsync(4_000);
    server.notify('notifications/message', { level: 'info', data: 1 });
    await turn();
    await vi.advanceTimersByTimeAsync(1_000);
    expect(server.all(method)).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(server.all(method)).toHaveLength(before + 1);
    expect(client.state).toBe('ready');
  });

  it('takes a connection that does not answer for lost', async () => {
    const server = handshakeServer();
    const client = await open(server, { keepAlive: { interval: 5_000, timeout: 1_000 } });
    await vi.advanceTimersByTimeAsync(6_000);
    expect(client.state).toBe('backoff');
    await comeBack();
    expect(client.state).toBe('ready');
    expect(server.connections).toBe(2);
  });

  it('is off unless asked for', async () => {
    const server = handshakeServer();
    await open(server);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(server.all('ping')).toEqual([]);
  });
});

describe('the first connection', () => {
  it('has to succeed, and what it fails with is what connect rejects with', async () => {
    const server = handshakeServer().on('initialize', () => undefined);
    const failure = expect(open(server)).rejects.toMatchObject({ code: 'handshake_failed' });
    await vi.advanceTimersByTimeAsync(70_000);
    await failure;
    expect(server.connections).toBe(1);
  });

  it('fails within initTimeout, however long the program takes to leave, and is not tried again before that', async () => {
    const server = handshakeServer().on('initialize', () => undefined);
    const left: (() => void)[] = [];
    const reluctant = {
      transport: () => {
        const transport = server.transport();
        const close = transport.close.bind(transport);
        const leaves = new Promise<void>((resolve) => left.push(resolve));
        transport.close = () => close().then(() => leaves);
        return transport;
      },
    };
    const failure = expect(connect(reluctant, { initTimeout: 1_500 })).rejects.toMatchObject({
      code: 'handshake_failed',
    });
    await vi.advanceTimersByTimeAsync(1_500);
    await failure;
    expect(left).toHaveLength(1);
    const client = await connect(reluctant, { initTimeout: 1_500, lazy: true, random: () => 0.5 });
    clients.push(client);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(left).toHaveLength(2);
    left[1]?.();
    await turn();
    expect(left).toHaveLength(3);
    for (const leave of left) leave();
    const closing = client.close();
    await turn();
    for (const leave of left) leave();
    await closing;
  });

  it('may come later where it is lazy', async () => {
    const server = handshakeServer().on('tools/call', () => ({ content: [] }));
    const transport = server.transport.bind(server);
    let attempts = 0;
    const target = {
      transport: () => {
        attempts += 1;
        if (attempts < 3) throw new Error('not yet');
        return transport();
      },
    };
    const client = await connect(target, { lazy: true, whenNotReady: 'wait', random: () => 0.5 });
    clients.push(client);
    expect(client.state).toBe('starting');
    const call = client.tools.call('x');
    await vi.advanceTimersByTimeAsync(1_000 + 2_000);
    await call;
    expect(attempts).toBe(3);
  });

  it('can be hurried', async () => {
    const server = handshakeServer();
    const client = await open(server);
    await server.hangUp();
    await turn();
    client.reconnect();
    await client.whenReady();
    expect(client.state).toBe('ready');
  });

  it('is ended by close, whatever it is doing', async () => {
    const server = handshakeServer().on('initialize', () => undefined);
    const client = await connect(server, { lazy: true });
    await turn();
    expect(client.state).toBe('initializing');
    await client.close();
    expect(client.state).toBe('closed');
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'connection_closed' });
    await expect(client.whenReady()).rejects.toMatchObject({ code: 'connection_closed' });
  });

  it('may be closed by its own listener', async () => {
    const server = handshakeServer();
    const client = await open(server);
    let closed: Promise<void> | undefined;
    client.on('state', () => {
      closed ??= client.close();
    });
    await server.hangUp();
    await turn();
    await closed;
    expect(client.state).toBe('closed');
  });
});
