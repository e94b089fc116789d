/**
 * How long a process was ready to run and had no processor, from the statistics of the scheduler. A limit on the time that
 * something takes then means the same on a machine that is busy with other tests.
 */

import { readFileSync } from 'node:fs';

/** Milliseconds since it was started, of its main thread. */
export function waitedForProcessor(pid: number): number {
  // Fields: time on a processor, time waiting for one, number of turns.
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]) / 1_000_000;
}
