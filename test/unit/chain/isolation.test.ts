/** Who shares a connection, and whom a question concerns. */

import { type Chain, createChain } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { afterEach, expect, test, vi } from 'vitest';
import type { Isolation } from '../../../src/chain/upstream-options.js';
import { cleanup } from '../../support/cleanup.js';
import { Steps } from '../../support/steps.js';

afterEach(() => {
  vi.useRealTimers();
});

interface Setting {
  readonly built: Chain;
  readonly steps: Steps;
  /** Connections that were opened to the server, and those still open. */
  readonly counts: { opened: number; closed: number };
  join(name: string): Promise<Client>;
}

/** A server whose tool asks for roots once the test lets it. */
function prepare(isolate: Isolation, maxProcesses?: number): Setting {
  const steps = new Steps();
  const counts = { opened: 0, closed: 0 };
  const server: Server = createServer({
    name: 's',
    version: '1',
    revisions: ['2025-11-25'],
    onError: () => {},
  });
  server.tool('where', {}, async (_, ctx) => {
    steps.reach('running');
    await steps.opened('ask', ctx.signal);
    return (await ctx.roots()).map(({ uri }) => uri).join();
  });
  const source = {
    transport: () => {
      counts.opened += 1;
      const transport = server.transport();
      const close = transport.close.bind(transport);
      let open = true;
      return Object.assign(transport, {
        close: () => {
          if (open) counts.closed += 1;
          open = false;
          return close();
        },
      });
    },
  };
  const built = createChain({ onError: () => undefined }).to({
    s: { server: source, isolate, ...(maxProcesses === undefined ? {} : { maxProcesses }) },
  });
  cleanup(
    () => server.close({ drain: 0 }),
    () => built.close({ drain: 0 }),
  );
  const join = async (name: string): Promise<Client> => {
    const options: ConnectOptions = { revisions: ['2025-11-25'], roots: [{ uri: `file:///${name}` }] };
    const client = await connect(built, options);
    cleanup(() => client.close());
    return client;
  };
  return { built, steps, counts, join };
}

test('a question that could concern several clients is refused rather than put to the wrong one', async () => {
  const { join, steps, counts } = prepare('shared');
  const [one, other] = [await join('one'), await join('other')];
  const calls = [one.tools.call('where'), other.tools.call('where')];
  await steps.until('running', 2);
  steps.open('ask');
  for (const call of calls) expect(await call).toMatchObject({ isError: true });
  expect(counts.opened).toBe(1);
});

test('two calls of one client on a shared connection are asked of that client', async () => {
  const { join, steps } = prepare('shared');
  const client = await join('one');
  await join('idle');
  const calls = [client.tools.call('where'), client.tools.call('where')];
  await steps.until('running', 2);
  steps.open('ask');
  for (const call of calls) expect(await call).toMatchObject({ content: [{ text: 'file:///one' }] });
});

test('with a connection for each session, everybody is asked', async () => {
  const { join, steps, counts } = prepare('session');
  const [one, other] = [await join('one'), await join('other')];
  const calls = [one.tools.call('where'), other.tools.call('where')];
  await steps.until('running', 2);
  steps.open('ask');
  expect(await calls[0]).toMatchObject({ content: [{ text: 'file:///one' }] });
  expect(await calls[1]).toMatchObject({ content: [{ text: 'file:///other' }] });
  expect(counts.opened).toBe(2);
});

test('the connection of a session ends with it', async () => {
  const { join, counts, steps } = prepare('session');
  steps.open('ask');
  const [one, other] = [await join('one'), await join('other')];
  await one.tools.call('where');
  await other.tools.call('where');
  expect(counts).toEqual({ opened: 2, closed: 0 });
  await one.close();
  await expect.poll(() => counts.closed).toBe(1);
});

test('a session gets its connection with its first call, once the server is known', async () => {
  const { join, counts, steps } = prepare('session');
  steps.open('ask');
  const clients = await Promise.all(['one', 'two', 'three'].map(join));
  expect(clients.map(({ server }) => server?.name)).toEqual(['s', 's', 's']);
  expect(counts.opened).toBe(1);
  for (const client of clients) await client.tools.call('where');
  expect(counts.opened).toBe(3);
});

test('a session that goes while the server is being met leaves the meeting to the others', async () => {
  const server = createServer({ name: 's', version: '1', revisions: ['2025-11-25'] });
  cleanup(() => server.close({ drain: 0 }));
  const steps = new Steps();
  const source = {
    transport: async () => {
      steps.reach('opening');
      await steps.opened('server');
      return server.transport();
    },
  };
  const built = createChain({ onError: () => undefined }).to({ s: { server: source, isolate: 'session' } });
  cleanup(() => built.close({ drain: 0 }));
  const leaves = new AbortController();
  const options: ConnectOptions = { revisions: ['2025-11-25'] };
  const first = connect(built, { ...options, signal: leaves.signal }).catch(() => 'gone');
  await steps.until('opening', 1);
  const second = connect(built, options);
  leaves.abort();
  expect(await first).toBe('gone');
  await steps.until('opening', 2);
  steps.open('server');
  const client = await second;
  cleanup(() => client.close());
  expect(client.server?.name).toBe('s');
});

test('a connection that only greeted gives way at once when no more are allowed', async () => {
  const { join, counts, steps } = prepare('session', 1);
  const [one, other] = [await join('one'), await join('other')];
  expect(counts).toEqual({ opened: 1, closed: 0 });
  steps.open('ask');
  expect(await other.tools.call('where')).toMatchObject({ content: [{ text: 'file:///other' }] });
  expect(counts).toEqual({ opened: 2, closed: 1 });
  expect(one.state).toBe('ready');
});

test('one that has nothing to do gives way after 15 seconds, and one with a call does not', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { join, counts, steps } = prepare('session', 1);
  const [one, other] = [await join('one'), await join('other')];
  const busy = one.tools.call('where', {}, { timeout: 300_000 });
  await steps.until('running', 1);
  const refused = await Promise.all([
    other.tools.call('where').catch((error: unknown) => error),
    vi.advanceTimersByTimeAsync(20_000),
  ]);
  expect(refused[0]).toMatchObject({ message: expect.stringContaining('all 1 of its processes are in use') });
  steps.open('ask');
  await busy;
  const [{ content }] = await Promise.all([
    other.tools.call('where', {}, { timeout: 300_000 }),
    vi.advanceTimersByTimeAsync(16_000),
  ]);
  expect(content).toMatchObject([{ text: 'file:///other' }]);
  expect(counts).toEqual({ opened: 2, closed: 1 });
});

test("a client's notifications reach the connection of its session", async () => {
  const server = createServer({ name: 's', version: '1', revisions: ['2025-11-25'] });
  const heard: string[] = [];
  server.onNotification('notifications/roots/list_changed', (_params, caller) => {
    heard.push(caller.client?.name ?? '');
  });
  cleanup(() => server.close({ drain: 0 }));
  const built = createChain({ onError: () => undefined }).to({ s: { server, isolate: 'session' } });
  cleanup(() => built.close({ drain: 0 }));
  const client = await connect(built, { revisions: ['2025-06-18'], roots: [{ uri: 'file:///mine' }] });
  cleanup(() => client.close());
  expect(built.health[0]).toMatchObject({ connections: 1 });
  await client.roots.set([{ uri: 'file:///new' }]);
  await expect.poll(() => heard).toHaveLength(1);
});

test('with a connection for each principal, its sessions share one and nobody else does', async () => {
  const { built, counts, steps } = prepare('principal');
  const join = async (principal: string): Promise<Client> => {
    const [near, far] = createMemoryPair();
    built.connect(far, { principal }).catch(() => undefined);
    const client = await connect(near, {
      revisions: ['2025-11-25'],
      roots: [{ uri: `file:///${principal}` }],
    });
    cleanup(() => client.close());
    return client;
  };
  steps.open('ask');
  for (const principal of ['alice', 'alice', 'bob']) {
    const { content } = await (await join(principal)).tools.call('where');
    expect(content).toMatchObject([{ text: `file:///${principal}` }]);
  }
  expect(counts.opened).toBe(2);
});

test('a connection of a client without a session ends when nobody has called for ten minutes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const { built, counts } = prepare('session', 4);
  const client = await connect(built, { revisions: ['2026-07-28'] });
  cleanup(() => client.close());
  expect(counts).toEqual({ opened: 1, closed: 0 });
  await vi.advanceTimersByTimeAsync(10 * 60_000);
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test('a command that does not start is not started again for each session', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let starts = 0;
  const source = {
    transport: () => {
      starts += 1;
      throw new Error('no such thing');
    },
  };
  const built = createChain({ onError: () => undefined }).to({
    s: { server: source, isolate: 'session', maxProcesses: 4 },
  });
  cleanup(() => built.close({ drain: 0 }));
  const outcomes: string[] = [];
  const visit = async (): Promise<void> => {
    await connect(built, { revisions: ['2025-11-25'] }).catch((error: Error) => outcomes.push(error.message));
  };
  for (let visits = 0; visits < 10; visits += 1) await visit();
  expect(starts).toBe(3);
  expect(outcomes).toHaveLength(10);
  expect(outcomes.at(-1)).toContain('it is tried again in 5 s at the earliest');
  vi.advanceTimersByTime(5_000);
  for (let visits = 0; visits < 10; visits += 1) await visit();
  expect(starts).toBe(4);
});
