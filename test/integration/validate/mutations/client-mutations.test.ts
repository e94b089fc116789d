import { expect, test } from 'vitest';
import { clientTrial } from './client-harness.js';
import { CLIENT_MUTATIONS } from './client-mutations.js';
import { writeMisses } from './misses.js';

const TEN_MINUTES = 600_000;
const PARALLEL = 4;

test('finds at least 95 % of the ways to break a client, and lists the rest', {
  timeout: TEN_MINUTES,
}, async () => {
  const queue = [...CLIENT_MUTATIONS];
  const trials: Awaited<ReturnType<typeof clientTrial>>[] = [];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      trials.push(await clientTrial(next));
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  const missed = trials.filter(({ found }) => !found);
  writeMisses(
    'client',
    trials.length,
    missed.map(({ mutation, message }) => ({ ...mutation, message })),
  );
  expect(CLIENT_MUTATIONS.length).toBeGreaterThanOrEqual(160);
  expect(trials.length - missed.length).toBeGreaterThanOrEqual(Math.ceil(trials.length * 0.95));
});
