/** Sessions of the handshake era (Streamable HTTP, session management). */

import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../../src/store/index.js';
import { createAsyncStore } from '../../support/async-store.js';
import { initializeMessage, post, type Sender, SessionPeer } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { textOf } from '../../support/wire-peer.js';

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

/** Every way to use a session, and what it is answered with. */
async function uses(peer: SessionPeer, headers = {}): Promise<number[]> {
  const answers = [
    await peer.post(PING, headers),
    await peer.post({ jsonrpc: '2.0', method: 'notifications/x' }, headers),
    await peer.post({ jsonrpc: '2.0', id: 'a', result: {} }, headers),
    await peer.stream(undefined, headers),
    await peer.end(headers),
  ];
  for (const answer of answers) if (answer.isStream) answer.drop();
  return answers.map(({ status }) => status);
}

const stores = {
  'in memory': () => createMemoryStore(),
  'that answers later': () => createAsyncStore(createMemoryStore()),
};

describe.each(Object.entries(stores))('with a store %s', (_name, createStore) => {
  describeMatrix('a session', (start) => {
    describe.each(VERSIONS)('of revision %s', (version) => {
      const open = async () => {
        const target = await start(createFixture({ http: { store: createStore() } }).server);
        return { target, peer: await SessionPeer.open(target, version) };
      };

      it('is announced with the answer to initialize, in visible ASCII', async () => {
        const { peer } = await open();
        expect(peer.opening.header('mcp-session-id')).toMatch(/^[\x21-\x7e]{16,}$/);
      });

      it('serves requests, notifications, responses, a stream and its end', async () => {
        const { peer } = await open();
        expect(await uses(peer)).toEqual([200, 202, 202, 200, 204]);
      });

      it('must be named: 400 without it', async () => {
        const { peer } = await open();
        expect(await uses(peer, { 'mcp-session-id': undefined })).toEqual([400, 400, 400, 400, 400]);
      });

      it('must exist: 404 for another id', async () => {
        const { peer } = await open();
        for (const id of [
          'made-up',
          `${peer.id}x`,
          peer.id.toUpperCase(),
          '',
          `${peer.id}, ${peer.id}`,
          '__proto__',
        ]) {
          expect(await uses(peer, { 'mcp-session-id': id })).toEqual([404, 404, 404, 404, 404]);
        }
      });

      it('is gone for good after DELETE', async () => {
        const { peer } = await open();
        expect((await peer.end()).status).toBe(204);
        expect(await uses(peer)).toEqual([404, 404, 404, 404, 404]);
      });

      it('echoes the id of a request that it refuses', async () => {
        const { target, peer } = await open();
        const missing = await post(target, { ...PING, id: 'm' });
        expect(await missing.json()).toMatchObject({ id: 'm', error: { code: -32600 } });
        const unknown = await peer.post({ ...PING, id: 'u' }, { 'mcp-session-id': 'made-up' });
        expect(await unknown.json()).toMatchObject({ id: 'u' });
      });
    });

    it('remembers its revision, its client, its log level and its subscriptions', async () => {
      const { server } = createFixture({ http: { store: createStore() } });
      let seen: unknown;
      server.tool('seen', {}, (_args, ctx) => {
        const { revision, client, capabilities, sessionId } = ctx.caller;
        seen = { revision, name: client?.name, capabilities, sessionId };
        ctx.log('debug', 'now wanted');
        return '';
      });
      const target = await start(server);
      const peer = await SessionPeer.open(target, '2025-06-18', {
        capabilities: { sampling: {} },
        clientInfo: { name: 'ada', version: '2' },
      });
      await (await peer.request('logging/setLevel', { level: 'debug' })).result();
      const answer = await peer.tool('seen');
      expect((await answer.messages())[0]).toMatchObject({ method: 'notifications/message' });
      expect(seen).toEqual({
        revision: '2025-06-18',
        name: 'ada',
        capabilities: { sampling: {} },
        sessionId: peer.id,
      });
    });

    it('cancels what runs when it ends', async () => {
      const { server, steps } = createFixture({ http: { store: createStore() } });
      const peer = await SessionPeer.open(await start(server), '2025-11-25');
      const pending = peer.tool('wait');
      await steps.until('started');
      await peer.end();
      await steps.until('cancelled');
      expect(await (await pending).messages()).toEqual([]);
    });

    it('takes its streams along when it ends, resumed and outdated ones too', async () => {
      const { server, steps } = createFixture({ http: { store: createStore() } });
      const peer = await SessionPeer.open(await start(server), '2025-11-25');
      const call = await peer.tool('tell', {}, { meta: { progressToken: 1 } });
      const { id } = await call.event();
      const resumed = await peer.stream(id);
      const outdated = await peer.stream();
      const newest = await peer.stream();
      await steps.until('told');
      await peer.end();
      for (const stream of [call, resumed, outdated, newest]) expect(await stream.ending).toBe('end');
    });
  });
});

describeMatrix('the id of a session', (start) => {
  it('is random and never used twice', async () => {
    const target = await start(createFixture().server);
    const ids = new Set<string>();
    for (let index = 0; index < 200; index += 1) {
      const answer = await post(target, initializeMessage('2025-11-25'));
      ids.add(answer.header('mcp-session-id') ?? '');
    }
    expect(ids.size).toBe(200);
    // Ids that differ in a few places only could be guessed.
    const places = [...ids].map((id) => id.replaceAll('-', ''));
    const constant = [...(places[0] ?? '')].filter((character, index) =>
      places.every((id) => id[index] === character),
    );
    expect(constant.length).toBeLessThanOrEqual(2);
  });

  it('is found whatever the case of its header', async () => {
    const target = await start(createFixture().server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const headers = { 'content-type': 'application/json', 'MCP-SESSION-ID': peer.id };
    const answer = await target.send({ headers, body: JSON.stringify(PING) });
    expect(answer.status).toBe(200);
  });
});

describeMatrix('a session of someone', (start) => {
  const authenticate = (request: { header(name: string): string | undefined }) => {
    const user = request.header('authorization')?.replace('Bearer ', '');
    return user === undefined
      ? ({ status: 401, message: 'Who are you?', headers: { 'WWW-Authenticate': 'Bearer' } } as const)
      : { principal: user };
  };
  const as = (user: string | undefined) => ({
    authorization: user === undefined ? undefined : `Bearer ${user}`,
  });

  const open = async (later: boolean) => {
    const { server } = createFixture({
      http: { authenticate: later ? async (request) => authenticate(request) : authenticate },
    });
    const target = await start(server);
    return { target, peer: await SessionPeer.open(target, '2025-11-25', { headers: as('ada') }) };
  };

  it.each([false, true])('is unknown to everyone else (credentials checked later: %s)', async (later) => {
    const { peer } = await open(later);
    expect(await uses(peer, as('bob'))).toEqual([404, 404, 404, 404, 404]);
    expect(await uses(peer)).toEqual([200, 202, 202, 200, 204]);
  });

  it.each([false, true])('needs credentials with every request (checked later: %s)', async (later) => {
    const { peer } = await open(later);
    expect(await uses(peer, as(undefined))).toEqual([401, 401, 401, 401, 401]);
    const answer = await peer.post(PING, as(undefined));
    expect(answer.header('www-authenticate')).toBe('Bearer');
    expect(await uses(peer)).toEqual([200, 202, 202, 200, 204]);
  });

  it('tells handlers who is calling', async () => {
    const { peer } = await open(false);
    expect(textOf(await (await peer.tool('who')).result())).toBe('{"principal":"ada"}');
  });

  it('does not let anyone else resume its streams or answer its questions', async () => {
    const { server, steps } = createFixture({ http: { authenticate } });
    const target = await start(server);
    const ada = await SessionPeer.open(target, '2025-11-25', { headers: as('ada') });
    const bob = await SessionPeer.open(target, '2025-11-25', { headers: as('bob') });
    const stream = await ada.tool('tell', {}, { meta: { progressToken: 1 } });
    const { id } = await stream.event();
    await steps.until('told');
    // With her session id, and with his own.
    expect((await ada.stream(id, as('bob'))).status).toBe(404);
    const foreign = await bob.stream(id);
    expect(foreign.status).toBe(200);
    steps.open('more');
    steps.open('go');
    expect((await stream.messages()).at(-1)?.result).toBeTruthy();
    expect(foreign.received).toEqual([]);
    foreign.drop();
  });

  it('cannot be reached through an authenticator that fails', async () => {
    const { server, errors } = createFixture({
      http: {
        authenticate: () => {
          throw new Error('the database is down');
        },
      },
    });
    const answer = await post(await start(server), initializeMessage('2025-11-25'));
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('database');
    expect(errors).toHaveLength(1);
  });
});

describeMatrix('sessions that nobody uses', (start) => {
  afterEach(() => vi.useRealTimers());

  /** A clock of the test, also for keep-alive rounds. */
  const clock = () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let now = 0;
    const store = createMemoryStore({ sessionIdle: 60_000, now: () => now });
    return {
      store,
      pass: async (milliseconds: number) => {
        for (let passed = 0; passed < milliseconds; passed += 1000) {
          now += 1000;
          await vi.advanceTimersByTimeAsync(1000);
        }
      },
    };
  };

  it('expire, and are then as unknown as any', async () => {
    const { store, pass } = clock();
    const peer = await SessionPeer.open(await start(createFixture({ http: { store } }).server), '2025-11-25');
    await pass(50_000);
    expect((await peer.post(PING)).status).toBe(200);
    await pass(50_000);
    expect((await peer.post(PING)).status).toBe(200);
    await pass(61_000);
    expect(await uses(peer)).toEqual([404, 404, 404, 404, 404]);
  });

  it('live on while a stream is open, also a resumed one', async () => {
    const { store, pass } = clock();
    const { server } = createFixture({ http: { store, keepAlive: 5000 } });
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const first = await peer.stream();
    const { id } = await first.event();
    await pass(120_000);
    expect((await peer.post(PING)).status).toBe(200);
    first.drop();
    const second = await peer.stream(id);
    await pass(120_000);
    expect((await peer.post(PING)).status).toBe(200);
    second.drop();
  });

  it('take with them what runs for clients that vanished', async () => {
    const { store, pass } = clock();
    const { server, steps } = createFixture({ http: { store, keepAlive: 5000 } });
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25', { capabilities: { elicitation: {} } });
    const asked = await peer.tool('ask');
    await asked.message('elicitation/create');
    const told = await peer.tool('tell', {}, { meta: { progressToken: 1 } });
    await steps.until('told');
    asked.drop();
    told.drop();
    await pass(66_000);
    await steps.until('cancelled');
    expect(target.handle?.open().calls ?? 0).toBe(0);
  });

  it('end their streams when they were ended behind the back of the server', async () => {
    const { store, pass } = clock();
    const { server } = createFixture({ http: { store, keepAlive: 5000 } });
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const stream = await peer.stream();
    await store.sessions.delete(peer.id);
    await pass(5000);
    expect(await stream.ending).toBe('end');
  });
});

describeMatrix('too many sessions', (start) => {
  it('are refused with 503 and a time to come back, until one ends', async () => {
    const store = createMemoryStore({ maxSessions: 2 });
    const target: Sender = await start(createFixture({ http: { store } }).server);
    const first = await SessionPeer.open(target, '2025-11-25');
    await SessionPeer.open(target, '2025-11-25');
    const refused = await post(target, initializeMessage('2025-11-25', {}, 'r'));
    expect(refused.status).toBe(503);
    expect(Number(refused.header('retry-after'))).toBeGreaterThan(0);
    expect(refused.header('mcp-session-id')).toBeUndefined();
    expect(await refused.json()).toMatchObject({ id: 'r' });
    await first.end();
    expect((await post(target, initializeMessage('2025-11-25'))).status).toBe(200);
  });
});

describeMatrix('calls of one session', (start) => {
  it('are limited in number: 429', async () => {
    const { server, steps } = createFixture({ limits: { concurrentCalls: 2 } });
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const running = [peer.tool('wait'), peer.tool('wait')];
    await steps.until('started', 2);
    const refused = await peer.tool('wait', {}, { id: 'third' });
    expect(refused.status).toBe(429);
    expect(await refused.json()).toMatchObject({ id: 'third' });
    steps.open('go');
    for (const answer of await Promise.all(running)) expect(answer.status).toBe(200);
    expect((await peer.tool('wait')).status).toBe(200);
  });

  it('have ids of their own: a second one under the same id is refused while the first runs', async () => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const first = peer.tool('wait', {}, { id: 7 });
    await steps.until('started');
    const second = await peer.tool('echo', { text: 'x' }, { id: 7 });
    expect([second.status, (await second.error()).code]).toEqual([400, -32600]);
    expect((await peer.tool('echo', { text: 'x' }, { id: '7' })).status).toBe(200);
    steps.open('go');
    expect(textOf(await (await first).result())).toBe('waited');
    expect((await peer.tool('echo', { text: 'x' }, { id: 7 })).status).toBe(200);
  });
});
