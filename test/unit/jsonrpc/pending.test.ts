import { describe, expect, test } from 'vitest';
import { Pending, type Waiter } from '../../../src/jsonrpc/pending.js';

function waiter(): Waiter & { readonly outcomes: unknown[] } {
  const outcomes: unknown[] = [];
  return {
    outcomes,
    resolve: (result) => outcomes.push(['resolved', result]),
    reject: (error) => outcomes.push(['rejected', error]),
    fail: (error) => outcomes.push(['failed', error]),
  };
}

describe('pending requests', () => {
  test('ids are never handed out twice', () => {
    const pending = new Pending();
    const ids = Array.from({ length: 100 }, () => pending.allocate());
    expect(new Set(ids).size).toBe(100);
  });

  test('an entry leaves exactly once', () => {
    const pending = new Pending();
    const first = waiter();
    pending.add(1, first);
    expect(pending.has(1)).toBe(true);
    expect(pending.take(1)).toBe(first);
    expect(pending.take(1)).toBeUndefined();
    expect(pending.size).toBe(0);
  });

  test('an answer to "1" does not settle the request 1', () => {
    const pending = new Pending();
    pending.add(1, waiter());
    expect(pending.take('1')).toBeUndefined();
    expect(pending.size).toBe(1);
  });

  test('whoever still waits when the connection goes gets the reason, and only those', () => {
    const pending = new Pending();
    const [answered, lost] = [waiter(), waiter()];
    pending.add(1, answered);
    pending.add(2, lost);
    pending.take(1)?.resolve({});
    const reason = new Error('gone');
    pending.rejectAll(reason);
    pending.rejectAll(new Error('again'));
    expect(answered.outcomes).toEqual([['resolved', {}]]);
    expect(lost.outcomes).toEqual([['rejected', reason]]);
    expect(pending.size).toBe(0);
  });

  test('a waiter that asks again while it is being rejected is not lost', () => {
    const pending = new Pending();
    const second = waiter();
    pending.add(1, { ...waiter(), reject: () => pending.add(2, second) });
    pending.rejectAll(new Error('gone'));
    expect(pending.size).toBe(1);
    expect(second.outcomes).toEqual([]);
  });
});
