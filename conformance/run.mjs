/**
 * Runs the official conformance suite against Plumb's demo server and client:
 *
 *   node conformance/run.mjs [--quick] [--server | --client] [--revision DATE] [--suite VERSION]
 *                            [--scenario NAME] [--output DIRECTORY] [--report FILE]
 *                            [--url URL | --through stdio|http]
 *
 * With `--url`, against a server with the demo's fixtures that runs there already and speaks every revision. With
 * `--through`, against the demo server behind a chain that reaches it over this transport.
 * Needs dist/ and the installed suite; `npm run conformance` sees to both. Ends with 1 if any scenario fails
 * that is not in suite-errors.mjs.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { endWithParent } from '../scripts/run.mjs';
import { EXTENSION, planRows } from './plan.mjs';
import { createPool } from './pool.mjs';
import { details, nameOf, tableHead, tableRow } from './report.mjs';
import { runRow } from './row-run.mjs';
import { suiteErrors } from './suite-errors.mjs';
import { listScenarios, suites } from './suites.mjs';

/** @typedef {import('./plan.mjs').Row} Row */
/** @typedef {import('./row-run.mjs').RowResult} RowResult */

/** In the quick selection, for rows that the suite cannot run in one go. */
const QUICK_SINGLES = new Set([
  'server-initialize',
  'server-session-lifecycle',
  'tools-list',
  'tools-call-mixed-content',
  'tools-call-sampling',
  'tools-call-with-progress',
  'resources-templates-read',
  'prompts-get-embedded-resource',
]);

/** Of the many ways to authorize, the most different ones. */
const QUICK_AUTH = new Set([
  'auth/2025-03-26-oauth-endpoint-fallback',
  'auth/metadata-var2',
  'auth/pre-registration',
  'auth/scope-step-up',
  'auth/iss-wrong-issuer',
  'auth/client-credentials-jwt',
]);

endWithParent();
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    server: { type: 'boolean', default: false },
    client: { type: 'boolean', default: false },
    revision: { type: 'string' },
    suite: { type: 'string' },
    scenario: { type: 'string' },
    url: { type: 'string' },
    through: { type: 'string' },
    output: { type: 'string' },
    report: { type: 'string' },
  },
});
if (options.through !== undefined && !['stdio', 'http'].includes(options.through)) {
  console.error('A chain is reached over stdio or http: --through stdio, --through http.');
  process.exit(2);
}

/** @param {Row} row */
function isWanted({ suite, side, revision, revisions, quick }) {
  const { server, client } = options;
  if (options.url !== undefined && (side === 'client' || revisions !== undefined)) return false;
  if (options.through !== undefined && side === 'client') return false;
  if (options.quick && !quick) return false;
  if (server !== client && side !== (server ? 'server' : 'client')) return false;
  if (options.revision !== undefined && revision !== options.revision) return false;
  return options.suite === undefined || suite.version.startsWith(options.suite);
}

/**
 * @param {Row} row
 * @returns {Row}
 */
function narrowed(row) {
  const { scenario, quick } = options;
  if (scenario !== undefined) {
    const named = row.scenarios.filter((name) => name === scenario);
    return { ...row, scenarios: named, leftOut: row.leftOut.filter((left) => left.scenario === scenario) };
  }
  if (!quick) return row;
  const scenarios = row.scenarios.filter((name) =>
    row.side === 'server' ? !row.forced || QUICK_SINGLES.has(name) : !isAuth(name) || QUICK_AUTH.has(name),
  );
  return { ...row, scenarios, leftOut: [] };
}

/** @param {string} scenario */
function isAuth(scenario) {
  return scenario.startsWith('auth/');
}

/** @param {Row} row */
function isEmpty({ scenarios, leftOut }) {
  return scenarios.length === 0 && leftOut.length === 0;
}

const planned = await Promise.all(suites.map(async (suite) => planRows(suite, await listScenarios(suite))));
const rows = planned
  .flat()
  .filter(isWanted)
  .map(narrowed)
  .filter((row) => !isEmpty(row));
if (rows.length === 0) {
  console.error('Nothing to run: no suite, revision or scenario of that name.');
  process.exit(2);
}

const output = options.output ? resolve(options.output) : mkdtempSync(join(tmpdir(), 'plumb-conformance-'));
const pool = createPool(Math.max(2, Math.min(4, availableParallelism())));
const running = rows.map((row) => {
  // The suite has no run for all scenarios of extensions.
  const isSingle = row.forced || row.revision === EXTENSION || options.scenario !== undefined;
  const whole = row.side === 'server' && !isSingle && row.scenarios.length > 0;
  const { url, through } = options;
  const server = { ...(url === undefined ? {} : { url }), ...(through === undefined ? {} : { through }) };
  return runRow(row, { pool, output, together: whole, singly: !(options.quick && whole), ...server });
});

/** @type {RowResult[]} */
const results = [];
console.log(tableHead());
for (const pending of running) {
  const result = await pending;
  results.push(result);
  console.log(tableRow(result));
}
console.log(details(results));

const failing = results.filter(({ verdicts }) => verdicts.some(({ failures }) => failures.length > 0));
const seen = new Set(results.flatMap(({ excused }) => excused));
const everythingRan =
  !options.quick && rows.length === planned.flat().length && options.scenario === undefined;
const stale = everythingRan ? suiteErrors.filter((error) => !seen.has(error)) : [];
for (const { suite, scenario, check } of stale) {
  console.log(`suite-errors.mjs: ${suite} ${scenario} [${check}] does not happen any more; take it out`);
}

const ran = results.flatMap(({ verdicts }) => verdicts);
const failed = ran.filter(({ failures }) => failures.length > 0).length;
console.log(`${ran.length - failed} scenarios passed, ${failed} failed`);

if (options.report !== undefined) {
  const names = results.filter(({ row }) => row.scenarios.length > 0).map(({ row }) => nameOf(row));
  mkdirSync(join(options.report, '..'), { recursive: true });
  writeFileSync(
    options.report,
    JSON.stringify({ rows: names.length, failing: failing.length, scenarios: ran.length }),
  );
}
if (options.output === undefined) rmSync(output, { recursive: true, force: true });
process.exitCode = failed > 0 || stale.length > 0 ? 1 : 0;
