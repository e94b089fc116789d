/** CPU profiles of the processes that are measured, of the time in which they are: without start and warm-up. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';

/** Names the directory that they are kept in; none are made without. */
export const PROFILE_VARIABLE = 'PLUMB_BENCH_PROFILE';

const directory = process.env[PROFILE_VARIABLE];
/** @type {Session | undefined} */
let session;

/**
 * @param {string} name  of this process
 * @param {boolean} on
 */
export async function profile(name, on) {
  if (directory === undefined) return;
  if (on) {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    return;
  }
  const stopped = await session?.post('Profiler.stop');
  session?.disconnect();
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, `${name}-${process.pid}.cpuprofile`), JSON.stringify(stopped?.profile));
}

/**
 * A name from a contender's module and how it serves.
 *
 * @param {string} module
 * @param {string} [detail]
 */
export function profileName(module, detail = '') {
  const [contender = '', part = ''] = module
    .replace(/\.mjs$/, '')
    .split('/')
    .slice(-2);
  return [contender, part, detail].filter((word) => word !== '').join('-');
}
