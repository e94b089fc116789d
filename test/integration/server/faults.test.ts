/** Connections that break at the worst moment, and clients that never say goodbye. */

import { afterEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { createMemoryStore, type Store } from '../../../src/store/index.js';
import { SessionPeer, stateless, statelessCall, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { type HttpTarget, startsWith } from '../../support/http-target.js';
import { LegacyPeer } from '../../support/legacy-peer.js';
import { RawSocket } from '../../support/raw-socket.js';
import { EventParser, messageOf } from '../../support/sse-events.js';
import { textOf } from '../../support/wire-peer.js';

/** POSTs, reads exactly this many bytes of the answer, and vanishes. */
async function cutAfter(
  origin: string,
  headers: Record<string, string | undefined>,
  body: JsonObject,
  bytes: number,
): Promise<string> {
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': `${text.length}` })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}: ${value}`);
  const socket = await RawSocket.open(origin);
  await socket.head('POST /mcp HTTP/1.1', ...lines);
  await socket.write(text);
  await socket.untilLength(bytes);
  socket.destroy();
  await socket.closed;
  return socket.received.slice(0, bytes);
}

/** The whole events in the first bytes of an answer that is sent in chunks. */
function eventsIn(received: string) {
  const [, body = ''] = received.split(/\r\n\r\n(.*)/s);
  let data = '';
  for (let rest = body; rest !== ''; ) {
    const [, size = '', after = ''] = /^([0-9a-f]+)\r\n(.*)$/s.exec(rest) ?? [];
    if (size === '') break;
    const length = Number.parseInt(size, 16);
    data += after.slice(0, length);
    rest = after.slice(length + 2);
  }
  return new EventParser().push(data);
}

describe('a connection that is cut at any byte of a streamed answer', () => {
  const start = startsWith('node');
  const PARAMS = { name: 'tell', arguments: {}, _meta: { progressToken: 'p' } };

  /** The length of the answer up to the point where the call waits. */
  const lengthOf = async (
    target: HttpTarget,
    headers: Record<string, string | undefined>,
    body: JsonObject,
  ) => {
    let longest = 0;
    // The end of the first progress event is the last byte before the call waits.
    const socket = await RawSocket.open(target.origin);
    const text = JSON.stringify(body);
    const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': `${text.length}` });
    await socket.head(
      'POST /mcp HTTP/1.1',
      ...lines.flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`])),
    );
    await socket.write(text);
    await socket.until('first');
    await socket.until('\n\n\r\n');
    longest = socket.received.length;
    socket.destroy();
    await socket.closed;
    return longest;
  };

  it('cancels the call in the stateless revision, and the server goes on', async () => {
    const { server, steps, errors } = createFixture();
    const target = await start(server);
    const { body, headers } = statelessCall('tools/call', PARAMS, { meta: { progressToken: 'p' } });
    const length = await lengthOf(target, headers, body);
    expect(length).toBeGreaterThan(200);
    await steps.until('cancelled', 1);
    let calls = 1;
    for (let offset = 0; offset <= length; offset += 1) {
      await cutAfter(target.origin, headers, body, offset);
      calls += 1;
      if (calls % 50 === 0) expect((await statelessTool(target, 'echo')).status).toBe(200);
    }
    await steps.until('cancelled', steps.count('told'));
    while (target.handle?.open().calls !== 0) await new Promise((resolve) => setImmediate(resolve));
    expect(target.handle?.open()).toMatchObject({ streams: 0, calls: 0 });
    expect(steps.count('finished')).toBe(0);
    expect(errors).toEqual([]);
  });

  it('does not stop the call in the handshake era, and what was missed can be fetched', async () => {
    const { server, steps, errors } = createFixture();
    const target = await start(server, { store: createMemoryStore({ maxEvents: 10_000 }) });
    const peer = await SessionPeer.open(target, '2025-11-25');
    const headers = {
      ...peer.headers(),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    };
    const request = (id: number): JsonObject => ({
      jsonrpc: '2.0',
      id,
      method: 'tools/call',
      params: PARAMS,
    });
    const length = await lengthOf(target, headers, request(100_000));
    const seen = new Map<number, ReturnType<typeof eventsIn>>();
    for (let offset = 0; offset <= length; offset += 1) {
      seen.set(offset, eventsIn(await cutAfter(target.origin, headers, request(offset), offset)));
    }
    // One call for each byte, and the one that was measured; those cut before they began count as well.
    await steps.until('told', length + 2);
    steps.open('more');
    steps.open('go');
    await steps.until('finished', length + 2);
    expect(steps.count('cancelled')).toBe(0);
    let resumed = 0;
    for (const [offset, events] of seen) {
      const last = events.findLast(({ id }) => id !== undefined)?.id;
      if (last === undefined) continue;
      const rest = await (await peer.stream(last)).messages();
      const progress = [...events.map(messageOf), ...rest].flatMap(
        (message) => message?.params?.progress ?? [],
      );
      expect(progress).toEqual([1, 2, 3]);
      expect(rest.at(-1)?.id).toBe(offset);
      expect(textOf(rest.at(-1)?.result ?? {})).toBe('told');
      resumed += 1;
    }
    expect(resumed).toBeGreaterThan(50);
    expect(target.handle?.open()).toMatchObject({ streams: 0, calls: 0 });
    expect(errors).toEqual([]);
  });
});

describe('1,000 clients that vanish', () => {
  const start = startsWith('node');
  afterEach(() => vi.useRealTimers());

  /** A store that counts what is in it. */
  const counting = (store: Store): { store: Store; sessions: Set<string>; topics: () => number } => {
    const sessions = new Set<string>();
    let topics = 0;
    return {
      sessions,
      topics: () => topics,
      store: {
        ...store,
        sessions: {
          create: (id, record) => {
            sessions.add(id);
            return store.sessions.create(id, record);
          },
          get: (id) => store.sessions.get(id),
          peek: (id) => store.sessions.peek(id),
          update: (id, record) => store.sessions.update(id, record),
          delete: (id) => store.sessions.delete(id),
        },
        bus: {
          publish: (topic, text) => store.bus.publish(topic, text),
          subscribe: async (topic, receive) => {
            const unsubscribe = await store.bus.subscribe(topic, receive);
            topics += 1;
            let open = true;
            return () => {
              if (open) topics -= 1;
              open = false;
              return unsubscribe();
            };
          },
        },
      },
    };
  };

  it('leave no session, stream, call, listener, timer or handle behind', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let now = 0;
    const inner = createMemoryStore({ sessionIdle: 60_000, now: () => now });
    const { store, sessions, topics } = counting(inner);
    const { server, errors } = createFixture();
    const target = await start(server, { store, legacySse: true, keepAlive: 10_000 });
    const timers = vi.getTimerCount();

    /** Ways to be a client for a moment. */
    const vanishing: readonly (() => Promise<void>)[] = [
      // A GET stream, dropped.
      async () => {
        const peer = await SessionPeer.open(target, '2025-11-25');
        const stream = await peer.stream();
        await stream.event();
        stream.drop();
      },
      // A GET stream, resumed, dropped.
      async () => {
        const peer = await SessionPeer.open(target, '2025-11-25');
        const stream = await peer.stream();
        const { id } = await stream.event();
        stream.drop();
        (await peer.stream(id)).drop();
      },
      // A question that is never answered.
      async () => {
        const peer = await SessionPeer.open(target, '2025-06-18', { capabilities: { roots: {} } });
        const call = await peer.tool('roots');
        await call.message('roots/list');
        call.drop();
      },
      // A call that is left alone, and a subscription to a resource.
      async () => {
        const peer = await SessionPeer.open(target, '2025-03-26');
        await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).text();
        const call = await peer.tool('tell', {}, { meta: { progressToken: 1 } });
        await call.message();
        call.drop();
      },
      // Nothing but a session.
      async () => void (await SessionPeer.open(target, '2025-06-18', { initialized: false })),
      // A call that let its client go, who does not come back.
      async () => {
        const peer = await SessionPeer.open(target, '2025-11-25');
        await (await peer.tool('release')).text();
      },
      // A stateless call and a subscription.
      async () => {
        const call = await statelessTool(target, 'tell', {}, { meta: { progressToken: 1 } });
        await call.message();
        call.drop();
      },
      async () => {
        const listen = await stateless(target, 'subscriptions/listen', {
          notifications: { toolsListChanged: true },
        });
        await listen.message();
        listen.drop();
      },
      // The old transport, with a call that runs.
      async () => {
        const old = await LegacyPeer.open(target);
        await old.initialize();
        await old.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
        old.stream.drop();
      },
      // Half a request.
      async () => {
        const socket = await RawSocket.open(target.origin);
        await socket.head(
          'POST /mcp HTTP/1.1',
          'Host: localhost',
          'Content-Type: application/json',
          'Content-Length: 99',
        );
        socket.destroy();
      },
    ];
    for (let round = 0; round < 100; round += 1) await Promise.all(vanishing.map((vanish) => vanish()));
    server.listChanged('tools');
    server.resourceUpdated('test://fixed');
    expect(sessions.size).toBe(600);

    // Everything idle expires; the rounds of the endpoint find out.
    for (let passed = 0; passed < 90_000; passed += 10_000) {
      now += 10_000;
      await vi.advanceTimersByTimeAsync(10_000);
    }
    const open = () => target.handle?.open();
    while ((open()?.calls ?? 0) + (open()?.listeners ?? 0) + (open()?.streams ?? 0) > 0) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(open()).toEqual({ streams: 0, calls: 0, standalone: 0, listeners: 0 });
    const alive = await Promise.all([...sessions].map((id) => inner.sessions.peek(id)));
    expect(alive.filter((record) => record !== undefined)).toEqual([]);
    // One topic stays: what the nodes tell each other.
    expect(topics()).toBe(1);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(vi.getTimerCount()).toBe(timers);
    const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
    while (sockets() > 0) await new Promise((resolve) => setImmediate(resolve));
    expect(errors).toEqual([]);
    expect((await statelessTool(target, 'echo', { text: 'alive' })).status).toBe(200);
  });
});
