/**
 * `npm run soak -- --hostile`: every attack of test/security at once against `plumb chain` with three servers (one of
 * them hostile) and an inspector, with good clients in between. Exits 1 when the chain crashes, its memory is not flat
 * or beyond the bound, a good call is not answered or too late, or a process is left behind.
 *
 *   npm run soak -- --hostile                 10 minutes
 *   npm run soak -- --hostile --minutes 1
 *
 * All of it stays on this machine. Attackers come from 127.0.0.1, good clients from 127.0.0.2: what one address does is
 * charged to that address. Linux alone has both without setup, and /proc, which the memory is read from.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from '../build.mjs';
import { ATTACKS } from './attacks.mjs';
import { GoodClient } from './good-client.mjs';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const EVIL = fileURLToPath(new URL('../../test/security/fixtures/endless-lists.mjs', import.meta.url));

const ATTACKERS = 6;
const GOOD_CLIENTS = 4;
const HEAP_MEGABYTES = 1024;
/** The chain's resident memory stays below this. */
const MEMORY_BOUND = 1000 * 1024 * 1024;
/** And grows by no more than this from the first third after warming up to the last: twice what a timeline takes. */
const GROWTH_BOUND = 250 * 1024 * 1024;
/** Good calls are answered within this time, 99 of 100, while everything else is going on. */
const P99_BOUND_MS = 5000;
const ORPHAN_WAIT_MS = 10_000;

/** @param {number} minutes */
export async function soakHostile(minutes) {
  const built = await build();
  if (!built.ok) {
    console.error(built.output);
    return 1;
  }
  const folder = mkdtempSync(join(tmpdir(), 'plumb-hostile-'));
  try {
    return await attack(folder, minutes);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {number} minutes
 */
async function attack(folder, minutes) {
  const file = join(folder, 'chain.json');
  const demo = { command: process.execPath, args: [MAIN, 'demo', '--stdio'] };
  const evil = { command: process.execPath, args: [EVIL, 'huge'] };
  writeFileSync(file, JSON.stringify({ servers: { good: demo, other: demo, evil } }));
  const child = spawn(
    process.execPath,
    [
      `--max-old-space-size=${HEAP_MEGABYTES}`,
      MAIN,
      'chain',
      file,
      '--http',
      '0',
      '--legacy-sse',
      '--inspect',
      '0',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], detached: true },
  );
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    said = `${said}${text}`.slice(-20_000);
  });
  /** @type {number | string | null | undefined} */
  let ended;
  child.once('exit', (code, signal) => {
    ended = code ?? signal;
  });
  const origin = await found(() => said, /listens at (http:\/\/[^/\s]+)/);
  const inspector = await found(() => said, /inspector is at (http:\/\/\S+)/);
  const deadline = performance.now() + minutes * 60_000;
  const isOver = () => ended !== undefined || performance.now() > deadline;
  const clients = Array.from({ length: GOOD_CLIENTS }, (_, index) => new GoodClient(origin, index));
  await Promise.all(clients.map((client) => client.open()));

  /** @type {number[]} */
  const memory = [];
  /** @type {Map<string, number>} */
  const attempts = new Map();
  const watching = (async () => {
    while (!isOver()) {
      memory.push(residentBytes(child.pid));
      if (memory.length % 15 === 0) console.log(progress(memory, clients, attempts));
      await pause(1000);
    }
  })();
  const attacking = Array.from({ length: ATTACKERS }, async (_, index) => {
    // Each begins somewhere else, so that all kinds come early.
    for (let turn = Math.round((index * ATTACKS.length) / ATTACKERS); !isOver(); turn += 1) {
      const [name, run] = ATTACKS[turn % ATTACKS.length] ?? [];
      if (name === undefined || run === undefined) return;
      // An attack that is cut off is one that was repelled.
      await Promise.race([run({ origin, inspector }).catch(() => undefined), pause(15_000)]);
      attempts.set(name, (attempts.get(name) ?? 0) + 1);
    }
  });
  const calling = clients.map(async (client) => {
    while (!isOver()) {
      await client.next();
      await pause(20);
    }
  });
  await Promise.all([watching, ...attacking, ...calling]);
  for (const client of clients) client.close();

  const crashed = ended;
  const family = descendants(child.pid);
  // The harshest end: what it started has to notice by itself.
  if (child.pid !== undefined && ended === undefined) process.kill(child.pid, 'SIGKILL');
  const orphans = await left(family);
  return judge({ crashed, said, memory, clients, attempts, family, orphans, minutes });
}

/**
 * @param {{ crashed: unknown, said: string, memory: number[], clients: GoodClient[], attempts: Map<string, number>,
 *   family: number[], orphans: number[], minutes: number }} outcome
 */
function judge({ crashed, said, memory, clients, attempts, family, orphans, minutes }) {
  const times = clients.flatMap((client) => client.times).sort((left, right) => left - right);
  const failures = clients.flatMap((client) => client.failures);
  const p99 = times[Math.floor(times.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  const settled = memory.slice(Math.ceil(memory.length / 4));
  const third = Math.max(Math.floor(settled.length / 3), 1);
  const growth = median(settled.slice(-third)) - median(settled.slice(0, third));
  const peak = Math.max(...memory);
  const problems = [];
  if (crashed !== undefined) problems.push(`the chain ended (${crashed}):\n${said.slice(-3000)}`);
  if (peak > MEMORY_BOUND) problems.push(`memory went up to ${megabytes(peak)} MB`);
  if (growth > GROWTH_BOUND) problems.push(`memory grew by ${megabytes(growth)} MB`);
  if (times.length < clients.length * 5) problems.push(`only ${times.length} good calls were answered`);
  if (p99 > P99_BOUND_MS) problems.push(`99 of 100 good calls took up to ${Math.round(p99)} ms`);
  for (const [reason, count] of tally(failures)) problems.push(`${count} good calls failed: ${reason}`);
  if (family.length < 3 && crashed === undefined) problems.push('the chain had no servers to leave behind');
  if (orphans.length > 0) problems.push(`processes were left behind: ${orphans.join(', ')}`);
  for (const [name] of ATTACKS) if (!attempts.has(name)) problems.push(`"${name}" was never tried`);
  const total = [...attempts.values()].reduce((sum, count) => sum + count, 0);
  console.log(`${total} attacks of ${attempts.size} kinds in ${minutes} min`);
  console.log(
    `good calls: ${times.length} answered, p50 ${Math.round(times[Math.floor(times.length / 2)] ?? 0)} ms, ` +
      `p99 ${Math.round(p99)} ms (bound ${P99_BOUND_MS} ms)`,
  );
  console.log(
    `memory: peak ${megabytes(peak)} MB (bound ${megabytes(MEMORY_BOUND)} MB), ` +
      `growth ${megabytes(growth)} MB (bound ${megabytes(GROWTH_BOUND)} MB)`,
  );
  console.log(`processes: ${family.length} started, ${orphans.length} left after SIGKILL`);
  console.log(problems.length === 0 ? 'held' : `FAILED\n${problems.join('\n')}`);
  return problems.length === 0 ? 0 : 1;
}

/**
 * @param {number[]} memory
 * @param {GoodClient[]} clients
 * @param {Map<string, number>} attempts
 */
function progress(memory, clients, attempts) {
  const good = clients.reduce((sum, { times }) => sum + times.length, 0);
  const bad = clients.reduce((sum, { failures }) => sum + failures.length, 0);
  const attacks = [...attempts.values()].reduce((sum, count) => sum + count, 0);
  return `${memory.length} s: ${megabytes(memory.at(-1) ?? 0)} MB, ${attacks} attacks, ${good} good calls, ${bad} failed`;
}

/**
 * @param {() => string} text
 * @param {RegExp} pattern
 */
async function found(text, pattern) {
  for (let waited = 0; waited < 300; waited += 1) {
    const match = pattern.exec(text());
    if (match?.[1] !== undefined) return match[1];
    await pause(100);
  }
  throw new Error(`The chain did not start: ${text()}`);
}

/** @param {number | undefined} pid */
function residentBytes(pid) {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/**
 * Processes that the process has started, and those that they have.
 *
 * @param {number | undefined} root
 */
function descendants(root) {
  /** @type {Map<number, number>} */
  const parents = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const [, rest = ''] = readFileSync(`/proc/${entry}/stat`, 'utf8').split(') ');
      parents.set(Number(entry), Number(rest.split(' ')[1]));
    } catch {
      // It has just ended.
    }
  }
  const found = new Set([root]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const [pid, parent] of parents) if (found.has(parent)) found.add(pid);
  }
  found.delete(root);
  return [...found].filter((pid) => pid !== undefined);
}

/**
 * Those that are still there when all had time to end.
 *
 * @param {readonly number[]} pids
 */
async function left(pids) {
  const deadline = performance.now() + ORPHAN_WAIT_MS;
  for (;;) {
    const alive = pids.filter((pid) => residentBytes(pid) > 0);
    if (alive.length === 0 || performance.now() > deadline) return alive;
    await pause(200);
  }
}

/** @param {readonly string[]} reasons */
function tally(reasons) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return counts;
}

/** @param {readonly number[]} values */
function median(values) {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0;
}

/** @param {number} bytes */
function megabytes(bytes) {
  return (bytes / 1024 / 1024).toFixed(0);
}
