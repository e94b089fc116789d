import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir, constants as os, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, wherever it was unpacked. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** Stamps, compiler state and reports; a clean install clears it together with the tools that wrote it. */
export const cache = join(root, 'node_modules', '.cache', 'plumb');

/**
 * How a step ended; `counts` where it ran several tests rather than being one.
 *
 * @typedef {{ ok: boolean, output: string, note?: string, counts?: { passed: number, failed: number } }} Outcome
 */

/**
 * A program's usual directory, or one inside the repository where that cannot be written.
 *
 * @param {string} usual
 * @param {string} fallback
 */
function writable(usual, fallback) {
  try {
    mkdirSync(usual, { recursive: true });
    accessSync(usual, constants.W_OK);
    return usual;
  } catch {
    const inside = join(root, '.scratch', fallback);
    mkdirSync(inside, { recursive: true });
    return inside;
  }
}

/**
 * Runs a program to its end. Its output is collected, or shown as it comes when `live`.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, live?: boolean, shell?: boolean }} [options]
 * @returns {Promise<{ ok: boolean, output: string }>}
 */
export function run(command, args, { cwd = root, live = false, shell = false } = {}) {
  const sink = live ? 'inherit' : 'pipe';
  const env = {
    ...process.env,
    npm_config_cache: writable(process.env.npm_config_cache ?? join(homedir(), '.npm'), 'npm'),
    TMPDIR: writable(tmpdir(), 'tmp'),
    // Some tools colour even what they write into a pipe.
    NO_COLOR: process.stdout.isTTY || process.env.FORCE_COLOR ? process.env.NO_COLOR : '1',
  };
  return new Promise((resolve) => {
    // A process group of its own, so that what it started can be stopped with it.
    const detached = process.platform !== 'win32';
    const child = spawn(command, args, { cwd, env, shell, detached, stdio: ['ignore', sink, sink] });
    let output = '';
    const collect = (/** @type {string} */ text) => {
      output += text;
    };
    const stop = (/** @type {NodeJS.Signals} */ signal) => {
      if (child.pid !== undefined) process.kill(detached ? -child.pid : child.pid, signal);
      process.exit(128 + os.signals[signal]);
    };
    const settle = (/** @type {boolean} */ ok) => {
      process.off('SIGINT', stop).off('SIGTERM', stop);
      resolve({ ok, output });
    };
    process.on('SIGINT', stop).on('SIGTERM', stop);
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    child.on('error', (error) => {
      collect(`${command}: ${error.message}\n`);
      settle(false);
    });
    child.on('close', (code) => settle(code === 0));
  });
}

/**
 * Runs the command of an installed package with this Node, past PATH and platform wrappers.
 *
 * @param {string} packageName
 * @param {string} command
 * @param {string[]} args
 * @param {{ live?: boolean }} [options]
 */
export function runTool(packageName, command, args, options) {
  const directory = join(root, 'node_modules', packageName);
  const { bin } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const script = join(directory, typeof bin === 'string' ? bin : bin[command]);
  return run(process.execPath, [script, ...args], options);
}

/**
 * Whether Node was started with this very module.
 *
 * @param {ImportMeta} meta
 */
export function isMain(meta) {
  return process.argv[1] !== undefined && realpathSync(process.argv[1]) === meta.filename;
}

/**
 * Ends this process when the one that started it is gone: npm hands SIGTERM to the shell between us,
 * and the shell dies without passing it on.
 */
export function endWithParent() {
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    process.kill(process.pid, 'SIGTERM');
  }, 500).unref();
}
