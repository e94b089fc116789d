/** The validator inside another program: told of everything as it happens, and stopped at any time. */

import { expect, test } from 'vitest';
import { selectRevisions } from '../../../src/protocol/revisions/index.js';
import { reportOf, validateClient, validateServer } from '../../../src/validate/index.js';
import type { Finding } from '../../../src/validate/outcomes.js';
import type { Progress } from '../../../src/validate/runner.js';
import { commandTarget, pipeTarget } from '../../../src/validate/target.js';
import type { RecordedEntry } from '../../../src/validate/wire/recorder.js';
import { mutatedPipe } from './mutations/harness.js';
import { referenceClient } from './reference-client.js';

const revisions = selectRevisions(['2025-11-25', '2026-07-28']);
const faulty = (): ReturnType<typeof pipeTarget> =>
  pipeTarget('faulty', mutatedPipe({ line: (text) => [text.replace('"2.0"', '"1.0"')] }));

test('tells of progress, findings and exchanges while it runs', { timeout: 60_000 }, async () => {
  const progress: Progress[] = [];
  const findings: Finding[] = [];
  const entries: RecordedEntry[] = [];
  const validation = await validateServer(faulty(), {
    revisions,
    only: ['001', '009'],
    quiet: 50,
    onProgress: (step) => progress.push(step),
    onFinding: (finding) => findings.push(finding),
    onExchange: ({ entry }) => entries.push(entry),
  });
  expect(progress.map(({ revision, run, runs }) => `${revision} ${run}/${runs}`)).toEqual(
    expect.arrayContaining(['2025-11-25 1/2', '2026-07-28 2/2']),
  );
  expect(progress.every(({ done, total }) => done < total)).toBe(true);
  expect(findings.some(({ id, revision }) => id === '001' && revision === '2026-07-28')).toBe(true);
  // What was told on the way is what the report says at the end.
  const told = new Set(findings.map(({ id, revision }) => `${id} ${revision}`));
  const reported = reportOf(validation).revisions.flatMap((run) => run.findings);
  expect(new Set(reported.map(({ id, revision }) => `${id} ${revision}`))).toEqual(told);
  expect(entries.length).toBe(validation.runs.reduce((sum, run) => sum + run.entries.length, 0));
});

test('stops when its signal does, and leaves no process behind', { timeout: 60_000 }, async () => {
  const controller = new AbortController();
  const pids = new Set<number>();
  const server = `process.stderr.write(String(process.pid) + '\\n'); process.stdin.resume(); setInterval(() => {}, 1000);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method } = JSON.parse(line);
      if (id === undefined || method === 'server/discover') return;
      const serverInfo = { name: 'slow', version: '1' };
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo };
      console.log(JSON.stringify({ jsonrpc: '2.0', id, result: method === 'initialize' ? result : {} }));
    });`;
  const target = commandTarget({
    command: process.execPath,
    args: ['-e', server],
    onStderr: (line) => pids.add(Number(line)),
  });
  const run = validateServer(target, {
    revisions: selectRevisions(['2025-11-25']),
    timeout: 500,
    signal: controller.signal,
    onProgress: ({ done }) => done === 3 && controller.abort(new Error('enough')),
  });
  await expect(run).rejects.toThrow('enough');
  const alive = [...pids].filter((pid) => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  });
  expect(pids.size).toBeGreaterThan(0);
  expect(alive).toEqual([]);
});

test('judges a client with the same callbacks', { timeout: 60_000 }, async () => {
  const titles: string[] = [];
  const texts: string[] = [];
  await validateClient(referenceClient(), {
    only: ['stateless', 'only-tools'],
    onProgress: ({ title }) => titles.push(title),
    onExchange: ({ entry }) => texts.push(entry.text),
  });
  expect(titles.toSorted()).toEqual(['only-tools', 'stateless']);
  expect(texts.some((text) => text.includes('server/discover'))).toBe(true);
});
