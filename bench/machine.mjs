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

const TICK_US = 10_000;

/**
 * What a program that answers no questions has used so far, where the system tells.
 *
 * @param {number | undefined} pid
 * @returns {{ cpuUs: number } | undefined}
 */
export function processUsage(pid) {
  if (platform() !== 'linux' || pid === undefined) return undefined;
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { cpuUs: (Number(fields[11]) + Number(fields[12])) * TICK_US };
}

/**
 * How long the host has kept the cores of a virtual machine from it so far, taken together; 0 where nobody tells.
 *
 * @returns {number} in milliseconds
 */
export function stolenMs() {
  if (platform() !== 'linux') return 0;
  const [, ...times] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]?.trim().split(/\s+/) ?? [];
  return (Number(times[7] ?? 0) * TICK_US) / 1000;
}
