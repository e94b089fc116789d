/** Checks that did not finish are tried again, but not for ever: all of them share one limit. */

import { afterEach, expect, test, vi } from 'vitest';
import { type Check, check } from '../../../src/validate/check.js';
import { RetryTime } from '../../../src/validate/retry-time.js';
import { CheckRun } from '../../../src/validate/run-checks.js';
import { Slots } from '../../../src/validate/slots.js';
import { pipeTarget } from '../../../src/validate/target.js';
import { aProbe } from '../../support/a-probe.js';

const USED_UP =
  'could not be checked: checks that did not finish are tried again for at most 45 s in all, and that time was used up';

afterEach(() => void vi.useRealTimers());

const silent = pipeTarget('a silent server', async () => ({
  write: async () => {},
  endInput: () => {},
  close: async () => {},
}));

async function aRun(retries: RetryTime) {
  const probe = await aProbe(silent);
  const tried: string[] = [];
  const run = new CheckRun(probe, {
    onCheck: () => {},
    patientMs: 5_000,
    slots: new Slots(1),
    retries,
  });
  /** Does not finish the first time; `again` is what it does then. */
  const slow = (id: string, again: () => Promise<void> | void): Check => {
    let first = true;
    return check(id, async (given) => {
      tried.push(id);
      if (first) {
        first = false;
        throw new Error('the handshake was not answered in time');
      }
      await again();
      given.pass(id);
    });
  };
  const verdict = (id: string) => {
    const { verdict: found, reason } = probe.outcomes.outcome(id);
    return reason === undefined ? found : `${found}: ${reason}`;
  };
  return { run, tried, slow, verdict };
}

test('what is tried again shares one limit, in all revisions; the rest is not judged', async () => {
  let now = 0;
  const retries = new RetryTime(45_000, () => now);
  const thirtySeconds = (): void => {
    now += 30_000;
  };
  const one = await aRun(retries);
  await one.run.together(['001', '002', '003'].map((id) => one.slow(id, thirtySeconds)));
  // Time that passes between the tries is not spent on them.
  now += 600_000;
  expect(retries.leftMs).toBe(45_000);
  await one.run.settleDoubts();
  expect(one.tried).toEqual(['001', '002', '003', '001', '002']);
  expect(['001', '002', '003'].map(one.verdict)).toEqual(['pass', 'pass', `skip: ${USED_UP}`]);

  const other = await aRun(retries);
  await other.run.together([other.slow('004', () => {})]);
  await other.run.settleDoubts();
  expect(other.tried).toEqual(['004']);
  expect(other.verdict('004')).toBe(`skip: ${USED_UP}`);
});

test('a check that hangs is stopped when the time of all is over', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const retries = new RetryTime();
  const { run, slow, verdict } = await aRun(retries);
  const forEver = (): Promise<void> => new Promise(() => {});
  await run.together([slow('001', forEver), slow('002', forEver), slow('003', () => {})]);
  const started = performance.now();
  let elapsed = Number.NaN;
  const settled = run.settleDoubts().then(() => {
    elapsed = performance.now() - started;
  });
  await vi.advanceTimersByTimeAsync(200_000);
  await settled;
  expect(elapsed).toBe(45_000);
  expect(['001', '002', '003'].map(verdict)).toEqual([
    'skip: could not be checked: the check took longer than 30 s',
    `skip: ${USED_UP}`,
    `skip: ${USED_UP}`,
  ]);
});

test('what was wrong beyond doubt before the time was over stays wrong', async () => {
  const retries = new RetryTime(0);
  const { run, verdict } = await aRun(retries);
  await run.together([
    check('001 002', (probe) => {
      probe.fail('001', 'wrong', { expected: 'right' });
      probe.fail('002', 'silent', { expected: 'an answer', timed: true });
      throw new Error('the handshake was not answered in time');
    }),
  ]);
  await run.settleDoubts();
  expect(verdict('001')).toBe('fail');
  expect(verdict('002')).toContain('skip: could not be checked: ');
});
