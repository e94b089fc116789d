/** A server that dies and comes back while clients listen: they hear of its changes again. */

import { type Chain, createChain, type Destination } from 'plumb-mcp/chain';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, test, vi } from 'vitest';
import type { Isolation } from '../../../src/chain/upstream-options.js';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';

const PATIENT = { timeout: 15_000 };
const NOTE = 'test://note';

/** A server in this process that can be killed: its connections break, and new ones get another server. */
class Mortal {
  readonly #revisions: readonly string[];
  #close: () => Promise<unknown> = async () => undefined;
  server!: Server;
  lives = 0;

  constructor(revisions: readonly string[]) {
    this.#revisions = revisions;
  }

  #create(): Server {
    this.lives += 1;
    this.server = createServer({ name: 'mortal', version: '1', revisions: this.#revisions });
    this.server.tool('hello', {}, () => 'hello');
    this.server.tool('grumble', {}, (_args, ctx) => {
      ctx.log('info', 'grumble');
      return 'grumbled';
    });
    this.server.resource(NOTE, { name: 'note' }, () => 'note');
    return this.server;
  }

  async overHttp(): Promise<Destination> {
    const port = await freePort();
    const listen = async (): Promise<void> => {
      const handle = await this.#create().http({ port });
      this.#close = async () => {
        await handle.close({ drain: 0 });
        await listen();
      };
    };
    await listen();
    cleanup(() => this.server.close({ drain: 0 }));
    return { url: `http://127.0.0.1:${port}/mcp` };
  }

  inMemory(): Destination {
    return {
      server: {
        transport: () => {
          const server = this.#create();
          this.#close = () => server.close({ drain: 0 });
          cleanup(() => server.close({ drain: 0 }));
          return server.transport();
        },
      },
    };
  }

  async die(): Promise<void> {
    await this.#close();
  }
}

async function open(built: Chain, options: ConnectOptions): Promise<Client> {
  const client = await connect(built, options);
  cleanup(() => client.close());
  return client;
}

const ERAS = ['2025-11-25', '2026-07-28'] as const;
const CASES = (['memory', 'http'] as const).flatMap((transport) =>
  ERAS.flatMap((behind) =>
    ERAS.flatMap((front) =>
      (['shared', 'session'] as const).map((isolate) => ({ transport, behind, front, isolate })),
    ),
  ),
);

describe.each(CASES)(
  'a $behind server over $transport ($isolate), for a client of $front',
  ({ transport, behind, front, isolate }) => {
    test('is heard again after it was lost, without any call', async () => {
      const mortal = new Mortal([behind]);
      const target = transport === 'http' ? await mortal.overHttp() : mortal.inMemory();
      const built = createChain({ onError: () => undefined }).to({
        s: { ...(target as object), isolate: isolate as Isolation } as Destination,
      });
      cleanup(() => built.close({ drain: 0 }));
      const client = await open(built, { revisions: [front], cache: false });
      expect((await client.tools.call('hello')).content).toMatchObject([{ text: 'hello' }]);
      let changes = 0;
      client.on('toolsChanged', () => {
        changes += 1;
      });
      const updates: string[] = [];
      await client.resources.subscribe(NOTE, ({ uri }) => updates.push(uri));
      mortal.server.resourceUpdated(NOTE);
      await expect.poll(() => updates.length, PATIENT).toBe(1);
      const lives = mortal.lives;
      await mortal.die();
      await expect.poll(() => mortal.lives, PATIENT).toBeGreaterThan(lives);
      // The lists of the new server may differ, and the client is told so.
      await expect.poll(() => changes, PATIENT).toBeGreaterThan(0);
      const before = changes;
      await expect
        .poll(async () => {
          mortal.server.resourceUpdated(NOTE);
          return updates.length;
        }, PATIENT)
        .toBeGreaterThan(1);
      await expect
        .poll(async () => {
          mortal.server.listChanged('tools');
          return changes;
        }, PATIENT)
        .toBeGreaterThan(before);
      expect((await client.tools.call('hello')).content).toMatchObject([{ text: 'hello' }]);
    }, 60_000);
  },
);

test('what log messages a client wants is told to the server that comes back', async () => {
  const mortal = new Mortal(['2025-11-25']);
  const built = createChain({ onError: () => undefined }).to(mortal.inMemory());
  cleanup(() => built.close({ drain: 0 }));
  const logs: unknown[] = [];
  const client = await open(built, {
    revisions: ['2025-06-18'],
    logLevel: 'info',
    onLog: ({ data }) => logs.push(data),
  });
  await client.tools.call('grumble');
  await expect.poll(() => logs).toEqual(['grumble']);
  await mortal.die();
  await expect.poll(() => mortal.lives, PATIENT).toBeGreaterThan(1);
  await expect
    .poll(async () => {
      await client.tools.call('grumble');
      return logs.length;
    }, PATIENT)
    .toBeGreaterThan(1);
}, 30_000);

test('a server that nobody listens to is started again by the next call only', async () => {
  const mortal = new Mortal(['2025-11-25']);
  const built = createChain({ onError: () => undefined }).to(mortal.inMemory());
  cleanup(() => built.close({ drain: 0 }));
  const client = await open(built, { revisions: ['2026-07-28'] });
  await client.tools.call('hello');
  const { lives } = mortal;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  cleanup(() => vi.useRealTimers());
  const dying = mortal.die();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(mortal.lives).toBe(lives);
  vi.useRealTimers();
  await dying;
  expect((await client.tools.call('hello')).content).toMatchObject([{ text: 'hello' }]);
});

test('the reason of a cancellation travels upstream', async () => {
  const reasons: unknown[] = [];
  for (const revision of ERAS) {
    const server = createServer({ name: 's', version: '1', revisions: [revision] });
    server.tool('hang', {}, (_args, ctx) => {
      ctx.progress(1);
      return new Promise<string>((_resolve, reject) => {
        ctx.signal.addEventListener('abort', () => {
          reasons.push(ctx.signal.reason instanceof Error ? ctx.signal.reason.message : ctx.signal.reason);
          reject(ctx.signal.reason);
        });
      });
    });
    cleanup(() => server.close({ drain: 0 }));
    const built = createChain({ onError: () => undefined }).to(server);
    cleanup(() => built.close({ drain: 0 }));
    const client = await open(built, { revisions: ['2025-11-25'] });
    const controller = new AbortController();
    const options = {
      signal: controller.signal,
      onProgress: () => controller.abort('nobody waits any more'),
    };
    await expect(client.tools.call('hang', {}, options)).rejects.toMatchObject({ code: 'cancelled' });
  }
  const expected = expect.stringContaining('nobody waits any more');
  await expect.poll(() => reasons).toEqual([expected, expected]);
});
