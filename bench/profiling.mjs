/** CPU profiles of the processes that are measured, of the time in which they are: without start and warm-up. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Names the directory that they are kept in; none are made without. */
export const PROFILE_VARIABLE = 'PLUMB_BENCH_PROFILE';

const directory = () => process.env[PROFILE_VARIABLE];
/** @type {Session | undefined} */
let session;

/**
 * @param {string} name  of this process
 * @param {boolean} on
 */
export async function profile(name, on) {
  const kept = directory();
  if (kept === undefined) return;
  if (on) {
    session = new Session();
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
    return;
  }
  const stopped = await session?.post('Profiler.stop');
  session?.disconnect();
  mkdirSync(kept, { recursive: true });
  writeFileSync(join(kept, `${name}-${process.pid}.cpuprofile`), JSON.stringify(stopped?.profile));
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

/** The time that a program has to begin a profile, or to write it. */
const SIGNALLED_MS = 500;

/**
 * A command of Node, made ready for `signalProfile` where profiles are wanted.
 *
 * @param {string[]} command
 * @param {string} name
 */
export function profiled([node = '', ...args], name) {
  if (directory() === undefined) return [node, ...args];
  return [node, '--import', new URL(`./load/profiled.mjs?name=${name}`, import.meta.url).href, ...args];
}

/**
 * Begins or ends the profile of such a program.
 *
 * @param {number | undefined} pid
 */
export async function signalProfile(pid) {
  if (directory() === undefined || pid === undefined) return;
  process.kill(pid, 'SIGUSR2');
  await sleep(SIGNALLED_MS);
}
