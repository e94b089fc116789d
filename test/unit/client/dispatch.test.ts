/** How notifications reach handlers: in order, one at a time, bounded, and storms as one. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { MAX_QUEUED_EVENTS } from '../../../src/client/features/subscriber.js';
import { connect } from '../../../src/client/index.js';
import { COALESCE_MS } from '../../../src/client/recovery/change-coalescer.js';
import { handshakeServer, statelessServer, turn } from '../../support/scripted-server.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

it('an async handler hears one event at a time, in order, and holds up neither others nor the connection', async () => {
  const server = handshakeServer().on('tools/call', () => ({ content: [] }));
  const client = await connect(server);
  const { passed, open } = gate();
  const slow: unknown[] = [];
  const quick: unknown[] = [];
  client.on('log', async ({ data }) => {
    slow.push(`begin ${data}`);
    await passed;
    slow.push(`end ${data}`);
  });
  client.on('log', ({ data }) => quick.push(data));
  for (const data of [1, 2, 3]) server.notify('notifications/message', { level: 'info', data });
  await turn();
  expect(quick).toEqual([1, 2, 3]);
  expect(slow).toEqual(['begin 1']);
  await client.tools.call('x');
  open();
  await turn();
  expect(slow).toEqual(['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  await client.close();
});

it('what waits for a slow handler is bounded: the oldest go, which is told once', async () => {
  const server = handshakeServer();
  const faults: ClientFault[] = [];
  const client = await connect(server, { onFault: (fault) => faults.push(fault) });
  const { passed, open } = gate();
  const heard: unknown[] = [];
  client.on('log', async ({ data }) => {
    heard.push(data);
    await passed;
  });
  const sent = MAX_QUEUED_EVENTS + 11;
  for (let data = 0; data < sent; data += 1) server.notify('notifications/message', { level: 'info', data });
  await turn();
  open();
  await turn();
  expect(heard.length).toBe(MAX_QUEUED_EVENTS + 1);
  expect(heard.slice(0, 2)).toEqual([0, 11]);
  expect(heard.at(-1)).toBe(sent - 1);
  expect(faults).toMatchObject([{ kind: 'handler', message: expect.stringMatching(/too slow/) }]);
  await client.close();
});

it('a handler taken off hears nothing more, not even what waited for it', async () => {
  const server = handshakeServer();
  const client = await connect(server);
  const { passed, open } = gate();
  const heard: unknown[] = [];
  const off = client.on('log', async ({ data }) => {
    heard.push(data);
    await passed;
  });
  for (const data of [1, 2]) server.notify('notifications/message', { level: 'info', data });
  await turn();
  off();
  open();
  await turn();
  expect(heard).toEqual([1]);
  await client.close();
});

it('a storm of list changes is told at its beginning and at its end', async () => {
  const server = handshakeServer();
  const client = await connect(server);
  let told = 0;
  client.on('toolsChanged', () => {
    told += 1;
  });
  for (let count = 0; count < 500; count += 1) server.notify('notifications/tools/list_changed');
  await turn();
  expect(told).toBe(1);
  await vi.advanceTimersByTimeAsync(COALESCE_MS + 1);
  expect(told).toBe(2);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(told).toBe(2);
  server.notify('notifications/tools/list_changed');
  await turn();
  expect(told).toBe(3);
  await client.close();
  expect(vi.getTimerCount()).toBe(0);
});

it('a remembered list is out of date with every change of a storm, told or not', async () => {
  let version = 0;
  const server = statelessServer().on('tools/list', () => {
    version += 1;
    return { tools: [{ name: `v${version}`, inputSchema: { type: 'object' } }], ttlMs: 60_000 };
  });
  const client = await connect(server);
  const names = async (): Promise<string[]> => (await client.tools.list()).map(({ name }) => name);
  expect([await names(), await names()]).toEqual([['v1'], ['v1']]);
  for (let count = 0; count < 3; count += 1) {
    server.notify('notifications/tools/list_changed');
    await turn();
    expect(await names()).toEqual([`v${count + 2}`]);
  }
  await client.close();
});
