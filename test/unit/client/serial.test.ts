import { expect, it } from 'vitest';
import { serial } from '../../../src/client/connection/lifecycle/serial.js';

it('runs one at a time, and once more for all who called meanwhile', async () => {
  const gates: (() => void)[] = [];
  let runs = 0;
  const run = serial(() => {
    runs += 1;
    return new Promise<void>((resolve) => gates.push(resolve));
  });
  const first = run();
  const second = run();
  expect(run()).toBe(second);
  expect(runs).toBe(1);
  gates[0]?.();
  await first;
  await new Promise((resolve) => setImmediate(resolve));
  expect(runs).toBe(2);
  gates[1]?.();
  await second;
  const third = run();
  expect(runs).toBe(3);
  gates[2]?.();
  await third;
});

it('goes on after a run that failed', async () => {
  let runs = 0;
  const run = serial(async () => {
    runs += 1;
    if (runs === 1) throw new Error('first');
  });
  const first = run();
  const second = run();
  await expect(first).rejects.toThrow('first');
  await second;
  expect(runs).toBe(2);
});
