/**
 * `npm test`: everything that has to hold, one line for each step, then `N passed, N failed`.
 *
 *   npm test                       all steps
 *   npm test -- --only lint,rooms  these steps, and install and build where they need them
 *   npm test -- test/unit/jsonrpc  the tests whose path matches, shown as they run; also vitest options
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { checkInstalled } from './check-installed.mjs';
import { checkLock } from './check-lock.mjs';
import { checkRevisionDates } from './check-revision-dates.mjs';
import { checkSleeps } from './check-sleeps.mjs';
import { checkWords } from './check-words.mjs';
import {
  checkChainConformance,
  checkClusterConformance,
  checkConformance,
  installSuite,
} from './conformance.mjs';
import { install } from './install.mjs';
import { checkJourneys, installOtherNodes, installServers } from './journeys.mjs';
import { prepareRealParts } from './real-parts.mjs';
import { cache, endWithParent, runTool } from './run.mjs';
import { checkRuntimes } from './runtimes.mjs';
import { runSteps } from './schedule.mjs';
import { outcomeOf } from './vitest-report.mjs';

/** @typedef {import('./run.mjs').Outcome} Outcome */

/** @typedef {import('./schedule.mjs').Step} Step */

endWithParent();
const args = process.argv.slice(2);
const only = args[0] === '--only' ? (args[1] ?? '').split(',') : undefined;
const filters = only ? [] : args;

/** @type {Step[]} */
const steps = [
  { name: 'install', needs: [], run: () => install() },
  { name: 'parts', takes: 'half', needs: [], run: realParts },
  { name: 'servers', takes: 'half', needs: [], run: installServers },
  { name: 'suite', takes: 'half', needs: [], run: installSuite },
  { name: 'other-nodes', takes: 'half', needs: [], run: installOtherNodes },
  { name: 'build', needs: ['install'], run: build },
  {
    name: 'lint',
    needs: ['install'],
    run: () => runTool('@biomejs/biome', 'biome', ['check', '--error-on-warnings']),
  },
  { name: 'rooms', needs: ['install'], run: rooms },
  { name: 'revision-dates', needs: [], run: checkRevisionDates },
  { name: 'names', needs: ['install'], run: uniqueNames },
  { name: 'sleeps', needs: [], run: checkSleeps },
  { name: 'words', needs: [], run: checkWords },
  { name: 'lock', needs: [], run: checkLock },
  { name: 'types', needs: ['install', 'build'], despite: true, run: types },
  { name: 'unused', needs: ['install', 'build'], despite: true, run: () => runTool('knip', 'knip', []) },
  { name: 'installed', needs: ['install', 'build'], run: checkInstalled },
  { name: 'package', needs: ['install', 'build'], run: () => runTool('publint', 'publint', ['--strict']) },
  {
    name: 'exports',
    needs: ['install', 'build'],
    run: () => runTool('@arethetypeswrong/cli', 'attw', ['--pack', '.', '--profile', 'esm-only']),
  },
  { name: 'api', needs: ['install', 'build'], run: api },
  { name: 'site', needs: ['install', 'build', 'parts'], run: site },
  { name: 'comments', needs: ['install', 'build'], run: comments },
  // The tests import the sources, so a failed build takes only those with it that start the command.
  { name: 'unit', takes: 'most', needs: ['install', 'build', 'parts'], despite: true, run: unit },
  {
    name: 'journeys',
    takes: 'half',
    needs: ['install', 'build', 'parts', 'servers', 'other-nodes'],
    run: () => checkJourneys(),
  },
  { name: 'runtimes', takes: 'half', needs: ['install', 'build', 'other-nodes'], run: () => checkRuntimes() },
  { name: 'conformance', takes: 'half', needs: ['install', 'build', 'suite'], run: checkConformance },
  { name: 'through-chain', takes: 'half', needs: ['install', 'build', 'suite'], run: checkChainConformance },
  {
    name: 'on-three-nodes',
    takes: 'half',
    needs: ['install', 'build', 'parts', 'suite'],
    run: checkClusterConformance,
  },
];

// These three need TypeScript, which is there only after the install.

/** @returns {Promise<Outcome>} */
async function site() {
  const { buildSite } = await import('./site/build.mjs');
  return buildSite({ look: true });
}

/** @returns {Promise<Outcome>} */
async function api() {
  const { checkApi } = await import('./api-report.mjs');
  return checkApi();
}

/** @returns {Promise<Outcome>} */
async function comments() {
  const { checkComments } = await import('./check-comments.mjs');
  return checkComments();
}

/** @returns {Promise<Outcome>} */
async function uniqueNames() {
  const { checkNames } = await import('./check-names.mjs');
  return checkNames();
}

/** @returns {Promise<Outcome>} */
async function types() {
  const check = (/** @type {string} */ config) => runTool('@typescript/native', 'tsc', ['-p', config]);
  const result = await check('tsconfig.check.json');
  return result.ok ? check('src/inspector/web/tsconfig.json') : result;
}

/** @returns {Promise<Outcome>} */
async function rooms() {
  const args = ['src', '--config', '.dependency-cruiser.cjs'];
  const result = await runTool('dependency-cruiser', 'depcruise', args);
  // With a TypeScript it does not know, the tool sees no files and so nothing wrong.
  return { ...result, ok: result.ok && !result.output.includes('(0 modules') };
}

/** @returns {Promise<Outcome>} */
async function realParts() {
  const { outcome, leftOut } = await prepareRealParts();
  // The configurations of vitest read it.
  process.env.PLUMB_TESTS_LEFT_OUT = JSON.stringify(leftOut);
  return outcome;
}

/** @returns {Promise<Outcome>} */
async function unit() {
  const report = join(cache, 'vitest.json');
  rmSync(report, { force: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const result = await runTool('vitest', 'vitest', ['run', ...reporters, ...filters], {
    live: filters.length > 0,
  });
  return outcomeOf(result, report);
}

/** @param {string[]} names */
function selected(names) {
  const unknown = names.filter((name) => !steps.some((step) => step.name === name));
  if (unknown.length > 0) {
    console.error(`No step ${unknown.join(', ')}. Steps: ${steps.map((step) => step.name).join(', ')}`);
    process.exit(2);
  }
  const wanted = steps.filter((step) => names.includes(step.name));
  return steps.filter(
    (step) => wanted.includes(step) || wanted.some(({ needs }) => needs.includes(step.name)),
  );
}

const total = { passed: 0, failed: 0 };
const names = only ?? (filters.length > 0 ? ['unit'] : steps.map((step) => step.name));

await runSteps(selected(names), (step, outcome, milliseconds) => {
  if ('blockedBy' in outcome) {
    console.log(`-    ${step.name.padEnd(15)} not run: ${outcome.blockedBy} failed`);
    return;
  }
  const { passed, failed } = outcome.counts ?? { passed: outcome.ok ? 1 : 0, failed: outcome.ok ? 0 : 1 };
  total.passed += passed;
  total.failed += failed;
  const mark = outcome.ok ? 'ok  ' : 'FAIL';
  const seconds = `${(milliseconds / 1000).toFixed(1)} s`;
  console.log(`${mark} ${step.name.padEnd(15)} ${seconds.padStart(7)}  ${outcome.note ?? ''}`.trimEnd());
  if (!outcome.ok) console.log(outcome.output);
});

console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
