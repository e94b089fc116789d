/**
 * `npx plumb` and scripts of npm run the command under a shell, and a signal for npm reaches that shell alone: it ends,
 * and the command would go on by itself, with its port and its servers.
 */

import { readFileSync } from 'node:fs';

const EVERY_MS = 500;

/** Calls back when the shell of npm that runs this command is gone. Returns what ends the watch. */
export function watchRunner(gone: () => void): () => void {
  if (!isRunByNpm(process.env.npm_lifecycle_script)) return () => undefined;
  const shell = process.ppid;
  const npm = npmOf(shell);
  const timer = setInterval(() => {
    // An orphan gets another parent. npm that is killed at once leaves its shell behind.
    if (process.ppid === shell && (npm === undefined || isAlive(npm))) return;
    clearInterval(timer);
    gone();
  }, EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/** The process of npm that started this shell, where the system shows it (Linux). */
function npmOf(shell: number): number | undefined {
  try {
    // The name, in parentheses, may hold anything; then the state and the parent.
    const [, parent = ''] = /\) \S+ (\d+)/.exec(readFileSync(`/proc/${shell}/stat`, 'utf8')) ?? [];
    // npm shows itself by its title.
    return /^npm\b/.test(readFileSync(`/proc/${parent}/cmdline`, 'utf8')) ? Number(parent) : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** A script that puts the command in the background wants it to go on. */
export function isRunByNpm(script: string | undefined): boolean {
  return script !== undefined && /^'?plumb\b/.test(script) && !/&\s*$/.test(script);
}
