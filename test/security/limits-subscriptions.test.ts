/** Subscriptions: the limit comes before the work, and one request costs a bounded number of messages upstream. */

import { describe, expect, it } from 'vitest';
import { createChain } from '../../src/chain/index.js';
import { createServer, type Server } from '../../src/server/index.js';
import { type AttackedProxy, startProxy } from '../support/attacked-proxy.js';
import { cleanup } from '../support/cleanup.js';
import { type Sender, SessionPeer, stateless } from '../support/http-peer.js';
import { sendTo } from '../support/http-target.js';
import { HANDSHAKE_VERSIONS, openRevision, STATELESS_VERSION, VERSIONS } from '../support/wire-peer.js';

const LIMIT = 1000;
/** As many as fit into a body. */
const FLOOD = Array.from({ length: 400_000 }, (_, index) => index.toString(36));

interface Counted {
  readonly server: Server;
  /** Messages about subscriptions that reached it. */
  messages: number;
  /** The most `resources/subscribe` that were under way at the same time. */
  most: number;
}

/** A server that counts what it is asked to watch, and takes a moment to answer. */
function countingServer(version: string): Counted {
  const server = createServer({ name: 'watched', version: '1', revisions: [version], onError: () => {} });
  server.resource('test://{id}', {}, () => 'text');
  const counted: Counted = { server, messages: 0, most: 0 };
  let open = 0;
  server.use(
    { method: ['resources/subscribe', 'resources/unsubscribe', 'subscriptions/listen'] },
    async (call, next) => {
      counted.messages += 1;
      if (call.method === 'subscriptions/listen') return next(call);
      open += 1;
      counted.most = Math.max(counted.most, open);
      await new Promise((resolve) => setImmediate(resolve));
      open -= 1;
      return next(call);
    },
  );
  return counted;
}

function front(counted: Counted): ReturnType<ReturnType<typeof createChain>['to']> {
  const proxy = createChain({ onError: () => {} }).to(counted.server);
  cleanup(() => proxy.close({ drain: 0 }));
  return proxy;
}

describe.each(VERSIONS)('a chain in front of a server of %s', (version) => {
  it('refuses a listen request with 400,000 URIs before the server hears of any', async () => {
    const counted = countingServer(version);
    const handle = await front(counted).http();
    const target: Sender = { send: (call) => sendTo(handle.origin, call) };
    for (const _twice of [1, 2]) {
      const answer = await stateless(target, 'subscriptions/listen', {
        notifications: { resourceSubscriptions: FLOOD },
      });
      expect((await answer.error()).code).toBe(-32602);
    }
    expect(counted.messages).toBe(0);
  });

  it('opens the subscriptions of one stream a few at a time', async () => {
    const counted = countingServer(version);
    const peer = await openRevision(front(counted), STATELESS_VERSION);
    const uris = Array.from({ length: 300 }, (_, index) => `test://${index}`);
    peer.post('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
    const { params } = await peer.wire.notification('notifications/subscriptions/acknowledged');
    expect(params?.notifications).toEqual({ resourceSubscriptions: uris });
    expect(counted.messages).toBeGreaterThan(0);
    expect(counted.messages).toBeLessThanOrEqual(uris.length);
    expect(counted.most).toBeLessThanOrEqual(16);
  });
});

describe.each(HANDSHAKE_VERSIONS)('a session of %s behind a chain', (version) => {
  it('has a bounded number of subscriptions, however many it asks for at once', async () => {
    const counted = countingServer('2025-11-25');
    const peer = await openRevision(front(counted), version);
    const ids = Array.from({ length: LIMIT + 200 }, (_, index) =>
      peer.post('resources/subscribe', { uri: `test://${index}` }),
    );
    const answers = await Promise.all(ids.map((id) => peer.wire.answerTo(id)));
    expect(answers.filter(({ error }) => error !== undefined)).toHaveLength(200);
    expect(counted.messages).toBe(LIMIT);
    // What is given up makes room.
    await peer.call('resources/unsubscribe', { uri: 'test://0' });
    await peer.call('resources/subscribe', { uri: 'test://another' });
  });
});

it('gives up what it subscribed to when the client cancels in the middle', async () => {
  const counted = countingServer('2025-11-25');
  const proxy = front(counted);
  const peer = await openRevision(proxy, STATELESS_VERSION);
  const uris = Array.from({ length: LIMIT }, (_, index) => `test://${index}`);
  const id = peer.post('subscriptions/listen', { notifications: { resourceSubscriptions: uris } });
  peer.wire.notify('notifications/cancelled', { requestId: id });
  await expect.poll(() => counted.messages % 2).toBe(0);
  await peer.quiet();
  expect(counted.messages).toBeLessThan(200);
});

describe('plumb proxy', () => {
  it('survives listen requests with 400,000 URIs, and sessions that subscribe without end', async () => {
    const proxy: AttackedProxy = await startProxy(['--isolate', 'shared'], { heapMegabytes: 200 });
    cleanup(() => proxy.close());
    for (const _time of [1, 2, 3]) {
      const answer = await stateless(proxy, 'subscriptions/listen', {
        notifications: { resourceSubscriptions: FLOOD },
      });
      expect((await answer.error()).code).toBe(-32602);
    }
    const peer = await SessionPeer.open(proxy, '2025-11-25');
    const long = 'x'.repeat(3_900_000);
    for (let index = 0; index < 20; index += 1) {
      const answer = await peer.request('resources/subscribe', { uri: `test://${index}${long}` });
      expect((await answer.error()).code).toBe(-32602);
    }
    await proxy.expectAlive();
  });
});
