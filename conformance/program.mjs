/** Programs that this run started. None of them outlives it. */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** @type {Set<ChildProcess>} */
const running = new Set();
const grouped = process.platform !== 'win32';

process.once('exit', () => {
  for (const child of running) kill(child);
});
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) {
  process.once(signal, () => process.exit(128 + constants.signals[signal]));
}

/** @param {ChildProcess} child with what it has started in turn */
function kill(child) {
  if (child.pid === undefined) return;
  try {
    process.kill(grouped ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It has ended in the meantime.
  }
}

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, stdin?: 'pipe' | 'ignore' }} options
 */
export function start(command, args, { cwd, env = {}, stdin = 'ignore' }) {
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    detached: grouped,
    stdio: [stdin, 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/**
 * Runs a program to its end, or to the end of its time: the code is then undefined.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd: string, timeoutMs: number, env?: Record<string, string> }} options
 * @returns {Promise<{ code: number | undefined, output: string }>}
 */
export function runProgram(command, args, { timeoutMs, ...options }) {
  return new Promise((resolve) => {
    const child = start(command, args, options);
    let output = '';
    const collect = (/** @type {string} */ text) => {
      output += text;
    };
    const timer = setTimeout(() => {
      collect(`\nStopped after ${timeoutMs / 1000} s.\n`);
      kill(child);
    }, timeoutMs);
    const settle = (/** @type {number | undefined} */ code) => {
      clearTimeout(timer);
      resolve({ code, output });
    };
    child.stdout?.setEncoding('utf8').on('data', collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    child.once('error', (error) => {
      collect(`${command}: ${error.message}\n`);
      settle(undefined);
    });
    child.once('close', (code) => settle(code ?? undefined));
  });
}
