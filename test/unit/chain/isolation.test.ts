/** Who shares a connection, and whom a question concerns. */

import { type Chain, chain, type Isolation } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { afterEach, expect, test } from 'vitest';
import { Steps } from '../../support/steps.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Setting {
  readonly built: Chain;
  readonly steps: Steps;
  /** Connections that were opened to the server, and those still open. */
  readonly counts: { opened: number; closed: number };
  join(name: string): Promise<Client>;
}

/** A server whose tool asks for roots once the test lets it. */
function prepare(isolate: Isolation): Setting {
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
  const built = chain({ onError: () => undefined }).to({ s: { server: source, isolate } });
  cleanups.push(
    () => server.close(0),
    () => built.close(0),
  );
  const join = async (name: string): Promise<Client> => {
    const options: ConnectOptions = { revisions: ['2025-11-25'], roots: [{ uri: `file:///${name}` }] };
    const client = await connect(built, options);
    cleanups.push(() => client.close());
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
  const { join, counts } = prepare('session');
  const one = await join('one');
  await join('other');
  expect(counts).toEqual({ opened: 2, closed: 0 });
  await one.close();
  await expect.poll(() => counts.closed).toBe(1);
});

test("a client's notifications reach the connection of its session", async () => {
  const server = createServer({ name: 's', version: '1', revisions: ['2025-11-25'] });
  const heard: string[] = [];
  server.onNotification('notifications/roots/list_changed', (_params, caller) => {
    heard.push(caller.client?.name ?? '');
  });
  cleanups.push(() => server.close(0));
  const built = chain({ onError: () => undefined }).to({ s: { server, isolate: 'session' } });
  cleanups.push(() => built.close(0));
  const client = await connect(built, { revisions: ['2025-06-18'], roots: [{ uri: 'file:///mine' }] });
  cleanups.push(() => client.close());
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
    cleanups.push(() => client.close());
    return client;
  };
  steps.open('ask');
  for (const principal of ['alice', 'alice', 'bob']) {
    const { content } = await (await join(principal)).tools.call('where');
    expect(content).toMatchObject([{ text: `file:///${principal}` }]);
  }
  expect(counts.opened).toBe(2);
});
