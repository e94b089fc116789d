import { expect, test } from 'vitest';
import { Cancellation } from '../../../src/protocol/cancellation.js';

function watcher(log: string[], name: string) {
  return { cancelled: (reason: unknown): unknown => log.push(`${name}: ${reason}`) };
}

test('everyone who watches is told once, in the order in which they came', () => {
  const log: string[] = [];
  const cancellation = new Cancellation();
  const left = watcher(log, 'left');
  const first = watcher(log, 'first');
  for (const one of [first, left, watcher(log, 'second'), watcher(log, 'third')]) cancellation.watch(one);
  cancellation.unwatch(left);
  expect(cancellation.isCancelled).toBe(false);
  cancellation.cancel('why');
  cancellation.cancel('again');
  expect(log).toEqual(['first: why', 'second: why', 'third: why']);
  expect([cancellation.isCancelled, cancellation.reason]).toEqual([true, 'why']);
});

test('who has left hears nothing, and makes room for the next', () => {
  const log: string[] = [];
  const cancellation = new Cancellation();
  const left = watcher(log, 'left');
  cancellation.watch(left);
  cancellation.unwatch(left);
  cancellation.unwatch(left);
  cancellation.watch(watcher(log, 'next'));
  cancellation.cancel('why');
  expect(log).toEqual(['next: why']);
});
