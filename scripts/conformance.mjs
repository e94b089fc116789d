/**
 * `npm run conformance`: installs the official suite and builds Plumb where needed, then runs the one against
 * the other. Options are those of conformance/run.mjs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { cache, endWithParent, isMain, root, run } from './run.mjs';

const directory = join(root, 'conformance');

export function installSuite() {
  return install(directory);
}

/** The quick selection; each line of its table counts as a test. */
export function checkConformance() {
  return check('conformance.json', []);
}

/** The same scenarios for a server behind a chain: it must score like the server itself. */
export function checkChainConformance() {
  return check('conformance-chain.json', ['--server', '--suite', '0.2', '--through', 'http']);
}

/** What has sessions, on three nodes that share a Redis: it must score like one node. */
export function checkClusterConformance() {
  const isThere = spawnSync('redis-server', ['--version'], { stdio: 'ignore' }).status === 0;
  // Whether that is a failure is for the step that looks for such programs to say.
  if (!isThere)
    return { ok: true, output: '', note: 'not run: Redis is missing', counts: { passed: 0, failed: 0 } };
  const selection = ['--server', '--suite', '0.2', '--revision', '2025-11-25'];
  return check('conformance-cluster.json', selection, join(root, 'scripts', 'cluster-conformance.mjs'));
}

/**
 * @param {string} name of the file for the numbers
 * @param {string[]} selection
 * @param {string} [script] that runs the suite
 * @returns {Promise<import('./run.mjs').Outcome>}
 */
async function check(name, selection, script = join(directory, 'run.mjs')) {
  const installed = await installSuite();
  if (!installed.ok) return installed;
  const report = join(cache, name);
  rmSync(report, { force: true });
  const args = [script, '--quick', ...selection, '--report', report];
  const result = await run(process.execPath, args);
  if (!existsSync(report)) return { ...result, ok: false };
  const { rows, failing, scenarios } = JSON.parse(readFileSync(report, 'utf8'));
  return { ...result, note: `${scenarios} scenarios`, counts: { passed: rows - failing, failed: failing } };
}

async function main() {
  endWithParent();
  for (const prepare of [install, build, () => install(directory)]) {
    const result = await prepare();
    if (result.ok) continue;
    process.stderr.write(result.output);
    process.exit(1);
  }
  const { ok } = await run(process.execPath, [join(directory, 'run.mjs'), ...process.argv.slice(2)], {
    live: true,
  });
  process.exitCode = ok ? 0 : 1;
}

if (isMain(import.meta)) await main();
