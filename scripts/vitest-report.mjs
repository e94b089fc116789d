/** What a run of vitest means in the log of `npm test`: how many tests, and which failed. */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { root } from './run.mjs';

/** @typedef {import('./run.mjs').Outcome} Outcome */

/**
 * @typedef {object} TestFile
 * @property {string} name
 * @property {string} status
 * @property {string} [message]
 * @property {{ status: string, fullName: string, failureMessages?: string[] }[]} assertionResults
 */

/** A log may be cut after its first part, so a message is not shown whole. */
const MAX_MESSAGE = 1_500;

/**
 * @param {{ ok: boolean, output: string }} result of the process
 * @param {string} report  the file that `--reporter=json` wrote
 * @returns {Outcome}
 */
export function outcomeOf(result, report) {
  if (!existsSync(report)) return { ...result, ok: false };
  const { numPassedTests: passed, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  /** @type {TestFile[]} */
  const files = testResults;
  const unloaded = files.filter(isUnloaded);
  // An error outside every test fails the run and nothing else.
  const failed = Math.max(numFailedTests + unloaded.length, result.ok ? 0 : 1);
  const output = failed === 0 ? '' : `${failuresOf(files).join('\n')}\n${summaryOf(result.output)}`;
  return { ok: failed === 0, output, note: `${passed + failed} tests`, counts: { passed, failed } };
}

/**
 * A file that failed as a whole, before its tests could.
 *
 * @param {TestFile} file
 */
function isUnloaded({ status, assertionResults }) {
  return status === 'failed' && !assertionResults.some((test) => test.status === 'failed');
}

/** @param {readonly TestFile[]} files */
function failuresOf(files) {
  return files.flatMap((file) => {
    const path = relative(root, file.name);
    const tests = file.assertionResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages = [] }) => `${fullName}\n${short(failureMessages.join('\n'))}`);
    const whole = isUnloaded(file) ? [short(file.message ?? 'could not be loaded')] : [];
    return [...whole, ...tests].map((text) => `FAILED ${path}: ${text}\n`);
  });
}

/** @param {string} text */
function short(text) {
  return text.length > MAX_MESSAGE ? `${text.slice(0, MAX_MESSAGE)} ...` : text;
}

/**
 * The end of what vitest printed, from its summary on: that has the errors which belong to no test.
 *
 * @param {string} output
 */
function summaryOf(output) {
  const start = output.search(/^⎯+ (Unhandled Errors|Failed (Tests|Suites) \d+) ⎯+$/m);
  return start === -1 ? output.slice(-20_000) : output.slice(start);
}
