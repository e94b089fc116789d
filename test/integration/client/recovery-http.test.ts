/** Recovery over HTTP, where there is no connection to lose: restarts, cuts, forgotten sessions, broken streams. */

import type { ServerResponse } from 'node:http';
import {
  createServer as createProxy,
  connect as dial,
  type Server as NetServer,
  type Socket,
} from 'node:net';
import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, it } from 'vitest';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';
import { handshakeScript, scriptedServer } from '../../support/scripted-http.js';

const RECOVER = { initialDelay: 20, maxDelay: 100 };

/** A server that can be stopped and started at the same address. */
async function restartable(
  path = '/mcp',
): Promise<{ url: string; start(): Promise<Server>; stop(): Promise<void> }> {
  const port = await freePort();
  let server: Server | undefined;
  let generation = 0;
  const stop = async (): Promise<void> => {
    await server?.close({ drain: 0 });
    server = undefined;
  };
  cleanup(stop);
  return {
    url: `http://127.0.0.1:${port}${path}`,
    stop,
    start: async () => {
      generation += 1;
      const text = String(generation);
      server = createServer({ name: 'restartable', version: text });
      server.tool('generation', { annotations: { readOnlyHint: true } }, () => text);
      server.resource('live:resource', {}, () => text);
      await server.http({ port, legacySse: true });
      return server;
    },
  };
}

async function open(url: string, revision: string, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(url, { revisions: [revision], recover: RECOVER, ...options });
  cleanup(() => client.close());
  return client;
}

function textOf(result: { content: readonly { type: string }[] }): unknown {
  const [block] = result.content;
  return block !== undefined && 'text' in block ? block.text : undefined;
}

/** The first one has another transport, which has a connection. */
const HTTP_REVISIONS = REVISIONS.slice(1).map(({ version }) => version);

describe.each(HTTP_REVISIONS)('a server that is restarted (%s)', (revision) => {
  it('is found again, with its new version, by calls that wait', async () => {
    const host = await restartable();
    await host.start();
    const client = await open(host.url, revision, { whenNotReady: 'wait' });
    await client.tools.list();
    expect(textOf(await client.tools.call('generation'))).toBe('1');
    await host.stop();
    const waiting = client.tools.call('generation');
    await expect.poll(() => client.state).not.toBe('ready');
    await host.start();
    expect(textOf(await waiting)).toBe('2');
    expect(client.server?.version).toBe('2');
  });

  it('fails calls that do not wait: first with what happened, then with the state', async () => {
    const host = await restartable();
    await host.start();
    const client = await open(host.url, revision);
    await host.stop();
    await expect(client.tools.call('generation')).rejects.toMatchObject({
      code: 'network',
    });
    await expect(client.tools.call('generation')).rejects.toMatchObject({ code: 'state' });
    await host.start();
    await client.whenReady();
    expect(textOf(await client.tools.call('generation'))).toBe('2');
  });

  it('is subscribed to again', async () => {
    const host = await restartable();
    const first = await host.start();
    const client = await open(host.url, revision, { whenNotReady: 'wait', keepAlive: 50 });
    const updates: string[] = [];
    await client.resources.subscribe('live:resource', ({ uri }) => updates.push(uri));
    await first.resourceUpdated('live:resource');
    await expect.poll(() => updates.length).toBe(1);
    await host.stop();
    await expect.poll(() => client.state).not.toBe('ready');
    const second = await host.start();
    await client.whenReady();
    const told = updates.length;
    await expect
      .poll(async () => {
        await second.resourceUpdated('live:resource');
        return updates.length;
      })
      .toBeGreaterThan(told + 1);
  });

  it('is subscribed to again, although the first request for that is lost', async () => {
    const host = await restartable();
    await host.start();
    let restarted = false;
    let lost = 0;
    const losing: typeof fetch = async (input, init) => {
      if (restarted && lost === 0 && /resources\/subscribe|subscriptions\/listen/.test(String(init?.body))) {
        lost += 1;
        throw new TypeError('fetch failed', { cause: new Error('socket hang up') });
      }
      return fetch(input, init);
    };
    const client = await connect(
      { url: host.url, fetch: losing },
      { revisions: [revision], recover: RECOVER, whenNotReady: 'wait', keepAlive: 50 },
    );
    cleanup(() => client.close());
    const updates: string[] = [];
    await client.resources.subscribe('live:resource', ({ uri }) => updates.push(uri));
    await host.stop();
    await expect.poll(() => client.state).not.toBe('ready');
    restarted = true;
    const second = await host.start();
    await client.whenReady();
    const told = updates.length;
    await expect
      .poll(async () => {
        await second.resourceUpdated('live:resource');
        return updates.length;
      })
      .toBeGreaterThan(told + 1);
    expect(lost).toBe(1);
  });
});

describe.each(HTTP_REVISIONS)('an idle subscriber of a server that is restarted (%s)', (revision) => {
  it('hears of changes again, though it never calls and keeps nothing alive', async () => {
    const host = await restartable();
    const first = await host.start();
    const target = { url: host.url, reconnect: { delay: 10 } };
    const client = await connect(target, { revisions: [revision], recover: RECOVER });
    cleanup(() => client.close());
    const updates: string[] = [];
    await client.resources.subscribe('live:resource', ({ uri }) => updates.push(uri));
    await first.resourceUpdated('live:resource');
    await expect.poll(() => updates.length).toBe(1);
    await host.stop();
    const second = await host.start();
    // Told once for what may have been missed, and then for what happens.
    await expect.poll(() => updates.length).toBe(2);
    await expect
      .poll(async () => {
        await second.resourceUpdated('live:resource');
        return updates.length;
      })
      .toBeGreaterThan(2);
  });
});

describe('the server’s own stream', () => {
  it('tells listeners what they may have missed while it could not be opened, and leaves the session alone', async () => {
    let stream: ServerResponse | undefined;
    let away = 0;
    const script = handshakeScript(({ method }, response) => {
      if (method !== 'GET') return false;
      if (away > 0) {
        away -= 1;
        response.writeHead(503).end();
      } else {
        stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
        stream.write(': open\n\n');
      }
      return true;
    });
    const server = await scriptedServer(script);
    const target = { url: server.url, reconnect: { delay: 5 } };
    const client = await connect(target, { revisions: ['2025-11-25'] });
    cleanup(() => client.close());
    let told = 0;
    client.on('toolsChanged', () => {
      told += 1;
    });
    const opened = (): number => server.seen.filter(({ method }) => method === 'GET').length;
    await expect.poll(opened).toBe(1);
    stream?.end();
    await expect.poll(opened).toBe(2);
    expect(told).toBe(0);
    away = 2;
    stream?.end();
    await expect.poll(opened).toBe(5);
    await expect.poll(() => told).toBe(1);
    expect(server.seen.filter(({ message }) => message.method === 'initialize')).toHaveLength(1);
    expect(client.state).toBe('ready');
  });
});

describe('the old HTTP+SSE transport', () => {
  const [revision = ''] = REVISIONS.map(({ version }) => version);

  it('finds a server that is restarted again, subscriptions and waiting calls included', async () => {
    const host = await restartable('/sse');
    await host.start();
    const client = await open(host.url, revision, { whenNotReady: 'wait' });
    const updates: string[] = [];
    await client.resources.subscribe('live:resource', ({ uri }) => updates.push(uri));
    await host.stop();
    await expect.poll(() => client.state).toBe('backoff');
    const waiting = client.tools.call('generation');
    const second = await host.start();
    expect(textOf(await waiting)).toBe('2');
    expect(updates).toEqual(['live:resource']);
    await second.resourceUpdated('live:resource');
    await expect.poll(() => updates.length).toBe(2);
  });

  it('fails what was under way when the stream is cut, and says that the server may have acted', async () => {
    const server = createServer({ name: 'behind', version: '1' });
    cleanup(() => server.close({ drain: 0 }));
    let running = (): void => {};
    server.tool('slow', {}, async (_args, ctx) => {
      running();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return 'too late';
    });
    const { origin } = await server.http({ allowedHosts: ['127.0.0.1'], legacySse: true });
    const wire = await cable(Number(new URL(origin).port));
    const client = await open(`http://127.0.0.1:${wire.port}/sse`, revision);
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const call = expect(client.tools.call('slow')).rejects.toMatchObject({ mayHaveActed: true });
    await started;
    wire.cut();
    await call;
    await wire.mend();
    await client.whenReady();
  });
});

/** Passes bytes on until it is cut. */
async function cable(to: number): Promise<{ port: number; cut(): void; mend(): Promise<void> }> {
  const port = await freePort();
  const sockets = new Set<Socket>();
  let proxy: NetServer | undefined;
  const cut = (): void => {
    proxy?.close();
    for (const socket of sockets) socket.destroy();
  };
  cleanup(cut);
  const mend = (): Promise<void> =>
    new Promise((resolve) => {
      proxy = createProxy((near) => {
        const far = dial(to, '127.0.0.1');
        for (const socket of [near, far]) {
          sockets.add(socket);
          socket
            .on('error', () => {})
            .on('close', () => {
              sockets.delete(socket);
              near.destroy();
              far.destroy();
            });
        }
        near.pipe(far);
        far.pipe(near);
      }).listen(port, '127.0.0.1', resolve);
    });
  await mend();
  return { port, cut, mend };
}

describe.each(HTTP_REVISIONS)('a network that is cut (%s)', (revision) => {
  it('loses no session, and a read-only call under way is sent again', async () => {
    const server = createServer({ name: 'behind', version: '1' });
    cleanup(() => server.close({ drain: 0 }));
    let running: (() => void) | undefined;
    let calls = 0;
    const sessions = new Set<unknown>();
    server.tool('slow', { annotations: { readOnlyHint: true } }, async (_args, ctx) => {
      calls += 1;
      sessions.add(ctx.caller.sessionId);
      if (calls > 1) return 'done';
      running?.();
      await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve));
      return 'too late';
    });
    const { origin } = await server.http({ allowedHosts: ['127.0.0.1'] });
    const wire = await cable(Number(new URL(origin).port));
    const client = await open(`http://127.0.0.1:${wire.port}/mcp`, revision);
    await client.tools.list();
    const started = new Promise<void>((resolve) => {
      running = resolve;
    });
    const call = client.tools.call('slow');
    await started;
    wire.cut();
    await expect.poll(() => client.state).not.toBe('ready');
    await wire.mend();
    expect(textOf(await call)).toBe('done');
    expect(sessions.size).toBe(1);
  });
});
