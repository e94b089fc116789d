/** Closing a server: what runs may finish within the limit, nothing new begins, and nothing is left. */

import { connect as dial } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/store/index.js';
import {
  initializeMessage,
  post,
  SessionPeer,
  stateless,
  statelessCall,
  statelessTool,
} from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix, type HttpCall, type HttpTarget, sendTo } from '../../support/http-target.js';
import { LegacyPeer } from '../../support/legacy-peer.js';
import { RawSocket } from '../../support/raw-socket.js';
import { textOf } from '../../support/wire-peer.js';

const PROGRESS = { meta: { progressToken: 'p' } };
const LONG = 60_000;

/** Waits until the server closes: its port does, or without one it answers so. */
async function untilClosing(target: HttpTarget): Promise<void> {
  const isOpen = async (): Promise<boolean> =>
    target.adapter === 'fetch'
      ? (await statelessTool(target, 'echo')).status === 200
      : accepts(target.origin);
  while (await isOpen()) await new Promise((resolve) => setImmediate(resolve));
}

/** Whether somebody listens there. Nothing is sent, so there is nothing to lose. */
function accepts(origin: string): Promise<boolean> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const socket = dial(Number(port), hostname);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') resolve(false);
      // The port was closed between the connection and its acceptance.
      else if (error.code === 'ECONNRESET') resolve(true);
      else reject(error);
    });
  });
}

describeMatrix('a server that closes', (start) => {
  it('lets running calls finish, streamed or not, in both eras', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const plain = [peer.tool('wait'), statelessTool(target, 'wait')];
    const streamed = [
      await peer.tool('tell', {}, PROGRESS),
      await statelessTool(target, 'tell', {}, PROGRESS),
    ];
    await steps.until('started', 2);
    await steps.until('told', 2);
    const closed = server.close({ drain: LONG });
    await untilClosing(target);
    steps.open('more');
    await steps.until('told more', 2);
    steps.open('go');
    await closed;
    for (const answer of await Promise.all(plain)) expect(textOf(await answer.result())).toBe('waited');
    for (const answer of streamed) {
      const messages = await answer.messages();
      expect(messages.flatMap(({ params }) => params?.progress ?? [])).toEqual([1, 2, 3]);
      expect(textOf(messages.at(-1)?.result ?? {})).toBe('told');
    }
    expect(steps.count('cancelled')).toBe(0);
  });

  it('cancels and cuts what does not finish within the limit', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const plain = [peer.tool('wait'), statelessTool(target, 'wait')].map((pending) =>
      pending.catch(() => undefined),
    );
    const streamed = [
      await peer.tool('tell', {}, PROGRESS),
      await statelessTool(target, 'tell', {}, PROGRESS),
    ];
    await steps.until('started', 2);
    await steps.until('told', 2);
    await server.close({ drain: 10 });
    await steps.until('cancelled', 4);
    await Promise.all(plain);
    for (const answer of streamed) {
      await answer.ending;
      expect(answer.received.every(({ result }) => result === undefined)).toBe(true);
    }
    expect(steps.count('finished')).toBe(0);
  });

  it('ends streams that would stay open for ever, at once', async () => {
    const { server } = createFixture();
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const get = await peer.stream();
    const first = await get.event();
    get.drop();
    const resumed = await peer.stream(first.id);
    const fresh = await peer.stream();
    const listen = await stateless(target, 'subscriptions/listen', { notifications: {} });
    await listen.message();
    await server.close({ drain: LONG });
    for (const stream of [resumed, fresh, listen]) expect(await stream.ending).toBe('end');
    expect((await listen.messages()).at(-1)?.result).toBeTruthy();
  });

  it('refuses what is new', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const running = statelessTool(target, 'wait');
    await steps.until('started');
    const closed = server.close({ drain: LONG });
    await untilClosing(target);
    const refusal = await statelessTool(target, 'echo').then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect(refusal).toBe(target.adapter === 'fetch' ? 503 : 'ECONNREFUSED');
    steps.open('go');
    await closed;
    expect((await running).status).toBe(200);
    if (target.adapter === 'fetch') expect((await statelessTool(target, 'echo')).status).toBe(503);
  });

  it('can be closed twice, and with nothing to do', async () => {
    const { server } = createFixture();
    await start(server);
    await server.close();
    await server.close();
  });

  it('leaves a store that was given to it alone', async () => {
    const store = createMemoryStore();
    const { server } = createFixture({ http: { store } });
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    await server.close();
    expect(await store.sessions.get(peer.id)).toBeTruthy();
    await store.close();
  });
});

describe('a listener', () => {
  it('answers a request that was under way when it closed, and says why it is refused', async () => {
    const { server, steps } = createFixture();
    const handle = await server.http();
    const target = { send: (call: HttpCall) => sendTo(handle.origin, call) };
    const running = statelessTool(target, 'wait');
    await steps.until('started');
    const { body, headers } = statelessCall('tools/call', { name: 'echo', arguments: { text: 'hi' } });
    const text = JSON.stringify(body);
    const fields = Object.entries({ ...headers, host: 'localhost', 'content-length': String(text.length) });
    const head = `POST /mcp HTTP/1.1\r\n${fields.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n`;
    const socket = await RawSocket.open(handle.origin);
    // A whole request and the beginning of another: once the first is answered, the server has that too.
    await socket.write(`${head}\r\n${text}${head}`);
    await socket.until('HTTP/1.1 200');
    const closed = server.close({ drain: LONG });
    while (await accepts(handle.origin)) await new Promise((resolve) => setImmediate(resolve));
    await socket.write(`\r\n${text}`);
    await socket.until('HTTP/1.1 503');
    steps.open('go');
    await closed;
    expect((await running).status).toBe(200);
  });

  it('closes alone: the others of its server go on', async () => {
    const { server } = createFixture();
    const first = await server.http();
    const second = await server.http();
    await first.close();
    await expect(sendTo(first.origin, { body: '{}' })).rejects.toThrow('ECONNREFUSED');
    expect(
      (await post({ send: (call) => sendTo(second.origin, call) }, initializeMessage('2025-11-25'))).status,
    ).toBe(200);
    await server.close();
  });

  it('leaves nothing behind: no handle keeps the process', async () => {
    const handles = () => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCP')).length;
    const before = handles();
    const { server } = createFixture();
    const handle = await server.http({ legacySse: true });
    const target = { send: (call: HttpCall) => sendTo(handle.origin, call) };
    const peer = await SessionPeer.open(target, '2025-11-25');
    const old = await LegacyPeer.open(target);
    const stream = await peer.stream();
    const listen = await stateless(target, 'subscriptions/listen', { notifications: {} });
    await server.close();
    await Promise.all([old.stream.ending, stream.ending, listen.ending]);
    expect(handle.open()).toEqual({ streams: 0, calls: 0, standalone: 0, listeners: 0 });
    while (handles() > before) await new Promise((resolve) => setImmediate(resolve));
  });
});
