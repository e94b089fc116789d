/**
 * Installs what a package-lock.json names, unless that very lock is installed already.
 * On its own: `node scripts/install.mjs [directory]`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isMain, root, run } from './run.mjs';
import { hashFiles, readStamp, writeStamp } from './stamp.mjs';

/**
 * @param {string} [directory]
 * @returns {Promise<import('./run.mjs').Outcome>}
 */
export async function install(directory = root) {
  const tooOld = oldNode();
  if (tooOld) return { ok: false, output: tooOld };

  const lock = join(directory, 'package-lock.json');
  const modules = join(directory, 'node_modules');
  const stamp = join(modules, '.plumb-install');
  if (readStamp(stamp) === hashFiles([lock])) return { ok: true, output: '', note: 'up to date' };

  // Over an existing tree `npm install` adds what is missing; `npm ci` would remove the rest first,
  // under the feet of whatever runs from it.
  const verb = process.env.CI === 'true' || !existsSync(modules) ? 'ci' : 'install';
  const result = await npm([verb, '--include=dev', '--no-audit', '--no-fund'], directory);
  if (result.ok) writeStamp(stamp, hashFiles([lock]));
  return result;
}

/**
 * @param {string[]} args
 * @param {string} cwd
 */
export function npm(args, cwd) {
  const script = process.env.npm_execpath;
  if (script && basename(script) === 'npm-cli.js') return run(process.execPath, [script, ...args], { cwd });
  // On Windows npm is a .cmd file, which only a shell can start.
  return run('npm', args, { cwd, shell: process.platform === 'win32' });
}

/** What to tell a user whose Node is below package.json's `engines`. */
function oldNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [major = 0, minor = 0] = engines.node.match(/\d+/g).map(Number);
  const [ourMajor = 0, ourMinor = 0] = process.versions.node.split('.').map(Number);
  const enough = ourMajor > major || (ourMajor === major && ourMinor >= minor);
  return enough ? undefined : `Plumb needs Node ${engines.node}; this is ${process.version}.\n`;
}

if (isMain(import.meta)) {
  const result = await install(resolve(process.argv[2] ?? root));
  process.stdout.write(result.output);
  process.exitCode = result.ok ? 0 : 1;
}
