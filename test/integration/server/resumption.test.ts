/** Coming back for the rest of a stream (Streamable HTTP, resumability; SSE polling in 2025-11-25). */

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/store/index.js';
import { createAsyncStore } from '../../support/async-store.js';
import type { HttpAnswer } from '../../support/http-answer.js';
import { SessionPeer, stateless, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { messageOf } from '../../support/sse-events.js';
import { textOf } from '../../support/wire-peer.js';

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
const PROGRESS = { meta: { progressToken: 'p' } };

const lastId = (answer: HttpAnswer): string => answer.events.findLast(({ id }) => id !== undefined)?.id ?? '';
const progressOf = (answer: HttpAnswer) =>
  answer.received.flatMap(({ params }) => (params?.progress === undefined ? [] : [params.progress]));

const stores = {
  'in memory': () => createMemoryStore(),
  'that answers later': () => createAsyncStore(createMemoryStore()),
};

describe.each(Object.entries(stores))('with a store %s', (_name, createStore) => {
  describeMatrix('a stream that was interrupted', (start) => {
    const open = async (version: string) => {
      const store = createStore();
      const fixture = createFixture({ http: { store } });
      const target = await start(fixture.server);
      return { ...fixture, store, target, peer: await SessionPeer.open(target, version) };
    };

    it.each(VERSIONS)('of a POST goes on where it stopped, up to the result (%s)', async (version) => {
      const { peer, steps } = await open(version);
      const first = await peer.tool('tell', {}, { id: 'call', ...PROGRESS });
      await first.message();
      first.drop();
      steps.open('more');
      await steps.until('told more');
      const second = await peer.stream(lastId(first));
      expect(second.status).toBe(200);
      expect((await second.message()).params?.progress).toBe(2);
      steps.open('go');
      const messages = await second.messages();
      expect(messages.map(({ params }) => params?.progress)).toEqual([2, 3, undefined]);
      expect(messages[2]).toMatchObject({ id: 'call' });
      expect(textOf(messages[2]?.result ?? {})).toBe('told');
    });

    it.each(VERSIONS)('of a POST is complete even when the call ended in between (%s)', async (version) => {
      const { peer, steps } = await open(version);
      const first = await peer.tool('tell', {}, PROGRESS);
      await first.message();
      first.drop();
      steps.open('more');
      steps.open('go');
      await steps.until('finished');
      const second = await peer.stream(lastId(first));
      expect((await second.messages()).map(({ params }) => params?.progress)).toEqual([2, 3, undefined]);
    });

    it.each(VERSIONS)('of a GET goes on where it stopped (%s)', async (version) => {
      const { peer, server } = await open(version);
      const first = await peer.stream();
      server.log('error', 'one');
      await first.message();
      first.drop();
      server.log('error', 'two');
      const second = await peer.stream(lastId(first));
      expect((await second.message()).params?.data).toBe('two');
      server.log('error', 'three');
      expect((await second.message()).params?.data).toBe('three');
      expect(second.received).toHaveLength(2);
      second.drop();
    });

    it('can be interrupted again and again, and loses and repeats nothing', async () => {
      const { peer, server } = await open('2025-11-25');
      const heard: unknown[] = [];
      let stream = await peer.stream();
      await stream.event();
      let last = lastId(stream);
      for (let index = 0; index < 10; index += 1) {
        server.log('error', index);
        heard.push((await stream.message()).params?.data);
        last = lastId(stream);
        stream.drop();
        server.log('error', `${index} while away`);
        stream = await peer.stream(last);
        heard.push((await stream.message()).params?.data);
      }
      stream.drop();
      expect(heard).toEqual(Array.from({ length: 10 }, (_, index) => [index, `${index} while away`]).flat());
    });

    it('is taken over from a connection that still looks alive', async () => {
      const { peer, steps } = await open('2025-11-25');
      const first = await peer.tool('tell', {}, PROGRESS);
      await first.message();
      const second = await peer.stream(lastId(first));
      const third = await peer.stream(lastId(first));
      expect(await first.ending).toBe('end');
      expect(await second.ending).toBe('end');
      steps.open('more');
      steps.open('go');
      expect((await third.messages()).map(({ params }) => params?.progress)).toEqual([2, 3, undefined]);
      expect(progressOf(first)).toEqual([1]);
      expect(progressOf(second)).toEqual([]);
    });

    it("gets its own events and none of another stream's", async () => {
      const { peer, steps, server } = await open('2025-11-25');
      const get = await peer.stream();
      const left = await peer.tool('tell', {}, { id: 'left', meta: { progressToken: 'left' } });
      const right = await peer.tool('tell', {}, { id: 'right', meta: { progressToken: 'right' } });
      for (const stream of [left, right]) await stream.message();
      await get.event();
      for (const stream of [get, left, right]) stream.drop();
      server.log('error', 'for GET');
      steps.open('more');
      steps.open('go');
      await steps.until('finished', 2);
      const [getRest, leftRest, rightRest] = [
        await peer.stream(lastId(get)),
        await peer.stream(lastId(left)),
        await peer.stream(lastId(right)),
      ];
      const tokens = async (answer: HttpAnswer) =>
        (await answer.messages()).map(({ params, id }) => params?.progressToken ?? id);
      expect(await tokens(leftRest)).toEqual(['left', 'left', 'left']);
      expect(await tokens(rightRest)).toEqual(['right', 'right', 'right']);
      expect((await getRest.message()).params?.data).toBe('for GET');
      expect(getRest.received).toHaveLength(1);
      getRest.drop();
    });

    it('can be taken up from any of its events', async () => {
      const { peer, steps } = await open('2025-11-25');
      steps.open('more');
      steps.open('go');
      const answer = await peer.tool('tell', {}, PROGRESS);
      const all = await answer.messages();
      expect(all).toHaveLength(4);
      for (const [index, event] of answer.events.entries()) {
        if (event.id === undefined) continue;
        const rest = await (await peer.stream(event.id)).messages();
        const expected = answer.events.slice(index + 1).flatMap((later) => messageOf(later) ?? []);
        expect(rest).toEqual(expected);
      }
    });

    it('gives every event an id of its own in the whole session', async () => {
      const { peer, steps, server } = await open('2025-11-25');
      steps.open('more');
      steps.open('go');
      const get = await peer.stream();
      const answers = await Promise.all([1, 2, 3].map(() => peer.tool('tell', {}, PROGRESS)));
      for (const answer of answers) await answer.messages();
      server.log('error', 'x');
      await get.message();
      const ids = [get, ...answers].flatMap(({ events }) => events.flatMap(({ id }) => id ?? []));
      expect(ids.length).toBeGreaterThan(15);
      expect(new Set(ids).size).toBe(ids.length);
      get.drop();
    });

    it('is refused for an event id that never came from here', async () => {
      const { peer } = await open('2025-11-25');
      for (const id of ['7', 'x.1', '../../x', 'a'.repeat(5000), 'p00000000000.', 'x000000000000.1', '']) {
        expect([id.slice(0, 20), (await peer.stream(id)).status]).toEqual([id.slice(0, 20), 400]);
      }
    });

    it('ends for a client that came back for an answer which is no longer kept: it can call again', async () => {
      const { peer, steps, store } = await open('2025-11-25');
      steps.open('more');
      steps.open('go');
      const call = await peer.tool('tell', {}, PROGRESS);
      const { id } = await call.event();
      await call.messages();
      await store.events.drop(peer.id);
      expect(await (await peer.stream(id)).messages()).toEqual([]);
    });

    it('is not disturbed by another session that names it, and shows it nothing', async () => {
      const { peer, steps, target, server } = await open('2025-11-25');
      const other = await SessionPeer.open(target, '2025-11-25');
      const call = await peer.tool('tell', {}, PROGRESS);
      const { id: callId } = await call.event();
      const get = await peer.stream();
      const { id: getId } = await get.event();
      // Once while the first connection is there, once after it was resumed.
      const strangers = [await other.stream(callId), await other.stream(getId)];
      const [callRest, getRest] = [await peer.stream(callId), await peer.stream(getId)];
      strangers.push(await other.stream(callId), await other.stream(getId));
      steps.open('more');
      steps.open('go');
      expect((await callRest.messages()).at(-1)?.result).toBeTruthy();
      server.log('error', 'mine');
      expect((await getRest.message()).params?.data).toBe('mine');
      for (const stranger of strangers) {
        expect(stranger.received.filter(({ params }) => params?.data !== 'mine')).toEqual([]);
        stranger.drop();
      }
      getRest.drop();
    });
  });
});

describeMatrix('a stream that lets its client go', (start) => {
  it('opens with an event that has an id and no data (2025-11-25)', async () => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const get = await peer.stream();
    const call = await peer.tool('tell', {}, PROGRESS);
    await steps.until('told');
    for (const stream of [get, call]) {
      const first = await stream.event();
      expect(first.id).toBeTruthy();
      expect(first.data).toBe('');
      expect(first.event).toBeUndefined();
      stream.drop();
    }
  });

  it.each(['2025-03-26', '2025-06-18'])('does not open so for older clients (%s)', async (version) => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), version);
    const get = await peer.stream();
    const call = await peer.tool('tell', {}, PROGRESS);
    await steps.until('told');
    server.log('error', 'x');
    for (const stream of [get, call]) {
      expect((await stream.event()).data).toMatch(/^\{/);
      stream.drop();
    }
  });

  it('says when to come back, ends the connection, and has the result then (2025-11-25)', async () => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const call = await peer.tool('release', {}, { id: 'r', ...PROGRESS });
    expect(await call.ending).toBe('end');
    expect(call.events.at(-1)).toEqual({ retry: '1234' });
    expect(progressOf(call)).toEqual([1]);
    await steps.until('released');
    const waiting = await peer.stream(lastId(call));
    expect((await waiting.message()).params?.progress).toBe(2);
    steps.open('go');
    const messages = await waiting.messages();
    expect(messages.at(-1)).toMatchObject({ id: 'r' });
    expect(textOf(messages.at(-1)?.result ?? {})).toBe('released');
  });

  it('has an id to come back to even when nothing was said before', async () => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const call = await peer.tool('release');
    await call.ending;
    expect(call.events).toEqual([{ id: expect.any(String), data: '' }, { retry: '1234' }]);
    steps.open('go');
    const rest = await peer.stream(lastId(call));
    expect(textOf(await rest.result())).toBe('released');
  });

  it.each(['2025-03-26', '2025-06-18'])('stays with older clients until the result (%s)', async (version) => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), version);
    const call = await peer.tool('release', {}, PROGRESS);
    await steps.until('released');
    steps.open('go');
    const messages = await call.messages();
    expect(messages.map(({ params }) => params?.progress)).toEqual([1, 2, undefined]);
    expect(call.events.some(({ retry }) => retry !== undefined)).toBe(false);
  });

  it('stays with stateless clients, and with those that accept no stream', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    steps.open('go');
    const modern = await statelessTool(target, 'release', {}, PROGRESS);
    expect(await modern.messages()).toHaveLength(3);
    expect(modern.events.some(({ retry, id }) => retry !== undefined || id !== undefined)).toBe(false);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const plain = await peer.tool('release', {}, { headers: { accept: 'application/json' } });
    expect(textOf(await plain.result())).toBe('released');
  });
});

describeMatrix('streams of the stateless revision', (start) => {
  it('have no event ids, and Last-Event-ID means nothing', async () => {
    const target = await start(createFixture().server);
    const headers = { 'last-event-id': '00000000-0000.1' };
    const answer = await statelessTool(target, 'progress', {}, { ...PROGRESS, headers });
    expect(await answer.messages()).toHaveLength(4);
    expect(answer.events.every(({ id }) => id === undefined)).toBe(true);
    const listen = await stateless(target, 'subscriptions/listen', { notifications: {} }, { headers });
    expect((await listen.event()).id).toBeUndefined();
    listen.drop();
  });
});
