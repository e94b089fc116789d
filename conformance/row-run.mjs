/** Takes a row of the plan through its scenarios. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { judgeAll, judgeOne } from './judge.mjs';
import { startFixtureServer } from './start-fixture-server.mjs';
import { suiteErrors } from './suite-errors.mjs';

/** @typedef {import('./plan.mjs').Row} Row */
/** @typedef {import('./judge.mjs').Verdict} Verdict */
/** @typedef {import('./suite-errors.mjs').SuiteError} SuiteError */
/** @typedef {<T>(task: () => Promise<T>) => Promise<T>} Pool */

/**
 * @typedef {object} RowResult
 * @property {Row} row
 * @property {Verdict[]} verdicts  one for each scenario; without the errors of the suite
 * @property {SuiteError[]} excused
 */

/**
 * @param {Row} row
 * @param {{ pool: Pool, output: string, together: boolean, singly: boolean, url?: string, through?: string }} options
 *   `together`: all scenarios in one run of the suite; `singly`: a run for each;
 *   `url`: of a server that runs already; `through`: how a chain in front of the server reaches it
 * @returns {Promise<RowResult>}
 */
export async function runRow(row, { pool, output, together, singly, url, through }) {
  /** @type {Promise<import('./start-fixture-server.mjs').FixtureServer> | undefined} */
  let starting;
  const server = async () => {
    if (row.side === 'client') return undefined;
    starting ??=
      url === undefined ? startFixtureServer(row.revisions, through) : Promise.resolve(runningAt(url));
    return starting;
  };
  const directory = () => {
    mkdirSync(output, { recursive: true });
    return mkdtempSync(join(output, `${row.suite.version}-${row.side}-${row.revision}-`));
  };
  const jobs = singly
    ? row.scenarios.map((name) => pool(async () => judgeOne(row, name, (await server())?.url, directory())))
    : [];
  if (together) jobs.push(pool(async () => judgeAll(row, (await server())?.url ?? '', directory())));
  const verdicts = merge((await Promise.all(jobs)).flat());
  const running = await starting;
  running?.stop();
  const problems = running?.problems() ?? '';
  if (problems !== '') {
    verdicts.push({
      scenario: '(demo server)',
      failures: [{ check: 'stderr', message: problems }],
      warnings: [],
    });
  }
  return excuse(row, verdicts);
}

/**
 * @param {string} url
 * @returns {import('./start-fixture-server.mjs').FixtureServer}
 */
function runningAt(url) {
  return { url, problems: () => '', stop: () => undefined };
}

/**
 * @param {Verdict[]} verdicts
 * @returns {Verdict[]} one for each scenario, with the findings of all its runs
 */
function merge(verdicts) {
  /** @type {Map<string, Verdict>} */
  const merged = new Map();
  for (const verdict of verdicts) {
    const known = merged.get(verdict.scenario);
    if (known === undefined) merged.set(verdict.scenario, verdict);
    else {
      known.failures = distinct([...known.failures, ...verdict.failures]);
      known.warnings = distinct([...known.warnings, ...verdict.warnings]);
    }
  }
  return [...merged.values()];
}

/** @param {import('./judge.mjs').Finding[]} findings */
function distinct(findings) {
  return [...new Map(findings.map((found) => [found.check, found])).values()];
}

/**
 * @param {Row} row
 * @param {Verdict[]} verdicts
 * @returns {RowResult}
 */
function excuse(row, verdicts) {
  const errors = suiteErrors.filter(({ suite, side }) => suite === row.suite.version && side === row.side);
  /** @type {Set<SuiteError>} */
  const excused = new Set();
  const rest = verdicts.map((verdict) => ({
    ...verdict,
    failures: verdict.failures.filter(({ check }) => {
      const error = errors.find((known) => known.scenario === verdict.scenario && known.check === check);
      if (error !== undefined) excused.add(error);
      return error === undefined;
    }),
  }));
  return { row, verdicts: rest, excused: [...excused] };
}
