/**
 * One hub for each user. The lock is a file with the process id of its owner, made exclusively. A lock whose process is gone
 * is moved aside before it is deleted, so that of two that find it only one removes it.
 */

import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

export interface HubLock {
  /** False when another process has taken it for stale. */
  isHeld(): boolean;
  release(): void;
}

const ATTEMPTS = 5;

/** Undefined when another process that lives has it. */
export function takeHubLock(
  path: string,
  isAlive: (pid: number) => boolean = processLives,
): HubLock | undefined {
  const owner = `${process.pid} ${crypto.randomUUID()}\n`;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (create(path, owner)) return lockOf(path, owner);
    const holder = holderOf(path);
    if (holder !== undefined && isAlive(holder)) return undefined;
    removeStale(path, holder);
  }
  return undefined;
}

/** The process id in the lock; undefined where there is none. */
function holderOf(path: string): number | undefined {
  const pid = Number.parseInt(textOf(path), 10);
  return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
}

function lockOf(path: string, owner: string): HubLock {
  const isHeld = (): boolean => textOf(path) === owner;
  return {
    isHeld,
    release: () => {
      if (isHeld()) rmSync(path, { force: true });
    },
  };
}

function create(path: string, owner: string): boolean {
  try {
    writeFileSync(path, owner, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

function removeStale(path: string, holder: number | undefined): void {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || holderOf(path) !== holder) return;
  const aside = `${path}.${crypto.randomUUID()}`;
  try {
    renameSync(path, aside);
    // Another process was quicker, and this is its lock already: put it back.
    if (statSync(aside).ino !== found.ino) renameSync(aside, path);
    else rmSync(aside, { force: true });
  } catch {
    // Gone in the meantime: the next attempt to create it decides.
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function processLives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
