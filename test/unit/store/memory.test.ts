import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemoryStore } from '../../../src/store/index.js';
import type { MemoryStoreOptions } from '../../../src/store/memory.js';
import type { SessionRecord } from '../../../src/store/store.js';
import { createAsyncStore } from '../../support/async-store.js';
import { describeStore } from '../../support/store-contract.js';

describeStore('the store in memory', (limits) => {
  let now = 1_000_000;
  const store = createMemoryStore({ ...limits, now: () => now });
  return {
    store,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
});

describeStore('a store that answers later and with copies', (limits) => {
  let now = 1_000_000;
  const store = createAsyncStore(createMemoryStore({ ...limits, now: () => now }));
  return {
    store,
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
});

const RECORD: SessionRecord = {
  version: '2025-11-25',
  clientInfo: undefined,
  capabilities: {},
  principal: undefined,
  logLevel: 'info',
  ready: true,
  subscriptions: [],
};

describe('the limits of the store in memory', () => {
  afterEach(() => vi.useRealTimers());

  const open = (options: MemoryStoreOptions) => createMemoryStore(options);
  const datas = async (store: ReturnType<typeof open>, session: string, after: string) =>
    (await store.events.replay(session, 'left', after)).map(({ data }) => data);

  it('bounds the characters of a session, but keeps the newest event however large', async () => {
    const store = open({ maxEventBytes: 100 });
    await store.sessions.create('s1', RECORD);
    const first = await store.events.append('s1', 'left', '');
    for (const letter of 'abc') await store.events.append('s1', 'left', letter.repeat(40));
    expect(await datas(store, 's1', first)).toEqual(['b'.repeat(40), 'c'.repeat(40)]);
    await store.events.append('s1', 'left', 'd'.repeat(1000));
    expect(await datas(store, 's1', first)).toEqual(['d'.repeat(1000)]);
    await store.close();
  });

  it('bounds the characters of all sessions, and takes from those that were silent longest', async () => {
    const store = open({ maxTotalEventBytes: 100 });
    const firsts: Record<string, string> = {};
    for (const id of ['s1', 's2', 's3']) {
      await store.sessions.create(id, RECORD);
      firsts[id] = await store.events.append(id, 'left', '');
      await store.events.append(id, 'left', id.repeat(20));
    }
    expect(await datas(store, 's1', firsts.s1 ?? '')).toEqual([]);
    expect(await datas(store, 's2', firsts.s2 ?? '')).toEqual(['s2'.repeat(20)]);
    expect(await datas(store, 's3', firsts.s3 ?? '')).toEqual(['s3'.repeat(20)]);
    await store.close();
  });

  it('gives back the characters of sessions that ended', async () => {
    const store = open({ maxTotalEventBytes: 100, maxSessions: 5000 });
    for (let index = 0; index < 1000; index += 1) {
      await store.sessions.create(`s${index}`, RECORD);
      await store.events.append(`s${index}`, 'left', 'x'.repeat(60));
      await store.sessions.delete(`s${index}`);
    }
    await store.sessions.create('last', RECORD);
    const first = await store.events.append('last', 'left', '');
    await store.events.append('last', 'left', 'y'.repeat(90));
    expect(await datas(store, 'last', first)).toEqual(['y'.repeat(90)]);
    await store.close();
  });

  it('runs a timer only while there are sessions, and sweeps idle ones with it', async () => {
    vi.useFakeTimers();
    const store = open({ sessionIdle: 1000, now: () => Date.now() });
    expect(vi.getTimerCount()).toBe(0);
    await store.sessions.create('s1', RECORD);
    await store.sessions.create('s2', RECORD);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(2000);
    expect(vi.getTimerCount()).toBe(0);
    expect(await store.sessions.get('s1')).toBeUndefined();
    await store.sessions.create('s3', RECORD);
    expect(vi.getTimerCount()).toBe(1);
    await store.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('refuses 100,000 sessions beyond the default cap', async () => {
    const store = open({});
    let admitted = 0;
    for (let index = 0; index < 110_000; index += 1) {
      if (await store.sessions.create(`s${index}`, RECORD)) admitted += 1;
    }
    expect(admitted).toBe(10_000);
    await store.close();
  });

  it('returns the same record object each time, so that nothing is rebuilt for a request', async () => {
    const store = open({});
    await store.sessions.create('s1', RECORD);
    expect(store.sessions.get('s1')).toBe(RECORD);
    expect(store.sessions.peek('s1')).toBe(RECORD);
    await store.close();
  });
});
