/**
 * How long a process was ready to run and had no processor, from the statistics of the scheduler. A limit on the time that
 * something takes then means the same on a machine that is busy with other tests.
 */

import { readdirSync, readFileSync } from 'node:fs';

/** Milliseconds since it was started, of all its threads: the main one waits for what others read and compile. */
export function waitedForProcessor(pid: number): number {
  let waited = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    // Fields: time on a processor, time waiting for one, number of turns.
    const [, waiting] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ');
    waited += Number(waiting) / 1_000_000;
  }
  return waited;
}
