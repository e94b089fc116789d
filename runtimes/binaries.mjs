/** Where the runtimes are that package.json of this folder installs, and how each of them is started. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, 'node_modules');
const { platform, arch } = process;
const windows = platform === 'win32';

/**
 * @typedef {object} Runtime
 * @property {string} name
 * @property {string} version
 * @property {string} command
 * @property {readonly string[]} args  before a script
 * @property {boolean} isNode
 */

/**
 * @param {number} major
 * @returns {string}
 */
function node(major) {
  const system = windows ? 'win' : platform;
  return join(modules, `node-${major}-${system}-${arch}`, 'bin', windows ? 'node.exe' : 'node');
}

function bun() {
  const system = windows ? 'windows' : platform;
  const cpu = arch === 'arm64' ? 'aarch64' : arch;
  return join(modules, '@oven', `bun-${system}-${cpu}`, 'bin', windows ? 'bun.exe' : 'bun');
}

function deno() {
  const name = platform === 'linux' ? `linux-${arch}-glibc` : `${platform}-${arch}`;
  return join(modules, '@deno', name, windows ? 'deno.exe' : 'deno');
}

function workerd() {
  const system = windows ? 'windows' : platform;
  const cpu = arch === 'x64' ? '64' : arch;
  return join(modules, '@cloudflare', `workerd-${system}-${cpu}`, 'bin', windows ? 'workerd.exe' : 'workerd');
}

/** @returns {Runtime[]} those that have processes; the first one is ours */
export function runtimes() {
  return [
    { name: 'Node 20', command: process.execPath, args: [], isNode: true },
    { name: 'Node 22', command: node(22), args: [], isNode: true },
    { name: 'Node 24', command: node(24), args: [], isNode: true },
    { name: 'Bun', command: bun(), args: ['run'], isNode: false },
    { name: 'Deno', command: deno(), args: ['run', '--quiet', '--allow-all', '--no-prompt'], isNode: false },
  ].map((runtime) => ({ ...runtime, version: versionOf(runtime.command) }));
}

/** @returns {Runtime} */
export function workerRuntime() {
  return {
    name: 'workerd',
    command: workerd(),
    args: ['serve'],
    isNode: false,
    version: versionOf(workerd()),
  };
}

/** @param {string} command */
function versionOf(command) {
  if (!existsSync(command))
    throw new Error(
      `${command} is missing; run "node scripts/install.mjs runtimes" on a platform that has it.`,
    );
  const output = execFileSync(command, ['--version'], { encoding: 'utf8' });
  return /\d+[.-]\d+[.-]\d+/.exec(output)?.[0] ?? output.trim();
}
