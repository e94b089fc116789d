/** Questions to the client, cancellation and disconnects while a call runs. */

import { describe, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/store/index.js';
import { createAsyncStore } from '../../support/async-store.js';
import { post, SessionPeer, stateless, statelessCall, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { RawSocket } from '../../support/raw-socket.js';
import { textOf } from '../../support/wire-peer.js';

const PROGRESS = { meta: { progressToken: 'p' } };
const ALL = { capabilities: { elicitation: {}, sampling: {}, roots: {} } };

const stores = {
  'in memory': () => createMemoryStore(),
  'that answers later': () => createAsyncStore(createMemoryStore()),
};

describe.each(Object.entries(stores))('with a store %s', (_name, createStore) => {
  describeMatrix('a question of a handler', (start) => {
    const open = async (version: string, options = ALL) => {
      const fixture = createFixture({ http: { store: createStore() } });
      return { ...fixture, peer: await SessionPeer.open(await start(fixture.server), version, options) };
    };

    it.each([
      [
        'ask',
        'elicitation/create',
        { action: 'accept', content: { name: 'Ada' } },
        'Ada',
        ['2025-06-18', '2025-11-25'],
      ],
      [
        'sample',
        'sampling/createMessage',
        { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } },
        'hello',
        ['2025-03-26', '2025-06-18', '2025-11-25'],
      ],
      [
        'roots',
        'roots/list',
        { roots: [{ uri: 'file:///home' }] },
        'file:///home',
        ['2025-03-26', '2025-06-18', '2025-11-25'],
      ],
    ])(
      'by %s travels on the stream of its call, and its answer by POST',
      async (tool, method, answer, expected, versions) => {
        for (const version of versions) {
          const { peer } = await open(version);
          const call = await peer.tool(tool, {}, { id: 'c' });
          expect(call.isStream).toBe(true);
          const question = await call.message();
          expect(question.method).toBe(method);
          const accepted = await peer.answer(question.id, answer);
          expect([accepted.status, await accepted.text()]).toEqual([202, '']);
          const response = (await call.messages()).at(-1);
          expect(response?.id).toBe('c');
          expect(textOf(response?.result ?? {})).toContain(expected);
        }
      },
    );

    it('does not travel on the GET stream', async () => {
      const { peer, server } = await open('2025-06-18');
      const get = await peer.stream();
      const call = await peer.tool('roots');
      const question = await call.message('roots/list');
      await peer.answer(question.id, { roots: [] });
      await call.messages();
      server.log('error', 'mark');
      await get.message();
      expect(get.received).toHaveLength(1);
      get.drop();
    });

    it('fails the ask when the client answers with an error', async () => {
      const { peer } = await open('2025-06-18');
      const call = await peer.tool('roots');
      const question = await call.message('roots/list');
      await peer.post({ jsonrpc: '2.0', id: question.id, error: { code: -1, message: 'not today' } });
      const last = (await call.messages()).at(-1);
      expect(JSON.stringify(last)).not.toContain('file://');
      expect(last?.result?.isError ?? last?.error).toBeTruthy();
    });

    it.each([
      ['a result that is no object', { result: 'yes' }],
      ['both a result and an error', { result: {}, error: { code: 1, message: 'x' } }],
      ['an error without a code', { error: { message: 'x' } }],
    ])('fails the ask, and does not wait for ever, when the answer has %s', async (_case, rest) => {
      const { peer } = await open('2025-06-18');
      const call = await peer.tool('roots');
      const question = await call.message('roots/list');
      expect((await peer.post({ jsonrpc: '2.0', id: question.id, ...rest })).status).toBe(400);
      const last = (await call.messages()).at(-1);
      expect(last?.result?.isError ?? last?.error).toBeTruthy();
    });

    it('hears only the first answer, and only the right one', async () => {
      const { peer } = await open('2025-06-18');
      const call = await peer.tool('roots');
      const question = await call.message('roots/list');
      await peer.answer('another', { roots: [{ uri: 'file:///wrong' }] });
      await peer.answer(question.id, { roots: [{ uri: 'file:///right' }] });
      expect((await peer.answer(question.id, { roots: [{ uri: 'file:///late' }] })).status).toBe(202);
      expect(textOf((await call.messages()).at(-1)?.result ?? {})).toContain('right');
    });

    it('survives the loss of its connection: it waits in the stream', async () => {
      const { peer } = await open('2025-11-25');
      const call = await peer.tool('roots');
      const first = await call.event();
      call.drop();
      const again = await peer.stream(first.id);
      const question = await again.message('roots/list');
      await peer.answer(question.id, { roots: [{ uri: 'file:///back' }] });
      expect(textOf((await again.messages()).at(-1)?.result ?? {})).toContain('back');
    });

    it('is withdrawn when the call is cancelled', async () => {
      const { peer } = await open('2025-06-18');
      const call = await peer.tool('roots', {}, { id: 'c' });
      const question = await call.message('roots/list');
      await peer.notify('notifications/cancelled', { requestId: 'c', reason: 'enough' });
      const messages = await call.messages();
      expect(messages.at(-1)).toMatchObject({
        method: 'notifications/cancelled',
        params: { requestId: question.id },
      });
    });

    it('is not asked of a client that could not answer', async () => {
      const { peer } = await open('2025-06-18', {
        capabilities: { elicitation: {}, sampling: {}, roots: {} },
      });
      const plain = await peer.tool('roots', {}, { headers: { accept: 'application/json' } });
      expect((await plain.response()).method).toBeUndefined();
      const { peer: unable } = await open('2025-06-18', { capabilities: {} as typeof ALL.capabilities });
      expect((await (await unable.tool('roots')).messages()).map(({ method }) => method)).toEqual([
        undefined,
      ]);
    });

    it('may be asked by many calls at once; answers find their way', async () => {
      const { peer } = await open('2025-06-18');
      const calls = await Promise.all(
        Array.from({ length: 20 }, (_, index) => peer.tool('roots', {}, { id: index })),
      );
      const questions = await Promise.all(calls.map((call) => call.message('roots/list')));
      expect(new Set(questions.map(({ id }) => id)).size).toBe(20);
      await Promise.all(
        questions
          .map(({ id }, index) => peer.answer(id, { roots: [{ uri: `file:///${index}.` }] }))
          .reverse(),
      );
      for (const [index, call] of calls.entries()) {
        expect(textOf((await call.messages()).at(-1)?.result ?? {})).toContain(`file:///${index}.`);
      }
    });
  });
});

describeMatrix('cancellation', (start) => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])(
    'by notification stops a call (%s)',
    async (version) => {
      const { server, steps } = createFixture();
      const peer = await SessionPeer.open(await start(server), version);
      const plain = peer.tool('wait', {}, { id: 'w' });
      const streamed = await peer.tool('tell', {}, { id: 't', ...PROGRESS });
      await steps.until('started');
      await steps.until('told');
      for (const requestId of ['w', 't']) {
        expect((await peer.notify('notifications/cancelled', { requestId })).status).toBe(202);
      }
      await steps.until('cancelled', 2);
      // No answer to either, and the stream ends.
      expect(await (await plain).messages()).toEqual([]);
      expect((await streamed.messages()).every(({ method }) => method === 'notifications/progress')).toBe(
        true,
      );
    },
  );

  it('of something unknown, malformed or over does no harm', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-11-25');
    for (const params of [{ requestId: 'x' }, { requestId: null }, {}, undefined, { requestId: { a: 1 } }]) {
      expect((await peer.notify('notifications/cancelled', params as never)).status).toBe(202);
    }
    expect((await peer.tool('echo', { text: 'x' })).status).toBe(200);
  });

  it("does not reach another session's call with the same id", async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const ada = await SessionPeer.open(target, '2025-11-25');
    const bob = await SessionPeer.open(target, '2025-11-25');
    const pending = ada.tool('wait', {}, { id: 1 });
    await steps.until('started');
    await bob.notify('notifications/cancelled', { requestId: 1 });
    await bob.end();
    steps.open('go');
    expect(textOf(await (await pending).result())).toBe('waited');
    expect(steps.count('cancelled')).toBe(0);
  });

  it('tells a string id from a number', async () => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const pending = peer.tool('wait', {}, { id: 1 });
    await steps.until('started');
    await peer.notify('notifications/cancelled', { requestId: '1' });
    steps.open('go');
    expect((await pending).status).toBe(200);
  });
});

describeMatrix('a client that goes away', (start) => {
  it.each(['2025-03-26', '2025-06-18', '2025-11-25'])('does not cancel its call (%s)', async (version) => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const peer = await SessionPeer.open(target, version);
    const streamed = await peer.tool('tell', {}, PROGRESS);
    await steps.until('told');
    streamed.drop();
    if (target.handle !== undefined) await untilZero(() => target.handle?.open().streams ?? 0);
    steps.open('more');
    steps.open('go');
    await steps.until('finished');
    expect(steps.count('cancelled')).toBe(0);
  });

  it('does not cancel its call where there are no sessions either', async () => {
    const { server, steps } = createFixture({ http: { sessions: false } });
    const target = await start(server);
    const params = { name: 'tell', arguments: {}, _meta: { progressToken: 1 } };
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const streamed = await post(target, call, { 'mcp-protocol-version': '2025-06-18' });
    await steps.until('told');
    streamed.drop();
    if (target.handle !== undefined) await untilZero(() => target.handle?.open().streams ?? 0);
    steps.open('more');
    steps.open('go');
    await steps.until('finished');
    expect(steps.count('cancelled')).toBe(0);
  });

  it('cancels its call in the stateless revision, streamed or not yet', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const streamed = await statelessTool(target, 'tell', {}, PROGRESS);
    await steps.until('told');
    streamed.drop();
    await steps.until('cancelled');
  });

  it('cancels a subscription', async () => {
    const { server } = createFixture();
    const target = await start(server);
    const listen = await stateless(target, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    await listen.message();
    listen.drop();
    if (target.handle !== undefined) await untilZero(() => target.handle?.open().listeners ?? 0);
    server.listChanged('tools');
  });
});

describeMatrix('a stateless client that goes away before anything was said', (start, adapter) => {
  it('cancels its call', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    if (adapter === 'fetch') {
      const connection = new AbortController();
      const { body, headers } = statelessCall('tools/call', { name: 'wait', arguments: {} });
      const init = { method: 'POST', headers, body: JSON.stringify(body), signal: connection.signal };
      void server.fetch(new Request('http://localhost/mcp', init));
      await steps.until('started');
      connection.abort();
    } else {
      const { body, headers } = statelessCall('tools/call', { name: 'wait', arguments: {} });
      const text = JSON.stringify(body);
      const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': `${text.length}` });
      const socket = await RawSocket.open(target.origin);
      await socket.head('POST /mcp HTTP/1.1', ...lines.map(([name, value]) => `${name}: ${value}`));
      await socket.write(text);
      await steps.until('started');
      socket.destroy();
    }
    await steps.until('cancelled');
    expect(steps.count('finished')).toBe(0);
  });
});

async function untilZero(count: () => number): Promise<void> {
  while (count() > 0) await new Promise((resolve) => setImmediate(resolve));
}
