/** Servers behind a chain that take long to start: what their clients see. */

import { type ChainOptions, createChain, type ServerEvent } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Destinations } from '../../../src/chain/targets.js';
import type { Transport } from '../../../src/transports/transport.js';
import { cleanup } from '../../support/cleanup.js';

const HANDSHAKE = { revisions: ['2025-11-25'] };

beforeAll(async () => {
  // What the first connection of a process loads takes real time.
  const client = await connect(createServer({ name: 'first', version: '1' }));
  await client.close();
});

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

function serverWith(name: string): Server {
  const server = createServer({ name, version: '1' });
  server.tool('run', {}, () => `${name} ran`);
  cleanup(() => server.close({ drain: 0 }));
  return server;
}

/** Opens when it is released. */
class SlowServer {
  readonly #server: Server;
  readonly #released: Promise<void>;
  release: () => void = () => undefined;
  starts = 0;

  constructor(server: Server) {
    this.#server = server;
    this.#released = new Promise((resolve) => {
      this.release = resolve;
    });
  }

  async transport(): Promise<Transport> {
    this.starts += 1;
    await this.#released;
    return this.#server.transport();
  }
}

class BrokenServer {
  starts = 0;

  transport(): Promise<Transport> {
    this.starts += 1;
    return Promise.reject(new Error('it is broken'));
  }
}

function open(
  destinations: Destinations,
  options: ChainOptions = {},
): (more?: ConnectOptions) => Promise<Client> {
  const built = createChain({ onServerEvent: () => undefined, onError: () => undefined, ...options }).to(
    destinations,
  );
  cleanup(() => built.close({ drain: 0 }));
  return async (more = HANDSHAKE) => {
    const client = await connect(built, { initTimeout: 120_000, ...more });
    cleanup(() => client.close());
    return client;
  };
}

async function toolNames(client: Client): Promise<string[]> {
  return (await client.tools.list({ cache: 'reload' })).map(({ name }) => name);
}

describe('a gateway with a server that starts slowly', () => {
  test.each(['2024-11-05', '2025-11-25', '2026-07-28'])(
    'answers its first client of %s five seconds after the others are ready, and notifies it when the slow one joins',
    async (revision) => {
      const slow = new SlowServer(serverWith('slow'));
      const connecting = open({ quick: serverWith('quick'), slow })({ revisions: [revision] });
      await vi.advanceTimersByTimeAsync(5_000);
      const client = await connecting;
      expect(client.capabilities.tools).toEqual({ listChanged: true });
      let changes = 0;
      client.on('toolsChanged', () => {
        changes += 1;
      });
      // No more waiting, for the list and for the next client.
      expect(await toolNames(client)).toEqual(['quick__run']);
      slow.release();
      await vi.advanceTimersByTimeAsync(100);
      expect(changes).toBe(1);
      expect(await toolNames(client)).toEqual(['quick__run', 'slow__run']);
      expect(slow.starts).toBe(1);
    },
  );

  test('does not let a second client wait for it again', async () => {
    const slow = new SlowServer(serverWith('slow'));
    const join = open({ quick: serverWith('quick'), slow });
    const first = join();
    await vi.advanceTimersByTimeAsync(5_000);
    await first;
    const second = await join();
    expect(await toolNames(second)).toEqual(['quick__run']);
    expect(slow.starts).toBe(1);
  });

  test('lists what the quick server does not have, without waiting for the slow one again', async () => {
    const slow = new SlowServer(serverWith('slow'));
    const connecting = open({ quick: serverWith('quick'), slow }, { replaceable: true })();
    await vi.advanceTimersByTimeAsync(5_000);
    const client = await connecting;
    expect(await client.prompts.list()).toEqual([]);
    expect(slow.starts).toBe(1);
  });

  test('sets a log level without waiting for it, and passes the level on when it joins', async () => {
    const levels: unknown[] = [];
    const logging = serverWith('slow');
    logging.use(async (call, next) => {
      if (call.method === 'logging/setLevel') levels.push(call.params.level);
      return next();
    });
    const slow = new SlowServer(logging);
    const connecting = open({ quick: serverWith('quick'), slow: { server: slow, ...HANDSHAKE } })();
    await vi.advanceTimersByTimeAsync(5_000);
    const client = await connecting;
    await client.logging.setLevel('debug');
    slow.release();
    await vi.advanceTimersByTimeAsync(100);
    expect(levels).toEqual(['debug']);
  });

  test('waits for the first server to be ready, and not for ever', async () => {
    const one = new SlowServer(serverWith('one'));
    const two = new SlowServer(serverWith('two'));
    const join = open({ one, two });
    let isConnected = false;
    const connecting = join().then((client) => {
      isConnected = true;
      return client;
    });
    await vi.advanceTimersByTimeAsync(14_900);
    expect(isConnected).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    const client = await connecting;
    expect(await listed(client)).toEqual([]);
    one.release();
    await vi.advanceTimersByTimeAsync(100);
    expect(await toolNames(client)).toEqual(['one__run']);
  });
});

async function listed(client: Client): Promise<string[]> {
  const names = toolNames(client);
  await vi.advanceTimersByTimeAsync(15_000);
  return names;
}

describe('a gateway with a server that cannot be started', () => {
  test.each(['2025-11-25', '2026-07-28'])(
    'has the lists of the others for a client of %s, empty where the others have nothing of the kind',
    async (revision) => {
      const broken = new BrokenServer();
      const client = await open({ quick: serverWith('quick'), broken })({ revisions: [revision] });
      expect(await toolNames(client)).toEqual(['quick__run']);
      expect(await client.prompts.list()).toEqual([]);
      expect(await client.resources.list()).toEqual([]);
    },
  );

  test('tries it less often the longer it is away, also after it was there', async () => {
    const away = new BrokenServer();
    let connects = 0;
    const flaky = serverWith('flaky');
    const once = {
      transport: (): Promise<Transport> => {
        connects += 1;
        return connects === 1 ? Promise.resolve(flaky.transport()) : Promise.reject(new Error('gone'));
      },
    };
    const client = await open({ quick: serverWith('quick'), away, once })();
    expect(await toolNames(client)).toEqual(['quick__run', 'once__run']);
    const closed = flaky.close({ drain: 0 });
    await vi.advanceTimersByTimeAsync(300_000);
    await closed;
    // After the first minute, every 30 seconds.
    expect(away.starts).toBeGreaterThan(8);
    expect(away.starts).toBeLessThan(20);
    expect(connects).toBeGreaterThan(8);
    expect(connects).toBeLessThan(20);
  });

  test('reports why there is nothing to list where no server is there', async () => {
    const client = await open({ broken: new BrokenServer(), other: new BrokenServer() })();
    await expect(client.prompts.list()).rejects.toThrow(/The server "broken" is not available/);
  });
});

describe('a server alone', () => {
  test.each(['2025-11-25', '2026-07-28'])(
    'has empty lists of what the chain declares and it does not, for a client of %s',
    async (revision) => {
      const client = await open(
        { alone: serverWith('alone') },
        { replaceable: true },
      )({
        revisions: [revision],
      });
      expect(client.capabilities.prompts).toEqual({ listChanged: true });
      // As other clients ask: ours takes a refusal for an empty list.
      expect(await client.request('prompts/list')).toMatchObject({ prompts: [] });
      const templates = await client.request('resources/templates/list');
      expect(templates).toMatchObject({ resourceTemplates: [] });
      expect(await toolNames(client)).toEqual(['run']);
    },
  );

  test('introduces itself, however long it takes to start', async () => {
    const events: ServerEvent[] = [];
    const slow = new SlowServer(serverWith('slow'));
    const connecting = open(
      { slow: { server: slow, initTimeout: 60_000 } },
      { onServerEvent: (event) => events.push(event) },
    )();
    await vi.advanceTimersByTimeAsync(30_000);
    slow.release();
    const client = await connecting;
    expect(client.server?.name).toBe('slow');
    expect(slow.starts).toBe(1);
    expect(events.map(({ type }) => type)).toEqual(['starting', 'starting', 'ready']);
  });

  test('has the time of a program behind a client without a limit of its own, which hears what became of it', async () => {
    const silent = { transport: (): Transport => createMemoryPair()[0] };
    const built = createChain({ onServerEvent: () => undefined, onError: () => undefined }).to({
      silent: { server: silent, initTimeout: 60_000 },
    });
    cleanup(() => built.close({ drain: 0 }));
    const refused = expect(connect(built, HANDSHAKE)).rejects.toThrow(
      /The server "silent" is not available: it did not answer within 60 s of its start/,
    );
    await vi.advanceTimersByTimeAsync(60_000);
    await refused;
  });

  test('that cannot be started is reported to the client at once, instead of an invented introduction', async () => {
    const broken = new BrokenServer();
    const events: ServerEvent[] = [];
    const join = open({ broken }, { onServerEvent: (event) => events.push(event) });
    await expect(join()).rejects.toThrow(/The server "broken" is not available/);
    expect(events).toMatchObject([{ type: 'start_failed', server: 'broken', failures: 1 }]);
    // The same connection may be tried again, and so may another.
    await expect(join()).rejects.toThrow(/The server "broken" is not available/);
  });

  test('is not kept waiting for when the chain is closed', async () => {
    const slow = new SlowServer(serverWith('slow'));
    const built = createChain({ onError: () => undefined }).to({ slow });
    const refused = connect(built, HANDSHAKE).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    vi.useRealTimers();
    await built.close({ drain: 0 });
    expect(await refused).toBeInstanceOf(Error);
  });
});

describe('a process that ends while it starts', () => {
  const exits = { command: process.execPath, args: ['-e', 'process.exit(7)'] };

  test('is not started again for every call', async () => {
    vi.useRealTimers();
    const events: ServerEvent[] = [];
    const join = open(
      { exits, quick: serverWith('quick') },
      { onServerEvent: (event) => events.push(event) },
    );
    const client = await join();
    for (let call = 0; call < 5; call += 1) expect(await toolNames(client)).toEqual(['quick__run']);
    await expect(client.tools.call('exits__x')).rejects.toThrow(
      /it is tried again in 1 s at the earliest|it ended/,
    );
    const failures = events.filter(({ type }) => type === 'start_failed');
    expect(failures.length).toBeLessThanOrEqual(2);
    expect(failures[0]).toMatchObject({ failures: 1, limit: 5 });
  });
});
