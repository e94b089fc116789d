/** MAY: which options of the specification a server uses. Shown in every report, never scored. */

import { expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { FORMATS, reportOf } from '../../../src/validate/index.js';
import type { Outcome } from '../../../src/validate/outcomes.js';
import { breaks } from '../../../src/validate/report/report.js';
import { urlTarget } from '../../../src/validate/target.js';
import type { Validation } from '../../../src/validate/validate.js';

function validation(outcomesOf: (revision: string) => readonly Pick<Outcome, 'id' | 'verdict' | 'reason'>[]) {
  const runs = REVISIONS.slice(2, 4).map((revision) => ({
    revision,
    outcomes: outcomesOf(revision.version).map((outcome) => ({
      ...outcome,
      revision: revision.version,
      transport: 'http' as const,
      findings: [],
    })),
    entries: [],
    greeting: {},
    capabilities: {},
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    elapsedMs: 1,
  }));
  const target = urlTarget('http://example.com/mcp');
  const result: Validation = { subject: 'server', target, spoken: REVISIONS.slice(2, 4), runs, elapsedMs: 1 };
  return result;
}

const [, , first, second] = REVISIONS.map(({ version }) => version);
const SESSIONS = 'A session id is issued';
const PAGES = 'Lists come in pages';

const report = reportOf(
  validation((revision) => [
    { id: '001', verdict: 'pass', reason: undefined },
    { id: '003', verdict: 'skip', reason: 'nothing here to judge it by' },
    revision === first
      ? { id: '508', verdict: 'pass', reason: undefined }
      : { id: '508', verdict: 'skip', reason: 'not used' },
    { id: '502', verdict: 'skip', reason: 'not used' },
    { id: '505', verdict: 'skip', reason: 'no tool was called; --call-tools allows all of them' },
  ]),
);
const written = (format: string): string => FORMATS[format]?.(report) ?? '';

test('an option counts neither as passed nor as skipped, and breaks no build', () => {
  expect(report).toMatchObject({ score: 100, level: 'complete' });
  for (const run of report.revisions) {
    expect(run).toMatchObject({ passed: 1, skipped: 1 });
    expect(run.failed).toEqual({ must: 0, should: 0, derived: 0 });
  }
  expect(breaks(report, 'should')).toBe(false);
});

test('the text lists options that are used with their revisions, and names the others', () => {
  expect(written('text')).toContain(`508 ${SESSIONS}  ${first}\n`);
  expect(written('text')).toContain(`not used: 502 ${PAGES}`);
  // What could not be seen is neither; the flag that shows it is named.
  expect(written('text')).toContain('--call-tools allows all of them: 505');
});

test('every report for people shows options', () => {
  expect(written('markdown')).toContain(`| 508 ${SESSIONS} | ${first} |`);
  expect(written('markdown')).toContain(`| 502 ${PAGES} | not used |`);
  expect(written('html')).toContain(`title="508 ${SESSIONS}: used"`);
  expect(written('html')).toContain(`title="502 ${PAGES}: not used"`);
});

test('every report for programs shows options', () => {
  const { revisions } = JSON.parse(written('json'));
  expect(revisions[0].outcomes).toContainEqual(
    expect.objectContaining({ id: '508', level: 'may', verdict: 'pass' }),
  );
  const [run] = JSON.parse(written('sarif')).runs;
  expect(run.results).toEqual([]);
  expect(run.properties.options).toContainEqual({
    id: '508',
    title: SESSIONS,
    used: [first],
    unused: [second],
  });
  expect(written('junit')).toContain('<system-out>MAY: used</system-out>');
  expect(written('junit')).toContain('<skipped message="MAY: not used"/>');
  expect(written('junit')).toContain('failures="0" skipped="3"');
});
