/** How long a call is waited for. */

import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CallClock } from '../../../src/inspector/servers/call-clock.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('expires without progress, and starts anew with it', () => {
  const expired = vi.fn();
  const clock = new CallClock(1_000, expired, () => {});
  vi.advanceTimersByTime(900);
  clock.progressed();
  vi.advanceTimersByTime(900);
  expect(expired).not.toHaveBeenCalled();
  vi.advanceTimersByTime(100);
  expect(expired).toHaveBeenCalledOnce();
});

it('stops while a question waits for its answer', () => {
  const expired = vi.fn();
  const deadlines: (number | undefined)[] = [];
  const clock = new CallClock(1_000, expired, (deadline) => deadlines.push(deadline));
  clock.asked(true);
  clock.progressed();
  vi.advanceTimersByTime(10_000);
  expect(expired).not.toHaveBeenCalled();
  expect(deadlines.at(-1)).toBeUndefined();
  clock.asked(false);
  vi.advanceTimersByTime(1_000);
  expect(expired).toHaveBeenCalledOnce();
});

it('takes more time from its user, or none at all', () => {
  const expired = vi.fn();
  const clock = new CallClock(1_000, expired, () => {});
  clock.extend(5_000);
  vi.advanceTimersByTime(4_000);
  expect(expired).not.toHaveBeenCalled();
  clock.extend(0);
  vi.advanceTimersByTime(10_000_000);
  expect(expired).not.toHaveBeenCalled();
  expect(clock.deadlineAt).toBeUndefined();
});

it('never fires after it was stopped', () => {
  const expired = vi.fn();
  new CallClock(1_000, expired, () => {}).stop();
  vi.advanceTimersByTime(2_000);
  expect(expired).not.toHaveBeenCalled();
});
