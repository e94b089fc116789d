/** The process table: which processes carry a journey's mark. */

import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from './eventually.js';

/** Name of the environment variable that holds the mark. */
export const MARK = 'PLUMB_JOURNEY';

/** Processes with this mark that run, as `pid command line`; those that ended and wait to be reaped do not count. */
function markedProcesses(mark: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const environment = read(`/proc/${pid}/environ`);
      if (!environment.split('\0').includes(`${MARK}=${mark}`)) return [];
      return [`${pid} ${read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')}`];
    });
}

export async function expectNoProcesses(mark: string): Promise<void> {
  await eventually(() => {
    const left = markedProcesses(mark);
    if (left.length > 0) throw new Error(`These processes are left:\n${left.join('\n')}`);
  });
}

/** Empty when the process ended in between, or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
