/**
 * The journeys: Plumb as its users get it, with servers and clients of others.
 * The package is packed and installed in an empty folder outside the repository, the servers come from npm.
 * On its own: `node scripts/journeys.mjs [vitest options]`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { install, npm } from './install.mjs';
import { cache, endWithParent, isMain, root, runTool } from './run.mjs';
import { outcomeOf } from './vitest-report.mjs';

/** @typedef {import('./run.mjs').Outcome} Outcome */

const directory = join(root, 'test', 'journeys');

/** The servers from npm that journeys use. */
export function installServers() {
  return install(join(directory, 'servers'));
}

/** Pages of the documentation are followed on Node 22 and 24 too. */
export function installOtherNodes() {
  return install(join(root, 'runtimes'));
}

/**
 * @param {string[]} [options] of vitest
 * @param {boolean} [live]
 * @returns {Promise<Outcome>}
 */
export async function checkJourneys(options = [], live = false) {
  for (const part of [installServers, installOtherNodes]) {
    const outcome = await part();
    if (!outcome.ok) return outcome;
  }
  const folder = mkdtempSync(join(tmpdir(), 'plumb-installed-'));
  try {
    const installed = await installPacked(folder);
    return installed.ok ? await runJourneys(folder, options, live) : installed;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * What a user does: an empty folder, and `npm install`. zod is there because the README uses it.
 *
 * @param {string} folder
 */
export async function installPacked(folder) {
  const packed = await npm(['pack', '--ignore-scripts', '--pack-destination', folder], root);
  if (!packed.ok) return packed;
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "name": "journey", "private": true, "type": "module" }\n');
  const packages = [`./${tarball}`, `zod@${lockedVersion('zod')}`];
  return npm(['install', '--no-audit', '--no-fund', '--prefer-offline', ...packages], folder);
}

/** @param {string} name */
function lockedVersion(name) {
  return JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8')).version;
}

/**
 * @param {string} folder
 * @param {string[]} options
 * @param {boolean} live
 * @returns {Promise<Outcome>}
 */
async function runJourneys(folder, options, live) {
  const report = join(cache, 'journeys.json');
  rmSync(report, { force: true });
  process.env.PLUMB_INSTALLED = folder;
  const config = join(directory, 'vitest.config.ts');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const result = await runTool('vitest', 'vitest', ['run', '--config', config, ...reporters, ...options], {
    live,
  });
  return outcomeOf(result, report);
}

if (isMain(import.meta)) {
  endWithParent();
  const built = await build();
  const result = built.ok ? await checkJourneys(process.argv.slice(2), true) : built;
  process.stdout.write(built.ok ? '' : built.output);
  process.exitCode = result.ok ? 0 : 1;
}
