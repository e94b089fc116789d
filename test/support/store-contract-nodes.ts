/** What every store must do for nodes that share it: streams that move, letters, changes, locks and rates. */

import { describe, expect, it } from 'vitest';
import type { Change, SessionRecord } from '../../src/store/store.js';
import type { StoreLimits, StoreUnderTest } from './store-contract.js';

type Open = (limits?: Partial<StoreLimits>) => Promise<StoreUnderTest>;

/** Collects until a given number has come. */
export function inbox<T = string>(expected: number) {
  const texts: T[] = [];
  let settle: (texts: T[]) => void = () => {};
  const complete = new Promise<T[]>((resolve) => {
    settle = resolve;
  });
  const receive = (text: T): void => {
    texts.push(text);
    if (texts.length === expected) settle(texts);
  };
  return { texts, complete, receive };
}

export function describeStreams(open: Open, record: SessionRecord): void {
  describe('streams that move from node to node', () => {
    const openWithSession = async () => {
      const under = await open({ maxEvents: 100 });
      await under.store.sessions.create('s1', record);
      return under;
    };

    it('wakes whoever watches the stream, and nobody else', async () => {
      const { store } = await openWithSession();
      const [left, right] = [inbox<undefined>(2), inbox<undefined>(1)];
      await store.events.watch('s1', 'left', () => left.receive(undefined));
      const unwatch = await store.events.watch('s1', 'right', () => right.receive(undefined));
      await store.events.append('s1', 'left', 'a');
      await store.events.append('s1', 'left', undefined);
      await left.complete;
      expect(right.texts).toEqual([]);
      await unwatch();
      await unwatch();
    });

    it('appends a change once, whoever tries, and only in order', async () => {
      const { store } = await openWithSession();
      const before = await store.changes.newest();
      for (const text of ['1', '2']) await store.changes.publish(text);
      const [first, second] = (await store.changes.since(before)) ?? [];
      if (first === undefined || second === undefined) throw new Error('The changes are not kept');
      const start = await store.events.append('s1', 'g', '');
      expect(await store.events.claim('s1', 'g', before)).toBe(before);
      const outcomes = await Promise.all([
        store.events.appendChange('s1', 'g', 'one', first.id),
        store.events.appendChange('s1', 'g', 'one', first.id),
      ]);
      expect(outcomes.filter((id) => id !== undefined)).toHaveLength(1);
      expect(await store.events.appendChange('s1', 'g', 'two', second.id)).toBeDefined();
      expect(await store.events.appendChange('s1', 'g', 'one', first.id)).toBeUndefined();
      expect((await store.events.replay('s1', 'g', start)).map(({ data }) => data)).toEqual(['one', 'two']);
      expect(await store.events.claim('s1', 'g', before, start)).toBe(second.id);
    });

    it('appends changes to the newest stream only', async () => {
      const { store } = await openWithSession();
      const before = await store.changes.newest();
      await store.changes.publish('1');
      const id = await store.changes.newest();
      await store.events.claim('s1', 'old', before);
      await store.events.claim('s1', 'new', before);
      expect(await store.events.isCurrent('s1', 'old')).toBe(false);
      expect(await store.events.isCurrent('s1', 'new')).toBe(true);
      expect(await store.events.appendChange('s1', 'old', 'one', id)).toBe(false);
      expect(await store.events.appendChange('s1', 'new', 'one', id)).toEqual(expect.any(String));
    });

    it('tells a client again what it was told on a stream after the last event that it named', async () => {
      const { store, advance } = await openWithSession();
      const { changes, events } = store;
      const ids = [await changes.newest()];
      for (const text of ['1', '2', '3']) {
        await changes.publish(text);
        ids.push(await changes.newest());
      }
      const [before = '', first = '', second = '', third = ''] = ids;
      await events.claim('s1', 'one', before);
      await events.appendChange('s1', 'one', '1', first);
      // It opens another without having come back for the first.
      expect(await events.claim('s1', 'two', third)).toBe(before);
      const seen = await events.appendChange('s1', 'two', '1', first);
      await events.appendChange('s1', 'two', '2', second);
      if (typeof seen !== 'string') throw new Error('The change was not appended');
      // It comes back and names an event; what came after that it may not have seen.
      expect(await events.claim('s1', 'two', third, seen)).toBe(second);
      expect(await events.claim('s1', 'three', third)).toBe(first);
      await events.appendChange('s1', 'three', '3', third);
      // It has two of them, and comes back for the other.
      expect(await events.claim('s1', 'two', third, seen)).toBe(third);
      await events.claim('s1', 'three', third, seen);
      advance(60_000);
      expect(await events.claim('s1', 'four', third)).toBe(third);
    });

    it('tells nothing again on a stream that a client comes back for while it has another', async () => {
      const { store } = await openWithSession();
      const { changes, events } = store;
      const before = await changes.newest();
      await changes.publish('1');
      const first = await changes.newest();
      await events.claim('s1', 'one', before);
      await events.claim('s1', 'two', before);
      const seen = await events.appendChange('s1', 'two', '1', first);
      if (typeof seen !== 'string') throw new Error('The change was not appended');
      // Nothing was ever told on it, and its client may have seen the change on the other.
      expect(await events.claim('s1', 'one', first, events.origin)).toBe(first);
      // Or not: it opens a third, and has not come back for the second.
      expect(await events.claim('s1', 'three', first)).toBe(before);
      await events.appendChange('s1', 'three', '1', first);
      expect(await events.claim('s1', 'two', first, seen)).toBe(first);
      expect(await events.claim('s1', 'four', first)).toBe(first);
    });

    it('tells nothing again on a stream after one whose connection has lasted', async () => {
      const { store } = await openWithSession();
      const before = await store.changes.newest();
      await store.changes.publish('1');
      const id = await store.changes.newest();
      await store.events.claim('s1', 'one', before);
      await store.events.appendChange('s1', 'one', '1', id);
      await store.events.settle('s1', 'another');
      expect(await store.events.claim('s1', 'two', id)).toBe(before);
      await store.events.appendChange('s1', 'two', '1', id);
      await store.events.settle('s1', 'two');
      expect(await store.events.claim('s1', 'three', id)).toBe(id);
    });

    it('reads the changes up to a given one', async () => {
      const { store } = await openWithSession();
      const before = await store.changes.newest();
      for (const text of ['1', '2', '3']) await store.changes.publish(text);
      const [first, second] = (await store.changes.since(before)) ?? [];
      if (first === undefined || second === undefined) throw new Error('The changes are not kept');
      expect(await store.changes.since(first.id, second.id)).toEqual([second]);
      expect(await store.changes.since(second.id, first.id)).toEqual([]);
    });

    it('keeps the note of a stream until the stream ends', async () => {
      const { store } = await openWithSession();
      expect(await store.events.unfinished('s1', 'p')).toBeUndefined();
      await store.events.begin('s1', 'p', 'mine');
      await store.events.append('s1', 'p', 'a');
      expect(await store.events.unfinished('s1', 'p')).toBe('mine');
      await store.events.append('s1', 'p', undefined);
      expect(await store.events.unfinished('s1', 'p')).toBeUndefined();
      expect(await store.events.abandon('s1', 'p', ['late'])).toBe(false);
    });

    it('lets one of many end a stream in place of whoever began it', async () => {
      const { store } = await openWithSession();
      await store.events.begin('s1', 'p', 'mine');
      const first = await store.events.append('s1', 'p', 'a');
      const outcomes = await Promise.all(
        ['x', 'y', 'z'].map((text) => store.events.abandon('s1', 'p', [text])),
      );
      expect(outcomes.filter(Boolean)).toHaveLength(1);
      const rest = await store.events.replay('s1', 'p', first);
      expect(rest.map(({ data }) => data)).toEqual([expect.stringMatching(/^[xyz]$/), undefined]);
    });
  });
}

export function describeMessages(open: Open): void {
  describe('mailboxes', () => {
    it('delivers to the reader of the box, each letter once', async () => {
      const { store } = await open();
      const letters = inbox(3);
      const close = await store.mailboxes.open('box', letters.receive);
      for (const text of ['a', 'a', 'b']) expect(await store.mailboxes.deliver('box', text)).toBe(true);
      expect(await letters.complete).toEqual(['a', 'a', 'b']);
      await close();
    });

    it('delivers any number of letters in their order', async () => {
      const { store } = await open();
      const letters = inbox(600);
      const close = await store.mailboxes.open('box', letters.receive);
      const sent = Array.from({ length: 600 }, (_, index) => `${index}`);
      await Promise.all(sent.map((text) => store.mailboxes.deliver('box', text)));
      expect(await letters.complete).toEqual(sent);
      await close();
    });

    it('keeps nothing that nobody waits for', async () => {
      const { store } = await open();
      expect(await store.mailboxes.deliver('box', 'early')).toBe(false);
      const letters = inbox(1);
      const close = await store.mailboxes.open('box', letters.receive);
      await store.mailboxes.deliver('box', 'a');
      expect(await letters.complete).toEqual(['a']);
      await close();
      expect(await store.mailboxes.deliver('box', 'late')).toBe(false);
      expect(letters.texts).toEqual(['a']);
    });
  });

  describe('changes', () => {
    it('are heard by every follower, in one order', async () => {
      const { store } = await open();
      const [one, two] = [inbox<Change>(3), inbox<Change>(3)];
      const ignore = (): void => undefined;
      await store.changes.follow(one.receive, ignore);
      await store.changes.follow(two.receive, ignore);
      await Promise.all(['a', 'b', 'c'].map((text) => store.changes.publish(text)));
      expect(await one.complete).toEqual(await two.complete);
      expect(one.texts.map(({ text }) => text).sort()).toEqual(['a', 'b', 'c']);
    });

    it('can be looked up from the point that someone has reached', async () => {
      const { store } = await open();
      await store.changes.publish('before');
      const reached = await store.changes.newest();
      expect(await store.changes.since(reached)).toEqual([]);
      await store.changes.publish('after');
      const missed = await store.changes.since(reached);
      expect(missed).toEqual([{ id: await store.changes.newest(), text: 'after' }]);
    });

    it('tells those apart who have missed some that are no longer kept', async () => {
      const { store } = await open();
      const reached = await store.changes.newest();
      for (let index = 0; index <= 16; index += 1) await store.changes.publish(`${index}`);
      expect(await store.changes.since(reached)).toBeUndefined();
      expect(await store.changes.since(await store.changes.newest())).toEqual([]);
    });
  });
}

export function describeCoordination(open: Open): void {
  describe('locks', () => {
    it('lets in one at a time under a key, and the next when one fails', async () => {
      const { store } = await open();
      let inside = 0;
      let most = 0;
      const work = async (fails: boolean): Promise<string> => {
        inside += 1;
        most = Math.max(most, inside);
        await store.values.set('touched', 'yes');
        inside -= 1;
        if (fails) throw new Error('failed inside');
        return 'done';
      };
      const outcomes = await Promise.allSettled(
        [false, true, false, false].map((fails) => store.locks.run('key', () => work(fails))),
      );
      expect(outcomes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
        'fulfilled',
      ]);
      expect(most).toBe(1);
    });
  });

  describe('rates', () => {
    it('allows a burst up to the limit, and then as much as refills', async () => {
      const { store, advance } = await open();
      const limit = { limit: 3, windowMs: 30_000 };
      for (let index = 0; index < 3; index += 1)
        expect((await store.rates.take('ada', limit)).allowed).toBe(true);
      const refused = await store.rates.take('ada', limit);
      expect(refused.allowed).toBe(false);
      expect(refused.retryAfterMs).toBeGreaterThan(5000);
      expect(refused.retryAfterMs).toBeLessThanOrEqual(10_000);
      expect((await store.rates.take('bob', limit)).allowed).toBe(true);
      await advance(refused.retryAfterMs + 1);
      expect((await store.rates.take('ada', limit)).allowed).toBe(true);
      expect((await store.rates.take('ada', limit)).allowed).toBe(false);
    });
  });

  describe('values', () => {
    it('keeps what was set until it is deleted', async () => {
      const { store } = await open();
      expect(await store.values.get('key')).toBeUndefined();
      await store.values.set('key', 'naïve ☃');
      expect(await store.values.get('key')).toBe('naïve ☃');
      await store.values.set('key', 'other', 60_000);
      expect(await store.values.get('key')).toBe('other');
      await store.values.delete('key');
      expect(await store.values.get('key')).toBeUndefined();
    });

    it('gives a key to the first who claims it, and to another only in place of who is named', async () => {
      const { store } = await open();
      const claims = await Promise.all(
        ['a', 'b', 'c'].map((text) => store.values.claim('key', text, 60_000)),
      );
      const [owner] = claims;
      expect(new Set(claims)).toEqual(new Set([owner]));
      expect(await store.values.claim('key', 'd', 60_000)).toBe(owner);
      expect(await store.values.claim('key', 'd', 60_000, 'somebody else')).toBe(owner);
      expect(await store.values.claim('key', 'd', 60_000, owner)).toBe('d');
      expect(await store.values.claim('key', 'e', 60_000, owner)).toBe('d');
      await store.values.delete('key', owner);
      expect(await store.values.get('key')).toBe('d');
      await store.values.delete('key', 'd');
      expect(await store.values.get('key')).toBeUndefined();
    });
  });

  describe('nodes', () => {
    it('knows that this node is alive', async () => {
      const { store } = await open();
      expect(await store.nodes.isAlive(store.nodes.self)).toBe(true);
    });
  });
}
