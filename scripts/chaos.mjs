/**
 * `npm run chaos`: clients against servers that crash, hang, stall, truncate and restart at random. Every request must
 * have exactly one outcome, and its own; what must not be done twice is not; and in the end nothing is left behind.
 *
 *   npm run chaos -- --seconds 60 --servers 20 --callers 8 --seed 1
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect, mayHaveActed } from '../dist/client/index.js';
import { REVISIONS } from '../dist/protocol/index.js';
import { Dice } from './chaos/dice.mjs';
import { startHost } from './chaos/host.mjs';

const SERVER = fileURLToPath(new URL('./chaos/server.mjs', import.meta.url));

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    servers: { type: 'string', default: '20' },
    callers: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const directory = mkdtempSync(join(tmpdir(), 'plumb-chaos-'));

/** @type {Map<string, number>} */
const outcomes = new Map();
/** @type {string[]} */
const violations = [];
let started = 0;
let settled = 0;
const states = { lost: 0, recovered: 0 };
/** Nonces of calls that were told that the server did nothing. @type {Set<string>} */
const unacted = new Set();
console.log(`chaos: ${values.servers} servers, ${values.callers} callers each, ${seconds} s, seed ${seed}`);
// Our own pipes open with the first word, and are no leak.
process.stderr.write('');
const before = resources();

const worlds = await Promise.all(
  Array.from({ length: Number(values.servers) }, (_, index) => openWorld(index)),
);
const end = performance.now() + seconds * 1_000;
await Promise.all(
  worlds.flatMap((world) => Array.from({ length: Number(values.callers) }, () => callUntil(world))),
);
for (const { client } of worlds) {
  await client.close();
  if (client.state !== 'closed') violations.push(`a client is ${client.state} after close`);
}
await Promise.all(worlds.map(({ host }) => host?.close()));
for (const world of worlds) judge(world);
await settle();
judgeLeaks();
rmSync(directory, { recursive: true });
report();

/** @param {number} index */
async function openWorld(index) {
  const dice = new Dice(seed + index * 7919);
  const { version: revision } = REVISIONS[index % REVISIONS.length] ?? { version: '' };
  const overHttp = Math.floor(index / REVISIONS.length) % 2 === 1;
  const file = join(directory, `server-${index}`);
  writeFileSync(file, '');
  const host = overHttp ? await startHost({ file, revision, seed: seed + index, dice }) : undefined;
  const target =
    host === undefined
      ? {
          command: process.execPath,
          args: [SERVER, file, revision, String(seed + index)],
          shutdown: { endOfInputMs: 100, terminateMs: 100 },
        }
      : { url: `http://127.0.0.1:${host.port}/${index % REVISIONS.length === 0 ? 'sse' : 'mcp'}` };
  const client = await connect(target, {
    lazy: true,
    revisions: [revision],
    recover: { initialDelayMs: 50, maxDelayMs: 1_000 },
    keepAlive: { intervalMs: 1_000, timeoutMs: 1_000 },
    initTimeout: 5_000,
    random: () => dice.roll(),
  });
  client.on('state', ({ state, previous }) => {
    if (previous === 'ready' && state === 'backoff') states.lost += 1;
    if (state === 'ready' && previous !== 'ready') states.recovered += 1;
  });
  return { index, dice, file, host, client, calls: 0 };
}

/** @param {Awaited<ReturnType<typeof openWorld>>} world */
async function callUntil(world) {
  const { client, dice } = world;
  while (performance.now() < end) {
    world.calls += 1;
    const nonce = `${world.index}-${world.calls}`;
    const tool = dice.happens(0.5) ? 'echo' : 'add';
    const whenNotReady = dice.happens(0.7) ? 'wait' : 'fail';
    if (dice.happens(0.02) && client.state === 'ready')
      await client.tools.list({ cache: 'reload' }).catch(() => {});
    started += 1;
    let count = 0;
    const done = () => {
      count += 1;
      settled += 1;
      if (count > 1) violations.push(`${nonce} had ${count} outcomes`);
    };
    const abort = dice.happens(0.02) ? AbortSignal.timeout(Math.round(dice.between(1, 50))) : undefined;
    const began = performance.now();
    try {
      const result = await client.tools.call(
        tool,
        { nonce },
        { timeout: 3_000, whenNotReady, signal: abort },
      );
      done();
      const [block] = result.content;
      const answer = block?.type === 'text' ? block.text : undefined;
      if (answer !== nonce) violations.push(`${nonce} was answered with ${answer}`);
      tally(`ok ${tool}`);
    } catch (error) {
      done();
      const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
      tally(code);
      if (tool === 'add' && !mayHaveActed(error)) unacted.add(nonce);
      // A call that fails at once while the client is away would otherwise be all that happens.
      if (code === 'state') await sleep(20);
    }
    if (performance.now() - began > 15_000) violations.push(`${nonce} took ${performance.now() - began} ms`);
    await sleep(dice.between(0, 10));
  }
}

/** @param {string} outcome */
function tally(outcome) {
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
}

/** @param {Awaited<ReturnType<typeof openWorld>>} world */
function judge({ file }) {
  /** @type {Set<string>} */
  const acted = new Set();
  for (const nonce of readFileSync(file, 'utf8').split('\n')) {
    if (nonce === '') continue;
    if (acted.has(nonce)) violations.push(`${nonce} was carried out twice, and must not be repeated`);
    if (unacted.has(nonce)) violations.push(`${nonce} was carried out, and its caller told that it was not`);
    acted.add(nonce);
  }
}

function resources() {
  /** @type {Record<string, number>} */
  const counts = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return { counts, exitListeners: process.listenerCount('exit') };
}

/** Sockets that were closed take a moment to go. */
async function settle() {
  for (let round = 0; round < 50; round += 1) {
    const { counts } = resources();
    const left = ['TCPSocketWrap', 'ProcessWrap', 'PipeWrap', 'TCPServerWrap'].some(
      (kind) => (counts[kind] ?? 0) > (before.counts[kind] ?? 0),
    );
    if (!left) return;
    await sleep(100);
  }
}

function judgeLeaks() {
  const after = resources();
  for (const kind of ['ProcessWrap', 'TCPSocketWrap', 'TCPServerWrap', 'PipeWrap', 'Timeout']) {
    const extra = (after.counts[kind] ?? 0) - (before.counts[kind] ?? 0);
    if (extra > 0) violations.push(`${extra} ${kind} left behind`);
  }
  if (after.exitListeners > before.exitListeners) violations.push('a listener for "exit" was left behind');
}

function report() {
  const sorted = [...outcomes].sort(([, one], [, other]) => other - one);
  const restarts = worlds.reduce((sum, { host }) => sum + Math.max(0, host?.counts.restarts ?? 0), 0);
  const cuts = worlds.reduce((sum, { host }) => sum + (host?.counts.cuts ?? 0), 0);
  console.log(`requests ${started}, outcomes ${settled}`);
  console.log(sorted.map(([outcome, count]) => `  ${outcome}: ${count}`).join('\n'));
  console.log(
    `connections lost ${states.lost}, ready ${states.recovered}; restarts ${restarts}, cuts ${cuts}`,
  );
  if (started !== settled) violations.push(`${started - settled} requests had no outcome`);
  console.log(violations.length === 0 ? 'no violations' : `${violations.length} VIOLATIONS`);
  for (const violation of violations.slice(0, 20)) console.log(`  ${violation}`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
