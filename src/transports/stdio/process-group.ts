/**
 * Process groups: a child and all its descendants that did not leave on purpose. On POSIX the child leads a group of
 * its own and signals go to the whole group; Windows has no groups, so there the process tree is ended with taskkill.
 */

import { type ChildProcess, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { GroupWatcher } from './group-watcher.js';
import { systemProgram } from './windows-program.js';

/** What the system does for us. */
export interface GroupSystem {
  readonly platform: NodeJS.Platform;
  kill(pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean;
  /** Runs a program to its end; true when it succeeded. */
  run(program: string, args: readonly string[]): boolean;
}

const SYSTEM: GroupSystem = {
  platform: process.platform,
  kill: (pid, signal) => process.kill(pid, signal),
  run: (program, args) => spawnSync(program, args, { windowsHide: true }).status === 0,
};

const FIRST_POLL_MS = 5;
const LAST_POLL_MS = 100;
/** How long the kernel may take to clear away what was killed. */
const REAP_MS = 1_000;

const live = new Set<number>();
const watcher = new GroupWatcher();

/**
 * Starts the leader of a group. From here until `releaseGroup`, the group does not outlive our own process: when that
 * exits the group is killed at once, and when it is killed the watcher ends the group.
 */
export function startGroup(start: () => ChildProcess): ChildProcess {
  watcher.prepare();
  let leader: number | undefined;
  try {
    const child = start();
    leader = child.pid;
    return child;
  } finally {
    // In this very tick: our process may exit in it.
    if (leader === undefined) watcher.standDown();
    else guard(leader);
  }
}

function guard(leader: number): void {
  if (live.size === 0) process.on('exit', killAll);
  live.add(leader);
  watcher.add(leader);
}

export function releaseGroup(leader: number): void {
  live.delete(leader);
  watcher.remove(leader);
  if (live.size === 0) process.off('exit', killAll);
}

function killAll(): void {
  for (const leader of live) signalGroup(leader, 'SIGKILL');
}

/** `false` when the group has no process left, or none that we may signal. */
export function signalGroup(
  leader: number,
  signal: 'SIGTERM' | 'SIGKILL',
  system: GroupSystem = SYSTEM,
): boolean {
  return system.platform === 'win32' ? endTree(leader, system) : send(leader, signal, system);
}

/** Ends what is left of a group whose leader has exited: politely, then by force. */
export async function endSurvivors(
  leader: number,
  graceMs: number,
  system: GroupSystem = SYSTEM,
): Promise<void> {
  // Without its leader the tree can no longer be found on Windows.
  if (system.platform === 'win32' || !send(leader, 'SIGTERM', system)) return;
  if (await vanishes(leader, graceMs)) return;
  if (send(leader, 'SIGKILL')) await vanishes(leader, REAP_MS);
}

async function vanishes(leader: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  for (let pause = FIRST_POLL_MS; hasLiveMember(leader); pause = Math.min(pause * 2, LAST_POLL_MS)) {
    if (performance.now() >= deadline) return false;
    await delay(pause);
  }
  return true;
}

function hasLiveMember(leader: number): boolean {
  if (!send(leader, 0)) return false;
  if (process.platform !== 'linux') return true;
  // In a container without an init process, orphans that have died stay as zombies for ever, and still take signals.
  return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isLiveMember(entry, leader));
}

function isLiveMember(pid: string, leader: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // "pid (name) state parent group ...", where the name may contain anything.
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return state !== 'Z' && state !== 'X' && Number(group) === leader;
  } catch {
    return false;
  }
}

function send(leader: number, signal: 'SIGTERM' | 'SIGKILL' | 0, { kill }: GroupSystem = SYSTEM): boolean {
  try {
    return kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Console programs do not answer a polite taskkill, so it is by force; the end of their input came before. */
function endTree(leader: number, { run }: GroupSystem): boolean {
  return run(systemProgram(['System32'], 'taskkill.exe'), ['/pid', String(leader), '/T', '/F']);
}
