import { expect, test } from 'vitest';
import { clientTrial } from './client-harness.js';
import { CLIENT_MUTATIONS } from './client-mutations.js';
import { CLIENT_STDIO_MUTATIONS } from './client-stdio.js';
import { lineTrial } from './client-stdio-harness.js';
import { missLines, recordMisses } from './misses.js';
import { runTrials } from './run-trials.js';

const TEN_MINUTES = 600_000;
const PARALLEL = 4;
const SHARE = 0.95;

test('finds at least 95 % of the ways to break a client', { timeout: TEN_MINUTES }, async () => {
  const trials = [
    ...(await runTrials(CLIENT_MUTATIONS, PARALLEL, clientTrial)),
    ...(await runTrials(CLIENT_STDIO_MUTATIONS, PARALLEL, lineTrial)),
  ];
  const missed = trials
    .filter(({ found }) => !found)
    .map(({ mutation: { id, name }, message }) => ({ id, name, message }));
  recordMisses('client', trials.length, missed);
  expect(trials.length).toBeGreaterThanOrEqual(290);
  expect(missed.length, missLines(missed).join('\n')).toBeLessThanOrEqual(
    Math.floor(trials.length * (1 - SHARE)),
  );
});
