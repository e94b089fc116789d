/**
 * What every store must do, whatever keeps the data. Time is the test's: a store that cannot take a clock
 * gives `advance` another way to let time pass.
 */

import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/index.js';
import type { SessionRecord } from '../../src/store/store.js';
import { describeCoordination, describeMessages, describeStreams, inbox } from './store-contract-nodes.js';

/** Limits that the store under test is created with. */
export interface StoreLimits {
  readonly sessionIdle: number;
  readonly maxSessions: number;
  readonly maxSessionsPerPeer: number;
  readonly yieldIdle: number;
  readonly maxEvents: number;
  readonly eventAge: number;
  readonly maxChanges: number;
}

export interface StoreUnderTest {
  readonly store: Store;
  /** Lets this much time pass for the store. */
  advance(milliseconds: number): void | Promise<void>;
}

export type CreateStore = (limits: StoreLimits) => StoreUnderTest | Promise<StoreUnderTest>;

const LIMITS: StoreLimits = {
  sessionIdle: 60_000,
  maxSessions: 3,
  maxSessionsPerPeer: 2,
  yieldIdle: 60_000,
  maxEvents: 4,
  eventAge: 10_000,
  maxChanges: 16,
};

const RECORD: SessionRecord = {
  version: '2025-11-25',
  clientInfo: { name: 'contract', version: '1' },
  capabilities: { sampling: {} },
  principal: 'ada',
  logLevel: 'info',
  ready: false,
  subscriptions: ['test://a'],
};

export function describeStore(name: string, create: CreateStore): void {
  describe(name, () => {
    const running: Store[] = [];

    const open = async (limits: Partial<StoreLimits> = {}): Promise<StoreUnderTest> => {
      const under = await create({ ...LIMITS, ...limits });
      running.push(under.store);
      return under;
    };

    afterEach(async () => {
      for (const store of running.splice(0)) await store.close();
    });

    describe('sessions', () => {
      it('returns what was written down', async () => {
        const { store } = await open();
        expect(await store.sessions.create('s1', RECORD)).toBe(true);
        expect(await store.sessions.get('s1')).toEqual(RECORD);
        expect(await store.sessions.peek('s1')).toEqual(RECORD);
      });

      it('keeps the absence of a principal and of client info', async () => {
        const { store } = await open();
        await store.sessions.create('s1', { ...RECORD, principal: undefined, clientInfo: undefined });
        const record = await store.sessions.get('s1');
        expect(record?.principal).toBeUndefined();
        expect(record?.clientInfo).toBeUndefined();
      });

      it('knows nothing of ids that it never saw', async () => {
        const { store } = await open();
        expect(await store.sessions.get('nobody')).toBeUndefined();
        expect(await store.sessions.peek('nobody')).toBeUndefined();
        expect(await store.sessions.delete('nobody')).toBe(false);
      });

      it('writes down what changed', async () => {
        const { store } = await open();
        await store.sessions.create('s1', RECORD);
        await store.sessions.update('s1', { ready: true, unsubscribed: ['test://a'] });
        expect(await store.sessions.get('s1')).toEqual({ ...RECORD, ready: true, subscriptions: [] });
      });

      it('keeps the changes of requests that ran at the same time', async () => {
        const { store } = await open();
        await store.sessions.create('s1', RECORD);
        await Promise.all([
          store.sessions.update('s1', { subscribed: ['test://b'] }),
          store.sessions.update('s1', { subscribed: ['test://c'], logLevel: 'debug' }),
          store.sessions.update('s1', { unsubscribed: ['test://a'], ready: true }),
        ]);
        const record = await store.sessions.get('s1');
        expect(record).toMatchObject({ ready: true, logLevel: 'debug' });
        expect([...(record?.subscriptions ?? [])].sort()).toEqual(['test://b', 'test://c']);
      });

      it('does not bring an ended session back to life on update', async () => {
        const { store } = await open();
        await store.sessions.create('s1', RECORD);
        await store.sessions.delete('s1');
        await store.sessions.update('s1', { ready: true });
        expect(await store.sessions.get('s1')).toBeUndefined();
      });

      it('tells only one caller that its delete ended the session', async () => {
        const { store } = await open();
        await store.sessions.create('s1', RECORD);
        const outcomes = await Promise.all([store.sessions.delete('s1'), store.sessions.delete('s1')]);
        expect(outcomes.sort()).toEqual([false, true]);
        expect(await store.sessions.get('s1')).toBeUndefined();
      });

      it('forgets a session that was idle for too long', async () => {
        const { store, advance } = await open();
        await store.sessions.create('s1', RECORD);
        await advance(LIMITS.sessionIdle + 1);
        expect(await store.sessions.peek('s1')).toBeUndefined();
        expect(await store.sessions.get('s1')).toBeUndefined();
      });

      it('renews the session with get', async () => {
        const { store, advance } = await open();
        await store.sessions.create('s1', RECORD);
        for (const _round of [1, 2, 3]) {
          await advance(LIMITS.sessionIdle - 2000);
          expect(await store.sessions.get('s1')).toEqual(RECORD);
        }
      });

      it('does not renew the session with peek', async () => {
        const { store, advance } = await open();
        await store.sessions.create('s1', RECORD);
        await advance(LIMITS.sessionIdle - 2000);
        expect(await store.sessions.peek('s1')).toEqual(RECORD);
        await advance(3000);
        expect(await store.sessions.get('s1')).toBeUndefined();
      });

      it('refuses a session beyond the cap, and admits one when another has ended', async () => {
        const { store } = await open();
        for (const id of ['s1', 's2', 's3']) expect(await store.sessions.create(id, RECORD)).toBe(true);
        expect(await store.sessions.create('s4', RECORD)).toBe(false);
        expect(await store.sessions.get('s4')).toBeUndefined();
        await store.sessions.delete('s2');
        expect(await store.sessions.create('s4', RECORD)).toBe(true);
      });

      it('admits a session when idle ones have expired, and keeps those in use', async () => {
        const { store, advance } = await open();
        for (const id of ['s1', 's2', 's3']) await store.sessions.create(id, RECORD);
        await advance(LIMITS.sessionIdle - 2000);
        await store.sessions.get('s1');
        await advance(3000);
        expect(await store.sessions.create('s4', RECORD)).toBe(true);
        expect(await store.sessions.create('s5', RECORD)).toBe(true);
        expect(await store.sessions.create('s6', RECORD)).toBe(false);
        expect(await store.sessions.get('s1')).toEqual(RECORD);
        expect(await store.sessions.get('s2')).toBeUndefined();
      });
    });

    describe('sessions of accounts', () => {
      const of = (account: string): SessionRecord => ({ ...RECORD, account });

      it('take no more than their share', async () => {
        const { store } = await open();
        for (const id of ['a1', 'a2']) expect(await store.sessions.create(id, of('ann'))).toBe(true);
        expect(await store.sessions.create('a3', of('ann'))).toBe(false);
        expect(await store.sessions.create('b1', of('bob'))).toBe(true);
        await store.sessions.delete('a1');
        expect(await store.sessions.create('a3', of('ann'))).toBe(true);
        expect(await store.sessions.get('a3')).toEqual(of('ann'));
      });

      it('give way when they have been idle: their own first, then the oldest of all', async () => {
        const { store, advance } = await open({ sessionIdle: 3_600_000 });
        await store.sessions.create('a1', of('ann'));
        await advance(2000);
        await store.sessions.create('b1', of('bob'));
        await store.sessions.create('a2', of('ann'));
        await advance(30_000);
        expect(await store.sessions.create('a3', of('ann'))).toBe(false);
        await advance(40_000);
        await store.sessions.get('a2');
        expect(await store.sessions.create('a3', of('ann'))).toBe(true);
        expect(await store.sessions.get('a1')).toBeUndefined();
        expect(await store.sessions.peek('b1')).toBeDefined();
        expect(await store.sessions.create('c1', of('carl'))).toBe(true);
        expect(await store.sessions.get('b1')).toBeUndefined();
        expect(await store.sessions.peek('a2')).toBeDefined();
        expect(await store.sessions.create('c2', of('carl'))).toBe(false);
      });

      it('that have expired do not count', async () => {
        const { store, advance } = await open();
        for (const id of ['a1', 'a2']) await store.sessions.create(id, of('ann'));
        await advance(LIMITS.sessionIdle + 1000);
        for (const id of ['a3', 'a4']) expect(await store.sessions.create(id, of('ann'))).toBe(true);
        expect(await store.sessions.create('a5', of('ann'))).toBe(false);
      });
    });

    describe('events', () => {
      const openWithSession = async (): Promise<StoreUnderTest> => {
        const under = await open();
        await under.store.sessions.create('s1', RECORD);
        return under;
      };

      const replayed = async (store: Store, session: string, stream: string, after: string) =>
        (await store.events.replay(session, stream, after)).map((event) => event.data);

      it('replays exactly the stream that is asked for, in order, after the given event', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'l1');
        await store.events.append('s1', 'right', 'r1');
        await store.events.append('s1', 'left', 'l2');
        await store.events.append('s1', 'left', 'l3');
        expect(await replayed(store, 's1', 'left', first)).toEqual(['l2', 'l3']);
        expect(await replayed(store, 's1', 'right', first)).toEqual(['r1']);
        expect(await replayed(store, 's1', 'other', first)).toEqual([]);
      });

      it('gives every event of a session an id of its own, which goes into a header', async () => {
        const { store } = await openWithSession();
        const ids = new Set<string>();
        for (let index = 0; index < 20; index += 1) {
          const id = await store.events.append('s1', index % 2 === 0 ? 'left' : 'right', `e${index}`);
          expect(id).toMatch(/^[\w-]{1,64}$/);
          ids.add(id);
        }
        expect(ids.size).toBe(20);
      });

      it('replays nothing after the newest event, and the ids that were handed out', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'l1');
        const second = await store.events.append('s1', 'left', 'l2');
        const events = await store.events.replay('s1', 'left', first);
        expect(events).toEqual([expect.objectContaining({ id: second, data: 'l2' })]);
        expect(await replayed(store, 's1', 'left', second)).toEqual([]);
      });

      it('tells an event without a message from the end of the stream', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'l1');
        await store.events.append('s1', 'left', '');
        await store.events.append('s1', 'left', undefined);
        expect(await replayed(store, 's1', 'left', first)).toEqual(['', undefined]);
      });

      it('keeps text as it is', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', '');
        const text = '{"text":"naïve \\n ☃ \u2028 \u0000"}';
        await store.events.append('s1', 'left', text);
        expect(await replayed(store, 's1', 'left', first)).toEqual([text]);
      });

      it("never shows one session another one's events", async () => {
        const { store } = await openWithSession();
        await store.sessions.create('s2', RECORD);
        const first = await store.events.append('s1', 'left', 'mine');
        await store.events.append('s1', 'left', 'mine too');
        expect(await replayed(store, 's2', 'left', first)).toEqual([]);
      });

      it('keeps the newest events only', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'e0');
        for (let index = 1; index <= 10; index += 1) await store.events.append('s1', 'left', `e${index}`);
        const kept = await replayed(store, 's1', 'left', first);
        expect(kept.length).toBeLessThanOrEqual(LIMITS.maxEvents);
        expect(kept.at(-1)).toBe('e10');
      });

      it('forgets events that are too old', async () => {
        const { store, advance } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'e0');
        await store.events.append('s1', 'left', 'old');
        await advance(LIMITS.eventAge + 1);
        await store.events.append('s1', 'left', 'new');
        expect(await replayed(store, 's1', 'left', first)).toEqual(['new']);
      });

      it('forgets the events of a session that was dropped', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'e0');
        await store.events.append('s1', 'left', 'e1');
        await store.events.drop('s1');
        expect(await replayed(store, 's1', 'left', first)).toEqual([]);
      });

      it('forgets the events of a session that has ended', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'e0');
        await store.events.append('s1', 'left', 'e1');
        await store.sessions.delete('s1');
        expect(await replayed(store, 's1', 'left', first)).toEqual([]);
      });

      it('keeps no events of a session that has ended: nobody can come back for them', async () => {
        const { store } = await openWithSession();
        const first = await store.events.append('s1', 'left', 'e0');
        await store.sessions.delete('s1');
        expect(await store.events.append('s1', 'left', 'late')).toMatch(/^[\w-]{1,64}$/);
        expect(await replayed(store, 's1', 'left', first)).toEqual([]);
      });
    });

    describeStreams(open, RECORD);
    describeMessages(open);
    describeCoordination(open);

    describe('bus', () => {
      it('delivers to every subscriber of the topic, in order, and to nobody else', async () => {
        const { store } = await open();
        const [one, two, other] = [inbox(2), inbox(2), inbox(1)];
        await store.bus.subscribe('news', one.receive);
        await store.bus.subscribe('news', two.receive);
        await store.bus.subscribe('other', other.receive);
        await store.bus.publish('news', 'a');
        await store.bus.publish('news', 'b');
        expect(await one.complete).toEqual(['a', 'b']);
        expect(await two.complete).toEqual(['a', 'b']);
        await store.bus.publish('other', 'end');
        expect(await other.complete).toEqual(['end']);
      });

      it('delivers nothing more after unsubscribing, and goes on for the others', async () => {
        const { store } = await open();
        const [leaving, staying] = [inbox(1), inbox(2)];
        const unsubscribe = await store.bus.subscribe('news', leaving.receive);
        await store.bus.subscribe('news', staying.receive);
        await store.bus.publish('news', 'a');
        await leaving.complete;
        await unsubscribe();
        await unsubscribe();
        await store.bus.publish('news', 'b');
        expect(await staying.complete).toEqual(['a', 'b']);
        expect(leaving.texts).toEqual(['a']);
      });

      it('does not mind a topic without subscribers', async () => {
        const { store } = await open();
        await store.bus.publish('nobody', 'a');
        const late = inbox(1);
        await store.bus.subscribe('nobody', late.receive);
        await store.bus.publish('nobody', 'b');
        expect(await late.complete).toEqual(['b']);
      });

      it('delivers to a subscriber that unsubscribes another while it is told', async () => {
        const { store } = await open();
        const second = inbox(1);
        let unsubscribe: () => unknown = () => undefined;
        await store.bus.subscribe('news', () => void unsubscribe());
        unsubscribe = await store.bus.subscribe('news', () => undefined);
        await store.bus.subscribe('news', second.receive);
        await store.bus.publish('news', 'a');
        expect(await second.complete).toEqual(['a']);
      });
    });
  });
}
