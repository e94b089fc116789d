/** Which core does what: a server that is measured has one for itself, the load and everything else the other. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, platform, release, totalmem } from 'node:os';

/** @typedef {'measured' | 'load'} Role */

/** @returns {{ measured: number, load: number } | undefined} undefined where processes cannot be pinned */
function findCores() {
  if (platform() !== 'linux' || spawnSync('taskset', ['--version']).status !== 0) return undefined;
  const allowed = /Cpus_allowed_list:\s*(\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
  const numbers = allowed.split(',').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  const [measured, load] = numbers;
  return measured === undefined || load === undefined ? undefined : { measured, load };
}

export const cores = findCores();

/**
 * The words in front of a command that pin it.
 *
 * @param {Role} role
 * @returns {string[]}
 */
export function pinned(role) {
  return cores === undefined ? [] : ['taskset', '-c', String(cores[role])];
}

export function describeMachine() {
  return {
    node: process.version,
    system: `${platform()} ${release()}`,
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGb: Math.round(totalmem() / 2 ** 30),
    pinned: cores !== undefined,
  };
}
