import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Deadline } from '../../../src/protocol/deadline.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('fires when the time is up', () => {
  const deadline = new Deadline(100);
  vi.advanceTimersByTime(99);
  expect(deadline.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError' });
});

test('fires with the outer signal, and leaves no timer', () => {
  const outer = new AbortController();
  const deadline = new Deadline(100, outer.signal);
  outer.abort('gone');
  expect(deadline.signal.reason).toBe('gone');
  expect(vi.getTimerCount()).toBe(0);
  expect(new Deadline(100, outer.signal).signal.reason).toBe('gone');
  expect(vi.getTimerCount()).toBe(0);
});

test('does not fire after it was cleared', () => {
  const outer = new AbortController();
  const deadline = new Deadline(100, outer.signal);
  deadline.clear();
  expect(vi.getTimerCount()).toBe(0);
  outer.abort();
  expect(deadline.signal.aborted).toBe(false);
});
