/** A client that lives for days: its defaults, and its rules for retries, late answers and lost servers. */

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  GIVEN_UP_MS,
  GIVEN_UP_SWEEP_MS,
  GivenUpRequests,
} from '../../../src/client/connection/given-up-requests.js';
import { BUSY_DELAY_MS, BUSY_JITTER, BUSY_RETRIES } from '../../../src/client/connection/link.js';
import { backoffDelay, DEFAULT_POLICY } from '../../../src/client/connection/machine.js';
import { CLIENT_ERROR_CODES } from '../../../src/client/errors.js';
import type { ClientFault } from '../../../src/client/events.js';
import { type Client, type ConnectOptions, classify, connect } from '../../../src/client/index.js';
import { resolveSettings } from '../../../src/client/options.js';
import type { FailureKind } from '../../../src/client/recovery/classify.js';
import { DEFAULT_MAX_LINE_BYTES } from '../../../src/framing/ndjson.js';
import { McpError, receivedError } from '../../../src/protocol/errors.js';
import { TransportError } from '../../../src/transports/errors.js';
import type { Receiver, Transport } from '../../../src/transports/transport.js';
import { fixture } from '../../support/processes.js';
import { handshakeServer, type ScriptedServer, turn } from '../../support/scripted-server.js';

const clients: Client[] = [];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  vi.useRealTimers();
});

async function open(server: ScriptedServer | Transport, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(server, { random: () => 0.5, ...options });
  clients.push(client);
  return client;
}

describe('defaults', () => {
  it('request timeout 30 s', async () => {
    const server = handshakeServer().on('ping', () => ({}));
    const client = await open(server);
    const call = expect(client.tools.call('x')).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(29_999);
    expect(client.stats.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await call;
  });

  it('init timeout 70 s', async () => {
    const server = handshakeServer().on('initialize', () => undefined);
    let over = false;
    const failure = expect(
      open(server).finally(() => {
        over = true;
      }),
    ).rejects.toThrow(/did not answer initialize within 70000 ms/);
    await vi.advanceTimersByTimeAsync(69_999);
    expect(over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await failure;
  });

  it('backoff 1 s doubling to 30 s', async () => {
    expect([0, 1, 2, 3, 4, 5, 6].map((retries) => backoffDelay(DEFAULT_POLICY, retries, 0.5))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ]);
    const server = handshakeServer();
    const client = await open(server, { initTimeout: 1, probeTimeout: 1 });
    const delays: (number | undefined)[] = [];
    client.on('state', ({ state, delayMs }) => state === 'backoff' && delays.push(delayMs));
    server.on('server/discover', () => undefined).on('initialize', () => undefined);
    await server.hangUp();
    await turn();
    await vi.advanceTimersByTimeAsync(65_000);
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  it('backoff jitter 20 %', () => {
    expect(backoffDelay(DEFAULT_POLICY, 0, 0)).toBe(800);
    expect(backoffDelay(DEFAULT_POLICY, 0, 1)).toBe(1_200);
    expect(backoffDelay(DEFAULT_POLICY, 9, 1)).toBe(30_000);
    expect(backoffDelay(DEFAULT_POLICY, 9, 0)).toBe(24_000);
  });

  it('backoff reset on success', async () => {
    const server = handshakeServer();
    const client = await open(server);
    const delays: (number | undefined)[] = [];
    client.on('state', ({ state, delayMs }) => state === 'backoff' && delays.push(delayMs));
    for (let round = 0; round < 3; round += 1) {
      await server.hangUp();
      await turn();
      await vi.advanceTimersByTimeAsync(1_000);
      await client.whenReady();
    }
    expect(delays).toEqual([1_000, 1_000, 1_000]);
  });

  it('max frame 16 MiB', async () => {
    const limit = 16 * 1024 * 1024;
    expect(resolveSettings({}).maxFrameBytes).toBe(limit);
    expect(DEFAULT_MAX_LINE_BYTES).toBe(limit);
    vi.useRealTimers();
    const faults: ClientFault[] = [];
    const target = { command: process.execPath, args: [fixture('unsteady')] };
    const client = await connect(target, {
      revisions: ['2025-11-25'],
      onFault: (fault) => faults.push(fault),
    });
    clients.push(client);
    await client.tools.call('flood', { length: limit - 100 });
    expect(faults).toEqual([]);
    await client.tools.call('flood', { length: limit });
    expect(faults.map(({ kind }) => kind)).toEqual(['oversize']);
    expect(client.state).toBe('ready');
  });

  it('busy-send retry 3 times at 10 ms with 50 % jitter', async () => {
    expect([BUSY_RETRIES, BUSY_DELAY_MS, BUSY_JITTER]).toEqual([3, 10, 0.5]);
    const chances = [0, 0.5, 1];
    const busy = new BusyTransport(3);
    const client = await open(busy, { revisions: ['2025-11-25'], random: () => chances.shift() ?? 0 });
    const sentAt: number[] = [];
    busy.onCall = () => sentAt.push(performance.now());
    const start = performance.now();
    const call = client.tools.call('x');
    await vi.advanceTimersByTimeAsync(100);
    await call;
    expect(sentAt.map((time) => time - start)).toEqual([0, 5, 15, 30]);
    busy.refusals = 4;
    const failure = expect(client.tools.call('x')).rejects.toMatchObject({
      code: 'queue_full',
      mayHaveActed: false,
    });
    await vi.advanceTimersByTimeAsync(100);
    await failure;
  });

  it('tombstones for 75 s, swept each 60 s', () => {
    expect([GIVEN_UP_MS, GIVEN_UP_SWEEP_MS]).toEqual([75_000, 60_000]);
    let now = 0;
    const tombstones = new GivenUpRequests(() => now);
    tombstones.add(1);
    now = 74_999;
    expect(tombstones.take(1)).toBe(true);
    expect(tombstones.take(1)).toBe(false);
    tombstones.add(2);
    now += 75_000;
    expect(tombstones.take(2)).toBe(false);
    tombstones.add(3);
    now += 30_000;
    tombstones.add(4);
    now += 60_000;
    expect(tombstones.size).toBe(2);
    tombstones.add(5);
    expect(tombstones.size).toBe(2);
  });
});

describe('rules', () => {
  it('the states are starting, initializing, ready, backoff and closing', async () => {
    const server = handshakeServer();
    const client = await connect(server, { lazy: true, random: () => 0.5 });
    const seen: string[] = [client.state];
    client.on('state', ({ state }) => seen.push(state));
    await client.whenReady();
    await server.hangUp();
    await turn();
    await client.close();
    expect(seen).toEqual(['starting', 'initializing', 'ready', 'backoff', 'closing', 'closed']);
  });

  it('a late answer is dropped and never delivered to the wrong caller', async () => {
    const server = handshakeServer().on('ping', () => ({}));
    const client = await open(server);
    const first = expect(client.tools.call('a', {}, { timeout: 100 })).rejects.toMatchObject({
      code: 'timeout',
    });
    const slow = await server.next('tools/call');
    await vi.advanceTimersByTimeAsync(100);
    await first;
    const second = client.tools.call('b');
    const request = await server.next('tools/call');
    server.answer(slow, { content: [{ type: 'text', text: 'for a' }] });
    server.answer(request, { content: [{ type: 'text', text: 'for b' }] });
    expect((await second).content).toMatchObject([{ text: 'for b' }]);
    expect(client.stats.late).toBe(1);
    await server.hangUp();
    await turn();
    await vi.advanceTimersByTimeAsync(1_000);
    await client.whenReady();
    const third = client.tools.call('c');
    const last = await server.next('tools/call');
    server.answer(slow, { content: [{ type: 'text', text: 'for a' }] });
    server.answer(last, { content: [{ type: 'text', text: 'for c' }] });
    expect((await third).content).toMatchObject([{ text: 'for c' }]);
  });

  it('exactly one terminal outcome for each request', async () => {
    const server = handshakeServer();
    const client = await open(server);
    let outcomes = 0;
    const count = (): void => {
      outcomes += 1;
    };
    const controller = new AbortController();
    const call = client.tools.call('x', {}, { timeout: 50, signal: controller.signal }).then(count, count);
    const request = await server.next('tools/call');
    server.answer(request, { content: [] });
    server.refuse(request, -32603);
    controller.abort();
    await server.hangUp();
    await vi.advanceTimersByTimeAsync(100);
    await call;
    expect(outcomes).toBe(1);
  });

  it('calls outside ready fail at once with a typed state error', async () => {
    const server = handshakeServer();
    const client = await connect(server, { lazy: true });
    clients.push(client);
    await expect(client.tools.call('x')).rejects.toMatchObject({
      code: 'state',
      state: 'starting',
      message: expect.stringMatching(/whenNotReady: 'wait'/),
    });
    expect(server.all('tools/call')).toEqual([]);
  });

  it('a timed-out request sends one cancel', async () => {
    const server = handshakeServer().on('ping', () => ({}));
    const client = await open(server);
    const call = expect(client.tools.call('x', {}, { timeout: 10 })).rejects.toMatchObject({
      code: 'timeout',
    });
    const { id } = await server.next('tools/call');
    await vi.advanceTimersByTimeAsync(100);
    await call;
    expect(server.all('notifications/cancelled').map(({ params }) => params.requestId)).toEqual([id]);
  });

  it('invalid messages are logged, counted and dropped, and the connection lives on', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer().on('tools/call', () => ({ content: [] }));
    const client = await open(server, { onFault: (fault) => faults.push(fault) });
    server.send('{"jsonrpc":"1.0","method":"x"}');
    server.send('{"jsonrpc":"2.0","id":7,"result":{},"error":{}}');
    server.send('[]');
    await turn();
    expect(client.stats.malformed).toBe(faults.length);
    expect(faults.length).toBeGreaterThanOrEqual(2);
    await client.tools.call('x');
    expect(client.state).toBe('ready');
  });

  it('capability checks come before every feature call', async () => {
    const server = handshakeServer('2025-11-25', {});
    const client = await open(server);
    const refused = { code: 'not_supported' };
    await expect(client.tools.call('x')).rejects.toMatchObject(refused);
    await expect(client.tools.list()).rejects.toMatchObject(refused);
    await expect(client.resources.read('a:b')).rejects.toMatchObject(refused);
    await expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject(refused);
    await expect(client.prompts.get('x')).rejects.toMatchObject(refused);
    await expect(client.logging.setLevel('info')).rejects.toMatchObject(refused);
    const ref = { type: 'ref/prompt' as const, name: 'x' };
    await expect(client.completion.complete(ref, { name: 'a', value: '' })).rejects.toMatchObject(refused);
    expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  it.each<[string, number, FailureKind]>([
    ['x', -32700, 'parse_error'],
    ['x', -32600, 'invalid_request'],
    ['x', -32601, 'method_not_found'],
    ['x', -32602, 'invalid_params'],
    ['x', -32603, 'internal_error'],
    ['resources/read', -32001, 'resource_not_found'],
    ['resources/read', -32002, 'resource_not_found'],
    ['tools/call', -32003, 'unknown_tool'],
    ['tools/call', -32004, 'tool_failed'],
    ['prompts/get', -32005, 'unknown_prompt'],
    ['sampling/createMessage', -32006, 'not_supported'],
    ['x', -32007, 'not_supported'],
    ['x', -32099, 'application'],
  ])('typed errors are mapped from codes: %s %d is %s', (method, code, kind) => {
    const error = receivedError({ code, message: 'no' });
    expect(classify(method, error)).toBe(kind);
    expect(error.rpcCode).toBe(code);
  });

  it('typed errors are of about 20 kinds and more, each with its code', () => {
    const local = new Set<string>(CLIENT_ERROR_CODES);
    expect(local.size).toBeGreaterThanOrEqual(15);
    for (const code of CLIENT_ERROR_CODES) expect(classify('x', new McpError(code, ''))).toBe(code);
    for (const code of ['network', 'session_lost', 'stream_lost', 'unauthorized', 'spawn_failed'] as const) {
      expect(classify('x', new TransportError(code, ''))).toBe(code);
    }
  });

  it('notifications reach their handlers, and exceptions of those are caught', async () => {
    const faults: string[] = [];
    const server = handshakeServer().on('tools/call', () => ({ content: [] }));
    const client = await open(server, { onFault: ({ kind }) => faults.push(kind) });
    const heard: string[] = [];
    client.on('log', () => {
      throw new Error('no');
    });
    client.on('log', async () => Promise.reject(new Error('no')));
    client.on('log', ({ data }) => heard.push(String(data)));
    client.on('resourceUpdated', ({ uri }) => heard.push(uri));
    server.notify('notifications/message', { level: 'info', data: 'a' });
    server.notify('notifications/resources/updated', { uri: 'a:b' });
    await turn();
    expect(heard).toEqual(['a', 'a:b']);
    expect(faults).toEqual(['handler', 'handler']);
    await client.tools.call('x');
  });
});

/** Has no room for the first so many attempts to send a call. */
class BusyTransport implements Transport {
  readonly label = 'busy';
  refusals: number;
  onCall: () => void = () => {};
  #receiver: Receiver | undefined;

  constructor(refusals: number) {
    this.refusals = refusals;
  }

  async start(receiver: Receiver): Promise<void> {
    this.#receiver = receiver;
  }

  send(message: unknown): void | Promise<void> {
    const { id, method } = JSON.parse(String(message));
    if (method === 'tools/call') {
      this.onCall();
      this.refusals -= 1;
      if (this.refusals >= 0) return Promise.reject(new TransportError('queue_full', 'full'));
    }
    if (id === undefined) return;
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, content: [] };
    const decoded = { kind: 'result', message: { jsonrpc: '2.0', id, result } } as const;
    queueMicrotask(() => this.#receiver?.message(decoded, ''));
  }

  async close(): Promise<void> {
    this.#receiver?.closed({ kind: 'local' });
  }
}
