import { expect, test } from 'vitest';
import { clientTrial } from './client-harness.js';
import { CLIENT_MUTATIONS } from './client-mutations.js';
import { missLines, recordMisses } from './misses.js';
import { runTrials } from './run-trials.js';

const TEN_MINUTES = 600_000;
const PARALLEL = 4;
const SHARE = 0.95;

test('finds at least 95 % of the ways to break a client', { timeout: TEN_MINUTES }, async () => {
  const trials = await runTrials(CLIENT_MUTATIONS, PARALLEL, clientTrial);
  const missed = trials
    .filter(({ found }) => !found)
    .map(({ mutation: { id, name }, message }) => ({ id, name, message }));
  recordMisses('client', trials.length, missed);
  expect(trials.length).toBeGreaterThanOrEqual(160);
  expect(missed.length, missLines(missed).join('\n')).toBeLessThanOrEqual(
    Math.floor(trials.length * (1 - SHARE)),
  );
});
