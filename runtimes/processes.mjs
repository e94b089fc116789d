/** Programs that print where they listen, and are stopped when the run ends. */
import { spawn } from 'node:child_process';

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: Record<string, string>, ready?: RegExp }} options
 * @returns {Promise<string>} what `ready` matched
 */
export function start(command, args, { cwd, env = {}, ready = /http:\/\/127\.0\.0\.1:\d+/ }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let output = '';
    const fail = (/** @type {string} */ why) =>
      reject(new Error(`${command} ${args.join(' ')} ${why}:\n${output}`));
    const timer = setTimeout(() => fail('did not start in 30 s'), 30_000);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        output = (output + text).slice(-10_000);
        const found = ready.exec(output);
        if (found === null) return;
        clearTimeout(timer);
        resolve(found[0]);
      });
    }
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code) => {
      running.delete(child);
      clearTimeout(timer);
      fail(`ended with ${code}`);
    });
  });
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {{ cwd: string, env?: Record<string, string> }} options
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export function finish(command, args, { cwd, env = {} }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(child);
    let stdout = '';
    let stderr = '';
    const timer = setTimeout(() => child.kill('SIGKILL'), 120_000);
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ code, stdout, stderr });
    });
  });
}

/** Workers drain open streams for as long as they last, so nothing is asked politely. */
export function stopAll() {
  for (const child of running) child.kill('SIGKILL');
}
