import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ProcessSlots } from '../../../src/chain/process-slots.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const never = new AbortController().signal;

function prepare(options: { max: number; maxWaiting?: number; waitMs?: number }) {
  let idle = 0;
  const asked: number[] = [];
  const slots = new ProcessSlots({
    ...options,
    refusal: () => new Error('all taken'),
    makeRoom: (count) => {
      asked.push(count);
      const ended = Math.min(idle, count);
      idle -= ended;
      return ended;
    },
  });
  return { slots, asked, rest: (count: number) => (idle += count) };
}

test('gives slots up to the limit, and hands one that is given back to the first who waits', async () => {
  const { slots } = prepare({ max: 2 });
  const first = await slots.acquire(never);
  await slots.acquire(never);
  const order: string[] = [];
  const third = slots.acquire(never).then(() => order.push('third'));
  const refused = expect(slots.acquire(never).then(() => order.push('fourth'))).rejects.toThrow('all taken');
  first();
  // A slot is given back once, however often its holder says so.
  first();
  await third;
  await vi.advanceTimersByTimeAsync(20_000);
  await refused;
  expect(order).toEqual(['third']);
});

test('refuses at once when too many wait', async () => {
  const { slots } = prepare({ max: 1, maxWaiting: 1 });
  const release = await slots.acquire(never);
  const waiting = slots.acquire(never);
  await expect(slots.acquire(never)).rejects.toThrow('all taken');
  release();
  await waiting;
});

test('somebody who no longer wants a slot leaves the queue', async () => {
  const { slots } = prepare({ max: 1, maxWaiting: 1 });
  const release = await slots.acquire(never);
  const gone = new AbortController();
  const waiting = slots.acquire(gone.signal);
  gone.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
  const next = slots.acquire(never);
  release();
  (await next)();
  // Nobody held it, so it is free again.
  await slots.acquire(never);
  expect(vi.getTimerCount()).toBe(0);
});

test('asks for as many processes to leave as are waited for, and again while nobody does', async () => {
  const { slots, asked, rest } = prepare({ max: 2 });
  const release = [await slots.acquire(never), await slots.acquire(never)];
  const one = slots.acquire(never);
  const two = slots.acquire(never);
  expect(asked).toEqual([1, 2]);
  rest(1);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([1, 2, 2]);
  await vi.advanceTimersByTimeAsync(1_000);
  // One is on its way out already.
  expect(asked).toEqual([1, 2, 2, 1]);
  for (const free of release) free();
  await Promise.all([one, two]);
  expect(vi.getTimerCount()).toBe(0);
});
