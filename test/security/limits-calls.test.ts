/** How many calls may run at once: the same on every way in, for one client and for all together. */

import { describe, expect, it } from 'vitest';
import type { ServerOptions } from '../../src/server/index.js';
import { initializeMessage, post, SessionPeer, statelessCall, statelessTool } from '../support/http-peer.js';
import { createFixture, type Fixture } from '../support/http-server.js';
import { describeMatrix, startsWith } from '../support/http-target.js';
import { LegacyPeer } from '../support/legacy-peer.js';
import { RawSocket } from '../support/raw-socket.js';
import { openRevision, STATELESS_VERSION, VERSIONS } from '../support/wire-peer.js';

const BATCHING = '2025-03-26';

function limited(limits: ServerOptions['limits'] = {}, options: Partial<ServerOptions> = {}): Fixture {
  return createFixture({
    limits: { concurrentCalls: 3, peerCalls: 6, totalCalls: 9, ...limits },
    ...options,
  });
}

function waits(count: number): object[] {
  return Array.from({ length: count }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'wait', arguments: {} },
  }));
}

/** Who calls is in a header. */
const authenticate: NonNullable<NonNullable<ServerOptions['http']>['authenticate']> = (request) => ({
  principal: request.header('x-user') ?? 'nobody',
});

describeMatrix('calls over HTTP', (start, adapter) => {
  it('are bounded for one session within a batch', async () => {
    const { server, steps } = limited();
    const peer = await SessionPeer.open(await start(server), BATCHING);
    const answering = peer.post(waits(20));
    await steps.until('started', 3);
    steps.open('go');
    const answers = await (await answering).messages();
    expect(answers.filter(({ error }) => error === undefined)).toHaveLength(3);
    expect(answers.filter(({ error }) => error?.message.startsWith('Too many calls'))).toHaveLength(17);
    expect(steps.count('started')).toBe(3);
  });

  it('are bounded over several batches of one session', async () => {
    const { server, steps } = limited({ batch: 3 });
    const peer = await SessionPeer.open(await start(server), BATCHING);
    const first = peer.post(waits(2));
    await steps.until('started', 2);
    const second = peer.post(waits(5).slice(2));
    await steps.until('started', 3);
    steps.open('go');
    expect((await (await first).messages()).every(({ error }) => error === undefined)).toBe(true);
    const errors = (await (await second).messages()).filter(({ error }) => error !== undefined);
    expect(errors).toHaveLength(2);
  });

  it('are bounded for one principal, over sessions and stateless requests together', async () => {
    const { server, steps } = limited({}, { http: { authenticate } });
    const target = await start(server);
    const headers = { 'x-user': 'ann' };
    const session = await SessionPeer.open(target, '2025-11-25', { headers });
    const running = [session.tool('wait'), session.tool('wait'), session.tool('wait')];
    for (let id = 0; id < 3; id += 1) running.push(statelessTool(target, 'wait', {}, { id, headers }));
    await steps.until('started', 6);
    const refused = await statelessTool(target, 'wait', {}, { headers });
    expect(refused.status).toBe(429);
    expect((await refused.error()).message).toContain('Too many calls at once');
    // Another one is not affected.
    running.push(statelessTool(target, 'wait', {}, { headers: { 'x-user': 'bob' } }));
    await steps.until('started', 7);
    steps.open('go');
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(7).fill(200));
    // What has ended counts no more.
    expect((await statelessTool(target, 'wait', {}, { headers })).status).toBe(200);
  });

  it('are bounded for all clients together', async () => {
    const { server, steps } = limited({}, { http: { authenticate } });
    const target = await start(server);
    const from = (user: number) => statelessTool(target, 'wait', {}, { headers: { 'x-user': `${user}` } });
    const running = Array.from({ length: 9 }, (_, user) => from(user));
    await steps.until('started', 9);
    const refused = await from(10);
    expect(refused.status).toBe(429);
    expect((await refused.error()).message).toContain('The server is busy');
    expect((await post(target, initializeMessage('2025-11-25'))).status).toBe(429);
    steps.open('go');
    await Promise.all(running);
    expect((await from(10)).status).toBe(200);
  });

  it('without a principal are bounded for their address, where the runtime knows it', async () => {
    const { server, steps } = limited();
    const target = await start(server);
    const running = Array.from({ length: 20 }, (_, id) => statelessTool(target, 'wait', {}, { id }));
    const most = adapter === 'node' ? 6 : 9;
    await steps.until('started', most);
    const settled = new Promise<void>((resolve) => {
      let refused = 0;
      for (const answer of running)
        void answer.then(({ status }) => {
          if (status !== 429) return;
          refused += 1;
          if (refused === 20 - most) resolve();
        });
    });
    await settled;
    expect(steps.count('started')).toBe(most);
    steps.open('go');
    await Promise.all(running);
  });
});

describe('calls on one connection of HTTP, sent one after the other without waiting', () => {
  const start = startsWith('node');

  it('are bounded, and the server serves the next client', async () => {
    const { server, steps } = limited();
    const target = await start(server);
    const { body, headers } = statelessCall('tools/call', { name: 'wait', arguments: {} });
    const text = JSON.stringify(body);
    const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': `${text.length}` });
    const request = `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${text}`;
    const socket = await RawSocket.open(target.origin);
    const other = await RawSocket.open(target.origin);
    // The server stops reading long before the end.
    for (const attacker of [socket, other]) void attacker.write(request.repeat(10_000));
    await steps.until('started', 6);
    socket.destroy();
    other.destroy();
    await Promise.all([socket.closed, other.closed]);
    await expect.poll(() => target.handle?.open().calls).toBe(0);
    expect(steps.count('started')).toBeLessThan(20);
    expect((await statelessTool(target, 'echo', { text: 'alive' })).status).toBe(200);
  });

  it('count for the address that the reverse proxy names, where the option says so', async () => {
    const { server, steps } = limited(
      {},
      { http: { clientAddress: (request) => request.header('x-real-ip') } },
    );
    const target = await start(server);
    const from = (address: string) =>
      statelessTool(target, 'wait', {}, { headers: { 'x-real-ip': address } });
    const running = Array.from({ length: 6 }, () => from('192.0.2.1'));
    await steps.until('started', 6);
    expect((await from('192.0.2.1')).status).toBe(429);
    running.push(from('192.0.2.2'));
    await steps.until('started', 7);
    steps.open('go');
    await Promise.all(running);
  });
});

describe('calls over the old HTTP+SSE', () => {
  const start = startsWith('node');

  it('are bounded for one connection, and for one address over several', async () => {
    const { server, steps } = limited();
    const target = await start(server, { legacySse: true });
    const peers = [
      await LegacyPeer.open(target),
      await LegacyPeer.open(target),
      await LegacyPeer.open(target),
    ];
    for (const peer of peers) await peer.initialize();
    for (const peer of peers) await Promise.all(waits(5).map((call) => peer.post(call)));
    await steps.until('started', 6);
    const refused = [];
    for (const peer of peers) {
      const wanted = peer === peers[2] ? 5 : 2;
      for (let seen = 0; seen < wanted; seen += 1) refused.push((await peer.stream.message()).error?.message);
    }
    expect(refused).toEqual(Array(9).fill('Too many calls at once; wait for some to finish'));
    expect(steps.count('started')).toBe(6);
    for (const peer of peers) peer.stream.drop();
  });
});

describe.each(VERSIONS)('calls over a stream of messages in %s', (version) => {
  it('are bounded for one connection and in total', async () => {
    const { server, steps } = limited({ totalCalls: 5 });
    const peers = [await openRevision(server, version), await openRevision(server, version)];
    const refusals = peers.flatMap((peer, index) => {
      const post = () => peer.post('tools/call', { name: 'wait', arguments: {} });
      const ids = [post(), post(), post(), post()];
      return ids.slice(index === 0 ? 3 : 2).map((id) => peer.wire.answerTo(id));
    });
    const messages = (await Promise.all(refusals)).map(({ error }) => error?.message);
    await Promise.all(peers.map((peer) => peer.wire.close()));
    expect(messages).toEqual([
      'Too many calls at once; wait for some to finish',
      'The server is busy with too many calls; try again later',
      'The server is busy with too many calls; try again later',
    ]);
    expect(steps.count('started')).toBe(5);
  });
});

it('bounds listen streams like other calls', async () => {
  const { server } = limited();
  const peer = await openRevision(server, STATELESS_VERSION);
  for (let stream = 0; stream < 3; stream += 1) {
    peer.post('subscriptions/listen', { notifications: {} });
    await peer.wire.notification('notifications/subscriptions/acknowledged');
  }
  expect((await peer.refusal('subscriptions/listen', { notifications: {} })).message).toContain(
    'Too many calls',
  );
});
