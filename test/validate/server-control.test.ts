import { describe, expect, test } from 'vitest';
import { createDemoServer } from '../../src/cli/demo/server.js';
import {
  allFindings,
  pipeTarget,
  reportOf,
  type Target,
  urlTarget,
  validateServer,
} from '../../src/validate/index.js';
import { mutatedPipe } from './mutations/harness.js';
import { createReferenceServer } from './reference-server.js';

const FIVE_MINUTES = 300_000;

async function findings(target: Target, level: 'must' | 'any' = 'any', callTools = false): Promise<string[]> {
  const report = reportOf(await validateServer(target, { callTools, quietMs: 150 }));
  expect(report.revisions.length).toBeGreaterThan(0);
  const found = allFindings(report).filter((finding) => level === 'any' || finding.level === 'must');
  return [...new Set(found.map(({ id, revision, message }) => `${id} ${revision} ${message}`))];
}

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
      await server.close(0);
    }
  });

  test('over the old transport', { timeout: FIVE_MINUTES }, async () => {
    const server = createReferenceServer();
    const { origin } = await server.http({ port: 0, legacySse: true });
    try {
      expect(await findings(urlTarget(`${origin}/sse`, { transport: 'sse' }), 'any', true)).toEqual([]);
    } finally {
      await server.close(0);
    }
  });

  test('that has everything: the demo', { timeout: FIVE_MINUTES }, async () => {
    expect(await findings(pipeTarget('demo', mutatedPipe({}, createDemoServer)))).toEqual([]);
  });
});
