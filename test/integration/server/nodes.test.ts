/** Two nodes of one service that share a store: any of them serves any request of any session. */

import { describe, expect, it } from 'vitest';
import { createMemoryStore, type Store } from '../../../src/store/index.js';
import { createAsyncStore } from '../../support/async-store.js';
import { SessionPeer } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import type { HttpCall } from '../../support/http-target.js';
import { describeMatrix, type Start } from '../../support/http-target.js';
import { textOf } from '../../support/wire-peer.js';

const PROGRESS = { meta: { progressToken: 'p' } };

const stores = {
  'in memory': () => createMemoryStore(),
  'that answers later': () => createAsyncStore(createMemoryStore()),
};

/** Two nodes, and a client whose requests go to the node of the moment. */
async function twoNodes(start: Start, store: Store) {
  const fixtures = [createFixture({ http: { store } }), createFixture({ http: { store } })] as const;
  const targets = [await start(fixtures[0].server), await start(fixtures[1].server)] as const;
  let current: 0 | 1 = 0;
  const sender = { send: (call: HttpCall) => targets[current].send(call) };
  const peer = await SessionPeer.open(sender, '2025-11-25', { capabilities: { roots: {} } });
  return {
    peer,
    first: { ...fixtures[0], target: targets[0] },
    second: { ...fixtures[1], target: targets[1] },
    /** From now on requests go to this node. */
    use: (node: 0 | 1) => {
      current = node;
    },
  };
}

describe.each(Object.entries(stores))('with a store %s', (_name, createStore) => {
  describeMatrix('a session of two nodes', (start) => {
    it('is served by both', async () => {
      const { peer, use } = await twoNodes(start, createStore());
      for (const node of [0, 1, 0, 1] as const) {
        use(node);
        expect(textOf(await (await peer.tool('echo', { text: `${node}` })).result())).toBe(`${node}`);
      }
    });

    it('ends on both', async () => {
      const { peer, use, first } = await twoNodes(start, createStore());
      const stream = await peer.stream();
      const pending = peer.tool('wait');
      await first.steps.until('started');
      use(1);
      expect((await peer.end()).status).toBe(204);
      await first.steps.until('cancelled');
      expect(await stream.ending).toBe('end');
      await (await pending).ending;
      use(0);
      expect((await peer.request('ping')).status).toBe(404);
    });

    it('cancels on the one what runs on the other', async () => {
      const { peer, use, first } = await twoNodes(start, createStore());
      const pending = peer.tool('wait', {}, { id: 'w' });
      await first.steps.until('started');
      use(1);
      await peer.notify('notifications/cancelled', { requestId: 'w' });
      await first.steps.until('cancelled');
      await (await pending).ending;
    });

    it('answers on the one what the other has asked', async () => {
      const { peer, use } = await twoNodes(start, createStore());
      const call = await peer.tool('roots');
      const question = await call.message('roots/list');
      use(1);
      await peer.answer(question.id, { roots: [{ uri: 'file:///elsewhere' }] });
      expect(textOf((await call.messages()).at(-1)?.result ?? {})).toContain('elsewhere');
    });

    it('takes up on the one a stream of the other, while the call runs on', async () => {
      const { peer, use, first } = await twoNodes(start, createStore());
      const call = await peer.tool('tell', {}, { id: 'c', ...PROGRESS });
      await call.message();
      const last = call.events.at(-1)?.id;
      use(1);
      const rest = await peer.stream(last);
      // The first connection still looks alive to the first node.
      expect(await call.ending).toBe('end');
      first.steps.open('more');
      expect((await rest.message()).params?.progress).toBe(2);
      first.steps.open('go');
      const messages = await rest.messages();
      expect(messages.map(({ params }) => params?.progress)).toEqual([2, 3, undefined]);
      expect(messages[2]?.id).toBe('c');
    });

    it('takes up the GET stream of the other', async () => {
      const { peer, use, first } = await twoNodes(start, createStore());
      const stream = await peer.stream();
      const { id } = await stream.event();
      stream.drop();
      first.server.log('error', 'while away');
      use(1);
      const rest = await peer.stream(id);
      expect((await rest.message()).params?.data).toBe('while away');
      first.server.log('error', 'while back');
      expect((await rest.message()).params?.data).toBe('while back');
      rest.drop();
    });

    it('delivers by subscriptions and levels that were set on the other', async () => {
      const { peer, use, first } = await twoNodes(start, createStore());
      const stream = await peer.stream();
      use(1);
      await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).result();
      await (await peer.request('logging/setLevel', { level: 'debug' })).result();
      // The other node hears of it a moment later.
      while (stream.received.length === 0) {
        first.server.log('debug', 'a detail');
        await new Promise((resolve) => setImmediate(resolve));
      }
      first.server.resourceUpdated('test://fixed');
      await stream.message('notifications/resources/updated');
      stream.drop();
    });
  });
});

describe('a store that fails', () => {
  type Part = 'sessions' | 'events' | 'replay';

  /** Works while it is not broken: all of a part, or one method of the log. */
  const breakable = (): { store: Store; breaks(part: Part): void; heals(part: Part): void } => {
    const broken = new Set<string>();
    const inner = createAsyncStore(createMemoryStore());
    const fragile = <T extends object>(part: string, object: T): T =>
      new Proxy(object, {
        get: (target, name, receiver) => {
          if (broken.has(part) || broken.has(String(name)))
            return () => Promise.reject(new Error(`the ${part} are down`));
          return Reflect.get(target, name, receiver);
        },
      });
    return {
      store: {
        ...inner,
        sessions: fragile('sessions', inner.sessions),
        events: fragile('events', inner.events),
      },
      breaks: (part) => broken.add(part),
      heals: (part) => broken.delete(part),
    };
  };

  describeMatrix('is reported and survived', (start) => {
    it('when sessions cannot be read', async () => {
      const { store, breaks } = breakable();
      const { server, errors } = createFixture({ http: { store } });
      const peer = await SessionPeer.open(await start(server), '2025-11-25');
      breaks('sessions');
      const answer = await peer.request('ping');
      expect(answer.status).toBe(500);
      expect(await answer.text()).not.toContain('down');
      expect((await peer.stream()).status).toBe(500);
      expect((await peer.end()).status).toBe(500);
      expect(errors).toHaveLength(3);
    });

    it('when events cannot be logged: the client still gets an end', async () => {
      const { store, breaks } = breakable();
      const { server, errors, steps } = createFixture({ http: { store } });
      const peer = await SessionPeer.open(await start(server), '2025-11-25');
      const call = await peer.tool('tell', {}, PROGRESS);
      await call.message();
      breaks('events');
      steps.open('more');
      steps.open('go');
      await steps.until('finished');
      await call.ending;
      expect(errors.length).toBeGreaterThan(0);
    });

    it('when the log cannot be read for a client that came back: it comes again', async () => {
      const { store, breaks, heals } = breakable();
      const { server, errors, steps } = createFixture({ http: { store } });
      const peer = await SessionPeer.open(await start(server), '2025-11-25');
      const call = await peer.tool('tell', {}, PROGRESS);
      const { id } = await call.event();
      const rest = await peer.stream(id);
      await rest.message();
      breaks('replay');
      steps.open('more');
      steps.open('go');
      expect(await rest.ending).toBe('end');
      expect(errors.length).toBeGreaterThan(0);
      heals('replay');
      const again = await peer.stream(rest.events.at(-1)?.id);
      expect((await again.messages()).map(({ params }) => params?.progress)).toEqual([2, 3, undefined]);
    });
  });
});
