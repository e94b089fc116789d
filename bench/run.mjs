/** `npm run bench`: see `npm run bench -- --help`. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../scripts/build.mjs';
import { install } from '../scripts/install.mjs';
import { endWithParent, root } from '../scripts/run.mjs';
import { DIST_VARIABLE } from './contenders/plumb/dist.mjs';
import { versions } from './contenders/versions.mjs';
import { describeMachine } from './machine.mjs';
import { measureSuite } from './measure.mjs';
import { HELP, parseOptions, UsageError } from './options.mjs';
import { stopAll } from './processes.mjs';
import { PROFILE_VARIABLE } from './profiling.mjs';
import { renderChart } from './report/chart.mjs';
import { chartGroups, renderPage } from './report/page.mjs';
import { describeProfiles } from './report/profile.mjs';
import { caseTables, countVerdicts, toText, verdictTable } from './report/tables.mjs';
import { judge } from './results.mjs';
import { SUITES } from './suites/index.mjs';

/** @typedef {import('./report/page.mjs').Run} Run */

const RESULTS = join(root, 'bench', 'results');
const COMPLETE = join(RESULTS, 'full.json');
const PAGE = join(root, 'docs', 'benchmarks.md');
const CHART = 'benchmarks.svg';

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
  process.on(signal, () => process.exit(128 + constants.signals[signal]));
}
process.on('exit', stopAll);
endWithParent();

/** @param {import('./options.mjs').Options} options */
async function prepare({ contenders, dist }) {
  const peers = contenders?.every((id) => id === 'limit' || id === 'plumb') !== true;
  const steps = [
    () => install(),
    ...(dist === undefined ? [() => build()] : []),
    ...(peers ? [() => install(join(root, 'bench'))] : []),
  ];
  for (const step of steps) {
    const { ok, output } = await step();
    if (!ok) throw new Error(output);
  }
}

/**
 * @param {import('./options.mjs').Options} options
 * @returns {Promise<Run>}
 */
async function bench({ suites, contenders, settings }) {
  const isWanted = (/** @type {string} */ id) => contenders?.includes(id) ?? true;
  const started = performance.now();
  const tell = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  /** @type {import('./results.mjs').Measured} */
  const measured = {};
  /** @type {Run['failures']} */
  const failures = [];
  for (const suite of suites) {
    const one = await measureSuite(suite, settings, isWanted, tell);
    measured[suite.id] = one.measured;
    failures.push(...one.failures);
    for (const table of caseTables(measured, suite, settings, { spread: settings.rounds > 1 })) {
      console.log(`\n${toText(table)}`);
    }
  }
  const verdicts = suites.flatMap((suite) =>
    suite.cases(settings).flatMap((one) => judge(measured, suite.id, one, isWanted)),
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  const date = new Date().toISOString();
  return {
    date,
    commit: commit(),
    settings,
    seconds,
    machine: describeMachine(),
    versions: versions(),
    measured,
    verdicts,
    failures,
  };
}

function commit() {
  const { stdout, status } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : 'unknown';
}

/** @param {Run} run */
function writePage(run) {
  const notes = readFileSync(new URL('./report/notes.md', import.meta.url), 'utf8');
  writeFileSync(join(root, 'docs', CHART), renderChart(chartGroups(run, SUITES)));
  writeFileSync(PAGE, renderPage(run, SUITES, { chart: CHART, notes }));
  console.log(`\nWrote ${PAGE}`);
}

/**
 * @param {import('./options.mjs').Options} options
 * @param {Run} run
 */
function keep({ isComplete }, run) {
  mkdirSync(RESULTS, { recursive: true });
  const file = isComplete ? COMPLETE : join(RESULTS, 'partial.json');
  writeFileSync(file, `${JSON.stringify(run, undefined, 2)}\n`);
  console.log(`\nWrote ${file}`);
  if (isComplete) writePage(run);
}

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  if (options.render) {
    if (!existsSync(COMPLETE)) throw new UsageError('There is no complete run yet: npm run bench');
    writePage(JSON.parse(readFileSync(COMPLETE, 'utf8')));
    return 0;
  }
  if (options.dist !== undefined) process.env[DIST_VARIABLE] = resolve(options.dist);
  if (options.profile !== undefined) process.env[PROFILE_VARIABLE] = resolve(options.profile);
  await prepare(options);
  const run = await bench(options);
  if (run.verdicts.length > 0) console.log(`\n${toText(verdictTable(run.verdicts))}`);
  for (const { suite, case: one, contender, message } of run.failures) {
    console.log(`\n${suite} ${one} ${contender} failed: ${message}`);
  }
  if (options.profile !== undefined) console.log(`\n${describeProfiles(options.profile)}`);
  keep(options, run);
  const missed = run.verdicts.filter(({ met, limit }) => !met && limit === undefined).length;
  console.log(`\n${countVerdicts(run.verdicts)}, ${run.seconds} s`);
  const failed = run.failures.some(({ contender }) => contender.startsWith('plumb'));
  return failed || (missed > 0 && !options.settings.quick) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof UsageError ? error.message : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
