/** Starts processes on their core, each in a group of its own, and sees that none outlives the bench. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { pinned } from './machine.mjs';
import { createAsker } from './messenger.mjs';

/** @typedef {import('node:child_process').ChildProcess} ChildProcess */

/** @type {Set<ChildProcess>} */
const running = new Set();
const KEPT_OUTPUT = 4000;
const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));

/**
 * @typedef {object} StartOptions
 * @property {import('node:child_process').StdioOptions} [stdio]
 * @property {Record<string, string>} [env]
 * @property {boolean} [ownGroup]  false in a process that is itself in a group which is stopped as a whole
 */

/**
 * @param {import('./machine.mjs').Role} role
 * @param {string[]} command
 * @param {StartOptions} [options]
 */
export function start(role, command, { stdio = ['ignore', 'pipe', 'pipe'], env, ownGroup = true } = {}) {
  const [program = '', ...args] = [...pinned(role), ...command];
  if (program === '') throw new Error('Nothing to start');
  const detached = ownGroup && process.platform !== 'win32';
  const child = spawn(program, args, { stdio, detached, env: { ...process.env, NO_COLOR: '1', ...env } });
  running.add(child);
  let output = '';
  const keep = (/** @type {string} */ text) => {
    output = (output + text).slice(-KEPT_OUTPUT);
  };
  child.stderr?.setEncoding('utf8').on('data', keep);
  child.once('exit', () => running.delete(child));
  child.on('error', (error) => {
    running.delete(child);
    keep(`${program}: ${error.message}`);
  });
  // The results are published: they name files of this repository, not of the machine that it lies on.
  const inside = (/** @type {string} */ text) => text.replaceAll(REPOSITORY, '');
  const describe = () => inside(`${command.slice(1, 4).join(' ')}${output === '' ? '' : `\n${output}\n`}`);
  return { child, describe, stop: () => stop(child, detached) };
}

/**
 * A module of the bench, which answers questions.
 *
 * @param {import('./machine.mjs').Role} role
 * @param {string} module  relative to this file
 * @param {string[]} args
 * @param {{ stdio?: ['pipe', 'pipe'], ownGroup?: boolean, nodeOptions?: string[] }} [options]
 */
export function startModule(role, module, args, { stdio, ownGroup = true, nodeOptions = [] } = {}) {
  const file = fileURLToPath(new URL(module, import.meta.url));
  const [input, output] = stdio ?? ['ignore', 'pipe'];
  const program = start(role, [process.execPath, ...nodeOptions, file, ...args], {
    stdio: [input, output, 'pipe', 'ipc'],
    ownGroup,
  });
  // Peers that chat on their output must not be stopped by a full pipe.
  if (stdio === undefined) program.child.stdout?.resume();
  return { ...program, ask: createAsker(program.child, program.describe) };
}

/**
 * @param {ChildProcess} child
 * @param {boolean} group
 * @returns {Promise<void>}
 */
function stop(child, group) {
  return new Promise((resolve) => {
    const ended = child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
    if (!ended) child.once('exit', () => resolve());
    // The group may outlive its leader.
    kill(child, group);
    if (ended) resolve();
  });
}

/**
 * @param {ChildProcess} child
 * @param {boolean} group
 */
function kill(child, group) {
  if (child.pid === undefined) return;
  try {
    process.kill(group ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // It was gone already.
  }
}

/** Ends everything that runs, at once; for the end of the bench itself. */
export function stopAll() {
  for (const child of running) kill(child, process.platform !== 'win32');
  running.clear();
}
