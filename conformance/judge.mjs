/** Runs scenarios and reads the suite's verdicts. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { EXTENSION, mustNotSkip } from './plan.mjs';
import { HANDSHAKE } from './revisions.mjs';
import { runSuite } from './suites.mjs';

/** @typedef {import('./plan.mjs').Row} Row */
/** @typedef {{ check: string, message: string }} Finding */
/** @typedef {{ scenario: string, failures: Finding[], warnings: Finding[] }} Verdict */
/** @typedef {{ id: string, status: string, description: string, errorMessage?: string, details?: unknown }} Check */

const SINGLE_TIMEOUT_MS = 60_000;
const WHOLE_TIMEOUT_MS = 300_000;

/** What the suite says of a client that failed beside its checks. Warnings alone change its exit code too. */
const CLIENT_PROBLEM = /CLIENT (?:TIMED OUT|EXITED WITH ERROR[^-\n]*)/;

/** Split on spaces by the suite, joined again and given to a shell: quotes arrive where they should. */
const CLIENT_COMMAND = `"${process.execPath}" client.mjs`;

/**
 * One scenario in a run of its own, where a crash cannot hide.
 *
 * @param {Row} row
 * @param {string} scenario
 * @param {string | undefined} url of the server under test
 * @param {string} directory an empty one
 * @returns {Promise<Verdict[]>}
 */
export async function judgeOne(row, scenario, url, directory) {
  const { suite, side, specVersion, forced } = row;
  const target = side === 'server' ? ['--url', url ?? ''] : ['--command', CLIENT_COMMAND];
  // Extensions belong to no revision; the suite then chooses one.
  const chosen = suite.choosesWire && specVersion !== EXTENSION;
  const wire = chosen ? ['--spec-version', specVersion, ...(forced ? ['--force'] : [])] : [];
  const args = [side, ...target, '--scenario', scenario, ...wire, '--output-dir', directory];
  const { code, output } = await runSuite(suite, args, SINGLE_TIMEOUT_MS, environment(row));
  const checks = readChecks(directory, side).get(scenario);
  if (checks === undefined) return [broken(scenario, 'no-result', output)];
  const verdict = judge(scenario, checks);
  const problem = side === 'client' ? CLIENT_PROBLEM.exec(output)?.[0] : undefined;
  const silent =
    code !== 0 && verdict.failures.length === 0 && (side === 'server' || verdict.warnings.length === 0);
  if (problem !== undefined || silent) {
    verdict.failures.push(finding('exit', `${problem ?? 'The suite failed'}\n${said(directory) ?? output}`));
  }
  return [verdict];
}

/**
 * All scenarios of a row in one run, the way the suite is meant to be used.
 *
 * @param {Row} row
 * @param {string} url
 * @param {string} directory an empty one
 * @returns {Promise<Verdict[]>}
 */
export async function judgeAll(row, url, directory) {
  const { suite, specVersion, scenarios } = row;
  const args = ['server', '--url', url, '--suite', 'all', '--spec-version', specVersion];
  const { code, output } = await runSuite(suite, [...args, '--output-dir', directory], WHOLE_TIMEOUT_MS);
  const results = readChecks(directory, 'server');
  const verdicts = scenarios.map((scenario) => {
    const checks = results.get(scenario);
    return checks === undefined ? broken(scenario, 'no-result', output) : judge(scenario, checks);
  });
  const failed = verdicts.some(({ failures }) => failures.length > 0);
  return code === 0 || failed ? verdicts : [...verdicts, broken('(all together)', 'exit', output)];
}

/**
 * For client.mjs. The older suite does not tell it which revision is meant.
 *
 * @param {Row} row
 * @returns {Record<string, string>}
 */
function environment({ suite, revision, speaks }) {
  return {
    PLUMB_CONFORMANCE_SPEAKS: speaks,
    ...(suite.choosesWire ? {} : { MCP_CONFORMANCE_PROTOCOL_VERSION: wireOf(revision) }),
  };
}

/** Drafts and extensions are tried on the newest wire that the older suite knows. @param {string} revision */
function wireOf(revision) {
  return HANDSHAKE.includes(revision) ? revision : (HANDSHAKE.at(-1) ?? revision);
}

/**
 * A check that was skipped fails where both sides have what it is about: nothing would be tested any more, and pass.
 *
 * @param {string} scenario
 * @param {Check[]} checks
 * @returns {Verdict}
 */
export function judge(scenario, checks) {
  const findings = (/** @type {string} */ status) =>
    checks
      .filter((check) => check.status === status)
      .map(({ id, description, errorMessage, details }) =>
        finding(id, errorMessage ?? `${description} ${JSON.stringify(details) ?? ''}`),
      );
  const skipped = mustNotSkip(scenario) ? findings('SKIPPED') : [];
  return { scenario, failures: [...findings('FAILURE'), ...skipped], warnings: findings('WARNING') };
}

/**
 * @param {string} scenario
 * @param {string} check
 * @param {string} output
 * @returns {Verdict}
 */
function broken(scenario, check, output) {
  return { scenario, failures: [finding(check, output.trim().slice(-2_000))], warnings: [] };
}

/**
 * @param {string} check
 * @param {string} message
 * @returns {Finding}
 */
function finding(check, message) {
  return { check, message: message.trim() };
}

/**
 * @param {string} directory
 * @returns {string | undefined} what a client wrote to stderr
 */
function said(directory) {
  return filesNamed('stderr.txt', directory)
    .map((file) => readFileSync(file, 'utf8'))
    .find((text) => text !== '');
}

/**
 * @param {string} directory
 * @param {import('./suites.mjs').Side} side
 * @returns {Map<string, Check[]>} by scenario
 */
function readChecks(directory, side) {
  return new Map(
    filesNamed('checks.json', directory).map((file) => {
      const folder = relative(directory, dirname(file)).split(sep).join('/');
      const stamped = side === 'server' ? folder.replace(/^server-/, '') : folder;
      return [stamped.replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, ''), JSON.parse(readFileSync(file, 'utf8'))];
    }),
  );
}

/**
 * @param {string} name
 * @param {string} directory
 */
function filesNamed(name, directory) {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.name === name)
    .map((entry) => join(entry.parentPath, entry.name));
}
