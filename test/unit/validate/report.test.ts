import { expect, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { FORMATS, type Report, reportOf } from '../../../src/validate/index.js';
import { breaks } from '../../../src/validate/report/report.js';
import { urlTarget } from '../../../src/validate/target.js';
import type { Validation } from '../../../src/validate/validate.js';

const [, , , revision] = REVISIONS;

function validation(verdict: 'pass' | 'fail', id = '001'): Validation {
  if (revision === undefined) throw new Error('no revision');
  const finding = {
    id,
    revision: revision.version,
    transport: 'http',
    message: 'It is <wrong> & "bad"',
    sent: '{"a":1}',
    received: '```',
    expected: 'right',
  } as const;
  const outcomes = [
    {
      id,
      revision: revision.version,
      transport: 'http',
      verdict,
      reason: undefined,
      findings: verdict === 'fail' ? [finding] : [],
    } as const,
    {
      id: '005',
      revision: revision.version,
      transport: 'http',
      verdict: 'pass',
      reason: undefined,
      findings: [],
    } as const,
    {
      id: '003',
      revision: revision.version,
      transport: 'http',
      verdict: 'skip',
      reason: 'no "requests" here',
      findings: [],
    } as const,
  ];
  const run = {
    revision,
    outcomes,
    entries: [],
    greeting: {},
    capabilities: {},
    tools: [],
    resources: [],
    templates: [],
    prompts: [],
    elapsedMs: 12,
  };
  return {
    subject: 'server',
    target: urlTarget('http://example.com/mcp'),
    spoken: [revision],
    runs: [run],
    elapsedMs: 12,
  };
}

test('scores 100 only when nothing failed', () => {
  expect(reportOf(validation('pass'))).toMatchObject({ score: 100, level: 'complete' });
  expect(reportOf(validation('fail'))).toMatchObject({ score: 50, level: 'partial' });
  expect(reportOf(validation('fail', '022'))).toMatchObject({ level: 'compliant' });
});

test('breaks a build for what --fail-on names, unless the baseline knows it', () => {
  const must = reportOf(validation('fail'));
  expect([breaks(must, 'must'), breaks(must, 'should'), breaks(must, 'none')]).toEqual([true, true, false]);
  const should = reportOf(validation('fail', '022'));
  expect([breaks(should, 'must'), breaks(should, 'should')]).toEqual([false, true]);
  const known = reportOf(validation('fail'), new Set([`001 ${revision?.version} http`]));
  expect(breaks(known, 'must')).toBe(false);
});

test('does not pass a server that speaks no revision', () => {
  expect(breaks({ ...reportOf(validation('pass')), revisions: [] }, 'must')).toBe(true);
});

const report: Report = reportOf(validation('fail'));
const written = (format: string): string => FORMATS[format]?.(report) ?? '';

test('tells what was sent, what came back and what should have, in every format for people', () => {
  for (const format of ['text', 'markdown', 'html']) {
    const text = written(format);
    for (const part of ['001', 'right', 'modelcontextprotocol.io/specification'])
      expect(text).toContain(part);
  }
});

test('writes documents that machines can read', () => {
  expect(JSON.parse(written('json'))).toMatchObject({ score: 50, target: 'http://example.com/mcp' });
  expect(JSON.parse(written('sarif'))).toMatchObject({
    version: '2.1.0',
    runs: [{ results: [{ ruleId: 'MCP-001', level: 'error' }] }],
  });
  expect(written('junit')).toContain('failures="1" skipped="1"');
  expect(written('badge')).toContain('50/100');
});

test('lets no foreign text break out of a report', () => {
  expect(written('html')).not.toContain('<wrong>');
  expect(written('junit')).not.toContain('<wrong>');
  // The fence is longer than the one inside it.
  expect(written('markdown')).toContain('````json\n```\n````');
});
