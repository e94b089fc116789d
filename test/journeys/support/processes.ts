/** The process table: which processes carry a journey's mark. */

import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from './eventually.js';

/** The environment variable that holds the mark. Plumb keeps variables of its own, PLUMB_*, from servers. */
export const MARK = 'JOURNEY_MARK';

/** Processes with this mark that run, as `pid command line`; those that ended and wait to be reaped do not count. */
export function markedProcesses(mark: string): string[] {
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

/** Pids of the marked processes of a server, by a part of its command line, without those of Plumb that start it. */
export function pidsOf(mark: string, server: string): number[] {
  return markedProcesses(mark)
    .filter((line) => line.includes(server) && !line.includes('plumb-mcp'))
    .map((line) => Number.parseInt(line, 10));
}

/** The only one. A signal to none, pid 0, would go to the tests themselves. */
export function pidOf(mark: string, server: string): number {
  const [pid, ...others] = pidsOf(mark, server);
  if (pid === undefined || others.length > 0) {
    throw new Error(`Not one process of ${server} but these:\n${markedProcesses(mark).join('\n')}`);
  }
  return pid;
}

/** Empty when the process ended in between, or belongs to another user. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
