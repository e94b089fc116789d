/** `npm run bench`: see `npm run bench -- --help`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { build } from '../scripts/build.mjs';
import { install } from '../scripts/install.mjs';
import { endWithParent, root } from '../scripts/run.mjs';
import { DIST_VARIABLE } from './contenders/plumb/dist.mjs';
import { describeMachine } from './machine.mjs';
import { measureSuite } from './measure.mjs';
import { HELP, parseOptions } from './options.mjs';
import { PROFILE_VARIABLE, stopAll } from './processes.mjs';
import { caseTables, toText, verdictTable } from './report/tables.mjs';
import { judge } from './results.mjs';

/** @typedef {import('./measure.mjs').Failure} Failure */

const RESULTS = join(root, 'bench', 'results');

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

/** @param {import('./options.mjs').Options} options */
async function bench({ suites, contenders, settings }) {
  const isWanted = (/** @type {string} */ id) => contenders?.includes(id) ?? true;
  const started = performance.now();
  const tell = (/** @type {string} */ line) => process.stderr.write(`${line}\n`);
  /** @type {import('./results.mjs').Measured} */
  const measured = {};
  /** @type {Failure[]} */
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
    suite.cases(settings).flatMap((one) => judge(measured, suite.id, one)),
  );
  const seconds = Math.round((performance.now() - started) / 1000);
  return { settings, seconds, machine: describeMachine(), measured, verdicts, failures };
}

async function main() {
  const options = parseOptions(process.argv.slice(2));
  if (options.help) {
    console.log(HELP);
    return 0;
  }
  if (options.dist !== undefined) process.env[DIST_VARIABLE] = resolve(options.dist);
  if (options.profile !== undefined) process.env[PROFILE_VARIABLE] = resolve(options.profile);
  await prepare(options);
  const results = await bench(options);
  mkdirSync(RESULTS, { recursive: true });
  const file = join(RESULTS, 'partial.json');
  writeFileSync(file, `${JSON.stringify(results, undefined, 2)}\n`);
  console.log(`\n${toText(verdictTable(results.verdicts))}`);
  for (const { suite, case: one, contender, message } of results.failures) {
    console.log(`\n${suite} ${one} ${contender} failed: ${message}`);
  }
  console.log(`\n${results.seconds} s`);
  const missed = results.verdicts.some(({ met }) => !met);
  const failed = results.failures.some(({ contender }) => contender === 'plumb');
  return failed || (missed && !options.settings.quick) ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  const { code, message, stack } = /** @type {Error & { code?: string }} */ (error);
  console.error(code?.startsWith('ERR_PARSE_ARGS') ? message : stack);
  process.exitCode = 2;
}
