/** What a client can make a server keep has a budget in bytes, for one client and for all, on every way in. */

import { describe, expect, it } from 'vitest';
import { createChain } from '../../src/chain/index.js';
import { REVISIONS } from '../../src/protocol/revisions/index.js';
import { createServer, type ServerOptions } from '../../src/server/index.js';
import { Session } from '../../src/server/session.js';
import { createMemoryStore } from '../../src/store/index.js';
import { startProxy } from '../support/attacked-proxy.js';
import { cleanup } from '../support/cleanup.js';
import { expectHealthy } from '../support/healthy.js';
import { initializeMessage, post, SessionPeer, stateless, statelessTool } from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import { describeMatrix, startsWith } from '../support/http-target.js';
import { LegacyPeer } from '../support/legacy-peer.js';
import {
  HANDSHAKE_VERSIONS,
  openOn,
  openRevision,
  STATELESS_VERSION,
  WirePeer,
} from '../support/wire-peer.js';

const MEBIBYTE = 1024 * 1024;
const HUGE = 'x'.repeat(3_900_000);
const LARGE = 'x'.repeat(100_000);

const authenticate: NonNullable<NonNullable<ServerOptions['http']>['authenticate']> = (request) => ({
  principal: request.header('x-user') ?? 'nobody',
});

function capabilities(text: string): { capabilities: { experimental: { text: string } } } {
  return { capabilities: { experimental: { text } } };
}

describeMatrix('sessions over HTTP', (start) => {
  it.each(HANDSHAKE_VERSIONS)(
    'are not opened with 3.9 MB of capabilities or client info in %s',
    async (version) => {
      const target = await start(createFixture().server);
      for (const options of [capabilities(HUGE), { clientInfo: { name: HUGE, version: '1' } }]) {
        const answer = await post(target, initializeMessage(version, options));
        expect(answer.status).toBe(400);
        expect((await answer.error()).message).toContain('bytes that a session may have');
      }
      await expectHealthy(target);
    },
  );

  it('are not opened with a small text that takes much memory', async () => {
    const target = await start(createFixture().server);
    const many = { experimental: { list: Array.from({ length: 20_000 }, () => ({})) } };
    const answer = await post(target, initializeMessage('2025-11-25', { capabilities: many }));
    expect(answer.status).toBe(400);
  });

  it('together take no more than the store has for them, and room comes back', async () => {
    const store = createMemoryStore({ maxSessionBytes: MEBIBYTE, maxSessionBytesPerPeer: MEBIBYTE });
    const target = await start(createFixture({ http: { store } }).server);
    const sessions: SessionPeer[] = [];
    let refused = 0;
    for (let opened = 0; opened < 20; opened += 1) {
      const opening = await post(target, initializeMessage('2025-11-25', capabilities(LARGE)));
      if (opening.status === 200) sessions.push(new SessionPeer(target, opening, '2025-11-25', {}));
      else {
        expect(opening.status).toBe(503);
        refused += 1;
      }
    }
    expect([sessions.length, refused]).toEqual([10, 10]);
    await sessions[0]?.end();
    expect((await post(target, initializeMessage('2025-11-25', capabilities(LARGE)))).status).toBe(200);
  });

  it('of one principal leave room for those of others', async () => {
    const store = createMemoryStore({ maxSessionBytes: 2 * MEBIBYTE });
    const target = await start(createFixture({ http: { store, authenticate } }).server);
    const open = async (user: string) =>
      (await post(target, initializeMessage('2025-11-25', capabilities(LARGE)), { 'x-user': user })).status;
    const statuses = [];
    for (let opened = 0; opened < 8; opened += 1) statuses.push(await open('greedy'));
    expect(statuses).toEqual([200, 200, 200, 200, 200, 503, 503, 503]);
    expect(await open('modest')).toBe(200);
  });

  it('do not subscribe to URIs that are too long, or too long together', async () => {
    const target = await start(createFixture().server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    expect((await (await peer.request('resources/subscribe', { uri: HUGE })).error()).code).toBe(-32602);
    const errors = [];
    for (const end of ['a', 'b', 'c'])
      errors.push((await (await peer.request('resources/subscribe', { uri: LARGE + end })).response()).error);
    expect(errors).toEqual([undefined, undefined, expect.objectContaining({ code: -32602 })]);
    await (await peer.request('resources/unsubscribe', { uri: `${LARGE}a` })).result();
    await (await peer.request('resources/subscribe', { uri: `${LARGE}c` })).result();
  });

  it('are told when the store has no room for another subscription, and do not have it then', async () => {
    const tight = createMemoryStore({ maxSessionBytes: 150_000, maxSessionBytesPerPeer: 150_000 });
    const small = await start(createFixture({ http: { store: tight } }).server);
    const peer = await SessionPeer.open(small, '2025-03-26');
    await (await peer.request('resources/subscribe', { uri: LARGE })).result();
    const refused = await peer.request('resources/subscribe', { uri: `${LARGE}b` });
    expect((await refused.error()).message).toContain('The limit of subscriptions is reached');
    const batch = await peer.post([
      { jsonrpc: '2.0', id: 'one', method: 'resources/subscribe', params: { uri: `${LARGE}c` } },
      { jsonrpc: '2.0', id: 'two', method: 'ping' },
    ]);
    expect((await batch.messages()).map(({ error }) => error?.message)).toEqual([
      expect.stringContaining('The limit of subscriptions is reached'),
      expect.stringContaining('The limit of subscriptions is reached'),
    ]);
    expect((await tight.sessions.peek(peer.id))?.subscriptions).toEqual([LARGE]);
    await (await peer.request('resources/unsubscribe', { uri: LARGE })).result();
    await (await peer.request('resources/subscribe', { uri: `${LARGE}b` })).result();
  });
});

describeMatrix('large messages whose calls are running', (start) => {
  const limits = { peerMessageBytes: 3 * MEBIBYTE, messageBytes: 4 * MEBIBYTE };
  const text = 'x'.repeat(500_000);

  it('are bounded for one client and for all', async () => {
    const { server, steps } = createFixture({ limits, http: { authenticate } });
    const target = await start(server);
    const call = (user: string) =>
      statelessTool(target, 'wait', {}, { headers: { 'x-user': user }, meta: { 'test/text': text } });
    const running = [call('ann'), call('ann'), call('ann')];
    await steps.until('started', 3);
    const refused = await call('ann');
    expect(refused.status).toBe(429);
    expect((await refused.error()).message).toContain('too much memory');
    running.push(call('bob'));
    await steps.until('started', 4);
    expect((await call('bob')).status).toBe(429);
    // Small ones are still served.
    expect(
      (await statelessTool(target, 'echo', { text: 'hi' }, { headers: { 'x-user': 'ann' } })).status,
    ).toBe(200);
    steps.open('go');
    await Promise.all(running);
    expect((await call('ann')).status).toBe(200);
  });

  it('count as long as their stream is open: 20 listen requests with long URIs', async () => {
    const { server } = createFixture({ limits });
    const target = await start(server);
    const answers = [];
    for (let stream = 0; stream < 20; stream += 1)
      answers.push(
        await stateless(target, 'subscriptions/listen', { notifications: { resourceSubscriptions: [text] } }),
      );
    const open = answers.filter(({ status }) => status === 200);
    expect(open.length).toBeGreaterThan(0);
    expect(open.length).toBeLessThan(5);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - open.length);
    for (const answer of open) answer.drop();
    await expect
      .poll(async () => {
        const answer = await stateless(target, 'subscriptions/listen', {
          notifications: { resourceSubscriptions: [text] },
        });
        answer.drop();
        return answer.status;
      })
      .toBe(200);
  });
});

describe('sessions that live with their connection', () => {
  const start = startsWith('node');
  const limits = { peerStateBytes: 500_000, stateBytes: 800_000 };

  it('are bounded over the old HTTP+SSE for one address', async () => {
    const target = await start(createFixture({ limits }).server, { legacySse: true });
    const refusals = [];
    const peers: LegacyPeer[] = [];
    for (let opened = 0; opened < 7; opened += 1) {
      const peer = await LegacyPeer.open(target);
      peers.push(peer);
      refusals.push((await peer.initialize('2024-11-05', { experimental: { text: LARGE } })).error?.message);
    }
    expect(refusals.slice(0, 4)).toEqual([undefined, undefined, undefined, undefined]);
    expect(refusals.slice(4)).toEqual(Array(3).fill(expect.stringContaining('no room for another session')));
    for (const peer of peers) peer.stream.drop();
    await expect
      .poll(async () => {
        const peer = await LegacyPeer.open(target);
        const { error } = await peer.initialize('2024-11-05', { experimental: { text: LARGE } });
        peer.stream.drop();
        return error;
      })
      .toBeUndefined();
  });

  it.each(HANDSHAKE_VERSIONS)('are bounded over a stream of messages in %s', async (version) => {
    const { server } = createFixture({ limits });
    const wires = [];
    const refusals = [];
    for (let opened = 0; opened < 10; opened += 1) {
      const wire = await WirePeer.connect(server);
      wires.push(wire);
      const { opening } = await openOn(wire, version, { capabilities: { experimental: { text: LARGE } } });
      refusals.push(opening.error);
    }
    expect(refusals.filter((error) => error === undefined)).toHaveLength(7);
    await wires[0]?.close();
    const again = await openRevision(server, version, { capabilities: { experimental: { text: LARGE } } });
    expect(again.opening.error).toBeUndefined();
    await Promise.all([...wires.slice(1), again.wire].map((wire) => wire.close()));
  });

  it('keep no record of what changed, which nobody would write down', () => {
    const [revision] = REVISIONS;
    if (revision === undefined) throw new Error('There are revisions');
    const session = new Session({ revision, clientInfo: undefined, capabilities: {} });
    for (let index = 0; index < 10; index += 1) {
      session.subscribe(`test://${index}`);
      session.unsubscribe(`test://${index}`);
    }
    expect(session.changed).toBe(false);
    expect(session.subscriptions.size).toBe(0);
  });
});

describe('calls that wait in a chain for the answer of a stateless client', () => {
  it('are bounded in bytes', async () => {
    const server = createServer({ name: 'asking', version: '1', revisions: ['2025-11-25'] });
    const form = { type: 'object', properties: { name: { type: 'string' } } } as const;
    server.tool('ask', { input: { type: 'object', additionalProperties: true } }, async (_args, ctx) =>
      JSON.stringify(await ctx.elicit('Your name?', form)),
    );
    // Over HTTP a question comes on the stream of its call.
    const upstream = await server.http();
    const proxy = createChain({ limits: { stateBytes: 500_000 } }).to(upstream.url);
    cleanup(
      () => server.close({ drain: 0 }),
      () => proxy.close({ drain: 0 }),
    );
    const peer = await openRevision(proxy, STATELESS_VERSION, {
      capabilities: { elicitation: { form: {} } },
    });
    const outcomes = [];
    for (let asked = 0; asked < 6; asked += 1) {
      const answer = await peer.request('tools/call', { name: 'ask', arguments: { text: LARGE, asked } });
      outcomes.push(answer.error?.message ?? answer.result?.resultType);
    }
    expect(outcomes.slice(0, 4)).toEqual(Array(4).fill('input_required'));
    expect(outcomes.slice(4)).toEqual(Array(2).fill('Too many calls wait for answers; try again later'));
  });
});

describe('plumb proxy', () => {
  it('survives sessions, streams and subscriptions of 3.9 MB each', async () => {
    const proxy = await startProxy(['--isolate', 'shared', '--legacy-sse']);
    cleanup(() => proxy.close());
    const session = await SessionPeer.open(proxy, '2025-11-25');
    for (let round = 0; round < 40; round += 1) {
      const answers = await Promise.all([
        post(proxy, initializeMessage('2025-11-25', capabilities(HUGE))),
        post(proxy, initializeMessage('2025-11-25', { clientInfo: { name: HUGE, version: '1' } })),
        session.request('resources/subscribe', { uri: HUGE }),
        stateless(proxy, 'subscriptions/listen', { notifications: { resourceSubscriptions: [HUGE] } }),
      ]);
      // Those that are accepted stay open; what they hold is what is bounded.
      expect(answers.slice(0, 2).map(({ status }) => status)).toEqual([400, 400]);
    }
    await proxy.expectAlive();
  });
});
