import { expect, test } from 'vitest';
import { trial } from './harness.js';
import { SERVER_MUTATIONS } from './index.js';
import { writeMisses } from './misses.js';

const TWENTY_MINUTES = 1_200_000;
/** Most of them wait for answers that never come. */
const PARALLEL = 24;

test('finds at least 98 % of the ways to break a server, and lists the rest', {
  timeout: TWENTY_MINUTES,
}, async () => {
  const queue = [...SERVER_MUTATIONS];
  const trials: Awaited<ReturnType<typeof trial>>[] = [];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) trials.push(await trial(next));
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const missed = trials.filter(({ found }) => !found);
  writeMisses(
    'server',
    trials.length,
    missed.map(({ mutation, message }) => ({ ...mutation, message })),
  );
  expect(SERVER_MUTATIONS.length).toBeGreaterThanOrEqual(700);
  expect(trials.length - missed.length).toBeGreaterThanOrEqual(Math.ceil(trials.length * 0.98));
});
