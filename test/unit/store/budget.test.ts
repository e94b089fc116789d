import { describe, expect, test } from 'vitest';
import { Budget, textLength, weigh } from '../../../src/store/budget.js';

describe('a budget', () => {
  test('refuses what does not fit into the share of an account, or into the total', () => {
    const budget = new Budget({ total: 100, perAccount: 60 });
    const first = budget.charge('ann', 50);
    expect(first).toBeDefined();
    expect(budget.charge('ann', 20)).toBeUndefined();
    expect(budget.charge('bob', 60)).toBeUndefined();
    expect(budget.charge('bob', 50)).toBeDefined();
    expect(budget.used).toBe(100);
    expect(budget.charge(undefined, 1)).toBeUndefined();
    first?.release();
    first?.release();
    expect(budget.used).toBe(50);
    expect(budget.charge('ann', 50)).toBeDefined();
  });

  test('lets a charge grow as far as there is room, and shrink', () => {
    const budget = new Budget({ total: 100, perAccount: 60 });
    const charge = budget.charge('ann', 10);
    expect(charge?.resize(60)).toBe(true);
    expect(charge?.resize(61)).toBe(false);
    expect(budget.used).toBe(60);
    expect(charge?.resize(5)).toBe(true);
    charge?.release();
    expect(budget.used).toBe(0);
  });
});

describe('what a value weighs', () => {
  test('grows with its texts and with the number of its parts', () => {
    expect(weigh('x'.repeat(1000))).toBeGreaterThanOrEqual(1000);
    expect(weigh({ ['k'.repeat(1000)]: 1 })).toBeGreaterThanOrEqual(1000);
    expect(weigh(Array.from({ length: 1000 }, () => ({})))).toBeGreaterThanOrEqual(48_000);
    expect(weigh([undefined, null, 1, true])).toBeLessThan(200);
  });

  test('is not counted to the end beyond a limit, however deep or wide the value is', () => {
    let deep: unknown = 'end';
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect(weigh(deep)).toBeGreaterThan(4_800_000);
    expect(weigh(deep, 1000)).toBeLessThan(2000);
  });
});

test('the length of the text of a value is about that of its JSON', () => {
  const value = { name: 'x'.repeat(100), list: [1, true, null, { a: 'b' }], nested: { deep: ['c'] } };
  const exact = JSON.stringify(value).length;
  expect(textLength(value, 1_000_000)).toBeGreaterThan(exact * 0.8);
  expect(textLength(value, 1_000_000)).toBeLessThan(exact * 1.3);
});
