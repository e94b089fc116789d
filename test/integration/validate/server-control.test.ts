import { describe, expect, test } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { reportOf, validateServer } from '../../../src/validate/index.js';
import { allFindings } from '../../../src/validate/report/report.js';
import type { ValidationTarget } from '../../../src/validate/target.js';
import { pipeTarget, urlTarget } from '../../../src/validate/target.js';
import { createExtensionServer } from './extension-server.js';
import { mutatedPipe, trial } from './mutations/harness.js';
import { PROTECTED_CORRECTLY } from './mutations/protected.js';
import { createReferenceServer } from './reference-server.js';
import { taskServer } from './task-server.js';

const FIVE_MINUTES = 300_000;

async function findings(
  target: ValidationTarget,
  level: 'must' | 'any' = 'any',
  callTools = false,
): Promise<string[]> {
  const report = reportOf(await validateServer(target, { callTools, quiet: 150 }));
  expect(report.revisions.length).toBeGreaterThan(0);
  const found = allFindings(report).filter((finding) => level === 'any' || finding.level === 'must');
  return [...new Set(found.map(({ id, revision, message }) => `${id} ${revision} ${message}`))];
}

/** Every requirement about tasks. */
const ABOUT_TASKS = [...Array.from({ length: 35 }, (_, index) => String(308 + index)), '390'];

describe('nothing is found in a correct server', () => {
  test('of every revision, over a pipe', { timeout: FIVE_MINUTES }, async () => {
    expect(await findings(pipeTarget('reference', mutatedPipe({})), 'any', true)).toEqual([]);
  });

  test('of every revision, over HTTP', { timeout: FIVE_MINUTES }, async () => {
    const server = createReferenceServer();
    const { url } = await server.http({ port: 0 });
    try {
      expect(await findings(urlTarget(url), 'any', true)).toEqual([]);
    } finally {
      await server.close({ drain: 0 });
    }
  });

  test('over the old transport', { timeout: FIVE_MINUTES }, async () => {
    const server = createReferenceServer();
    const { origin } = await server.http({ port: 0, legacySse: true });
    try {
      expect(await findings(urlTarget(`${origin}/sse`, { transport: 'sse' }), 'any', true)).toEqual([]);
    } finally {
      await server.close({ drain: 0 });
    }
  });

  test('that runs tools as tasks', { timeout: FIVE_MINUTES }, async () => {
    const validation = await validateServer(pipeTarget('tasks', taskServer()), {
      only: ABOUT_TASKS,
      callTools: true,
      quiet: 50,
    });
    const outcomes = validation.runs
      .flatMap((run) => run.outcomes)
      .filter(({ id }) => ABOUT_TASKS.includes(id));
    expect(outcomes.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual([]);
    expect(outcomes.filter(({ verdict }) => verdict === 'pass').length).toBeGreaterThan(20);
  });

  test('that has skills and an app', { timeout: FIVE_MINUTES }, async () => {
    expect(await findings(pipeTarget('extensions', mutatedPipe({}, createExtensionServer)))).toEqual([]);
  });

  test('that wants a token', { timeout: FIVE_MINUTES }, async () => {
    const { found, verdict } = await trial(PROTECTED_CORRECTLY, true);
    expect([found, verdict]).toEqual([false, 'pass']);
  });

  test('that has everything: the demo', { timeout: FIVE_MINUTES }, async () => {
    expect(await findings(pipeTarget('demo', mutatedPipe({}, createDemoServer)))).toEqual([]);
  });
});
