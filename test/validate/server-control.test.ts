import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createDemoServer } from '../../src/cli/demo/server.js';
import {
  allFindings,
  commandTarget,
  pipeTarget,
  reportOf,
  type Target,
  urlTarget,
  validateServer,
} from '../../src/validate/index.js';
import { mutatedPipe } from './mutations/harness.js';
import { createReferenceServer } from './reference-server.js';

const FIVE_MINUTES = 300_000;
const root = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const official = (name: string, ...args: readonly string[]): Target =>
  commandTarget({
    command: process.execPath,
    args: [root(`node_modules/@modelcontextprotocol/${name}/dist/index.js`), ...args],
  });

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

/** Real faults in servers of others, each looked at by hand: what the validator may report and nothing beyond. */
const KNOWN: Readonly<Record<string, readonly RegExp[]>> = {
  // The SDK v1 agrees on 2025-03-26 and drops the batches that this revision obliges it to accept.
  // It also refuses calls with a `task` field, which a server without tasks has to ignore.
  'server-memory': [/^014 2025-03-26 /, /^309 2025-11-25 /],
  'server-filesystem': [/^014 2025-03-26 /, /^309 2025-11-25 /],
  // Resource links, unknown before 2025-06-18, are sent to clients of every revision.
  'server-everything': [/^014 2025-03-26 /, /^106 (2024-11-05|2025-03-26) .*(resource_link|does not know)/],
};

describe('only real faults are found in official servers', () => {
  test.each([
    ['server-memory', official('server-memory')],
    ['server-filesystem', official('server-filesystem', root('test/fixtures'))],
    ['server-everything', official('server-everything', 'stdio')],
  ])('%s', { timeout: FIVE_MINUTES }, async (name, target) => {
    const must = await findings(target, 'must');
    expect(must.filter((finding) => !KNOWN[name]?.some((known) => known.test(finding)))).toEqual([]);
  });
});
