import { expect, test } from 'vitest';
import { allFindings, reportOf, validateClient } from '../../src/validate/index.js';
import { referenceClient } from './reference-client.js';

test('finds nothing wrong with a correct client', { timeout: 120_000 }, async () => {
  const report = reportOf(await validateClient(referenceClient(), { scenarioMs: 4_000 }));
  const findings = allFindings(report).map(
    ({ id, revision, message, received }) => `${id} ${revision} ${message} | ${received?.slice(0, 200)}`,
  );
  if (process.env.SHOW)
    for (const r of report.revisions)
      for (const o of r.outcomes) if (o.verdict === 'skip') console.log(r.revision, o.id, o.title);
  expect(findings).toEqual([]);
});
