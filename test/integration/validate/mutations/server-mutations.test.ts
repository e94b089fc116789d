import { expect, test } from 'vitest';
import { trial } from './harness.js';
import { SERVER_MUTATIONS } from './index.js';
import { missLines, recordMisses } from './misses.js';
import { runTrials } from './run-trials.js';

const TWENTY_MINUTES = 1_200_000;
/** Most of them wait for answers that never come. */
const PARALLEL = 24;
const SHARE = 0.98;

test('finds at least 98 % of the ways to break a server', { timeout: TWENTY_MINUTES }, async () => {
  const trials = await runTrials(SERVER_MUTATIONS, PARALLEL, trial);
  const missed = trials
    .filter(({ found }) => !found)
    .map(({ mutation: { id, name }, message }) => ({ id, name, message }));
  recordMisses('server', trials.length, missed);
  expect(trials.length).toBeGreaterThanOrEqual(850);
  expect(missed.length, missLines(missed).join('\n')).toBeLessThanOrEqual(
    Math.floor(trials.length * (1 - SHARE)),
  );
});
