import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Deadlines, type Limited } from '../../../src/client/deadlines.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function limits() {
  const deadlines = new Deadlines(100, () => performance.now());
  const expired: string[] = [];
  const begin = (name: string): Limited => {
    const entry = { due: 0, before: undefined, after: undefined, expire: () => expired.push(name) };
    deadlines.add(entry);
    return entry;
  };
  return { deadlines, expired, begin };
}

describe('the time limit that calls share', () => {
  it('is kept for each of them, whatever became of those before', () => {
    const { deadlines, expired, begin } = limits();
    const first = begin('first');
    vi.advanceTimersByTime(40);
    begin('second');
    const third = begin('third');
    vi.advanceTimersByTime(40);
    begin('fourth');
    expect(vi.getTimerCount()).toBe(1);
    deadlines.remove(first);
    deadlines.remove(third);
    vi.advanceTimersByTime(58);
    expect(expired).toEqual([]);
    vi.advanceTimersByTime(3);
    expect(expired).toEqual(['second']);
    vi.advanceTimersByTime(42);
    expect(expired).toEqual(['second', 'fourth']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('leaves no timer behind when nothing is under way', () => {
    const { deadlines, expired, begin } = limits();
    const only = begin('only');
    deadlines.remove(only);
    deadlines.remove(only);
    expect(vi.getTimerCount()).toBe(0);
    begin('next');
    vi.advanceTimersByTime(102);
    expect(expired).toEqual(['next']);
  });
});
