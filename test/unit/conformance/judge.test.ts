/** What the verdicts of the official suite count as. */

import { expect, test } from 'vitest';
import { judge } from '../../../conformance/judge.mjs';

const SKIPPED = { id: 'listed', status: 'SKIPPED', description: 'Not declared' };

test.each(['tasks-lifecycle', 'sep-2640-skills-manifest'])(
  'a check of %s must not be skipped',
  (scenario) => {
    const passed = { id: 'other', status: 'SUCCESS', description: 'Fine' };
    expect(judge(scenario, [passed, SKIPPED]).failures).toEqual([
      { check: 'listed', message: 'Not declared' },
    ]);
    expect(judge(scenario, [passed]).failures).toEqual([]);
  },
);

test('scenarios of the protocol itself may skip what a revision does not have', () => {
  expect(judge('server-session-lifecycle', [SKIPPED])).toMatchObject({ failures: [], warnings: [] });
});
