/**
 * `npm run conformance`: installs the official suite and builds Plumb where needed, then runs the one against
 * the other. Options are those of conformance/run.mjs.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { install } from './install.mjs';
import { cache, endWithParent, isMain, root, run } from './run.mjs';

const directory = join(root, 'conformance');

/** The quick selection; each line of its table counts as a test. */
export function checkConformance() {
  return check('conformance.json', []);
}

/** The same scenarios for a server behind a chain: it must score like the server itself. */
export function checkChainConformance() {
  return check('conformance-chain.json', ['--server', '--suite', '0.2', '--through', 'http']);
}

/**
 * @param {string} name of the file for the numbers
 * @param {string[]} selection
 * @returns {Promise<import('./run.mjs').Outcome>}
 */
async function check(name, selection) {
  const installed = await install(directory);
  if (!installed.ok) return installed;
  const report = join(cache, name);
  rmSync(report, { force: true });
  const args = [join(directory, 'run.mjs'), '--quick', ...selection, '--report', report];
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
