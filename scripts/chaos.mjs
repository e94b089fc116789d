/**
 * `npm run chaos`: clients against servers that crash, hang, stall, truncate and restart at random. Every request must
 * have exactly one outcome, and its own; what must not be done twice is not; and in the end nothing is left behind.
 *
 *   npm run chaos -- --seconds 60 --servers 20 --callers 8 --seed 1 --patience 20
 *
 * `--answers 50` goes on until each server has answered as many calls, however slow the machine is.
 *
 * `--sabotage answer|twice|outcome|process|client|listener` breaks one of these promises on purpose, so that it can be
 * seen that a broken promise is found.
 */
import { getEventListeners } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect, mayHaveActed } from 'plumb-mcp/client';
import { PROTOCOL_REVISIONS as REVISIONS } from 'plumb-mcp/protocol';
import { Dice } from './chaos/dice.mjs';
import { startHost } from './chaos/host.mjs';
import { Leaks, survivors } from './chaos/leaks.mjs';
import { Ledger, linesOf } from './chaos/ledger.mjs';

const SERVER = fileURLToPath(new URL('./chaos/server.mjs', import.meta.url));
const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    servers: { type: 'string', default: '20' },
    callers: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    answers: { type: 'string', default: '0' },
    sabotage: { type: 'string', default: 'none' },
    patience: { type: 'string', default: '20' },
  },
});
const { sabotage } = values;
const seconds = Number(values.seconds);
const seed = Number(values.seed);
const answers = Number(values.answers);
/** Reached only where something hangs. */
const LONGEST_WAIT_MS = 90_000;
/** No call takes longer than its timeout, the wait for a connection, and the same again for a replay. */
const longestCallMs = Number(values.patience) * 1_000;
const directory = mkdtempSync(join(tmpdir(), 'plumb-chaos-'));
const ledger = new Ledger();
const states = { lost: 0, recovered: 0, retries: 0, strays: 0 };

console.log(`chaos: ${values.servers} servers, ${values.callers} callers each, ${seconds} s, seed ${seed}`);
const leaks = new Leaks(longestCallMs / 2);
for (const event of /** @type {const} */ (['unhandledRejection', 'uncaughtException', 'warning'])) {
  process.on(event, (/** @type {unknown} */ problem) => ledger.violation(`${event}: ${String(problem)}`));
}

const worlds = await Promise.all(
  Array.from({ length: Number(values.servers) }, (_, index) => openWorld(index)),
);
const end = performance.now() + seconds * 1_000;
const callers = worlds.flatMap((world) =>
  Array.from({ length: Number(values.callers) }, () => callUntil(world)),
);
const patience = new AbortController();
await Promise.race([
  Promise.all(callers),
  sleep(seconds * 1_000 + longestCallMs + (answers > 0 ? LONGEST_WAIT_MS : 0), undefined, {
    signal: patience.signal,
  }).catch(() => {}),
]);
patience.abort();
ledger.closeBooks();
for (const world of worlds) await judge(world);
for (const leak of await leaks.find()) ledger.violation(leak);
report();
rmSync(directory, { recursive: true });
// What a sabotage has left behind would keep us here.
process.exit(ledger.violations.length === 0 ? 0 : 1);

/** @param {number} index */
async function openWorld(index) {
  const dice = new Dice(seed + index * 7919);
  const { version: revision } = REVISIONS[index % REVISIONS.length] ?? { version: '' };
  const overHttp = Math.floor(index / REVISIONS.length) % 2 === 1;
  const file = join(directory, `server-${index}`);
  for (const name of [file, `${file}.pids`, `${file}.deeds`]) writeFileSync(name, '');
  const host = overHttp ? await startHost({ file, revision, seed: seed + index, sabotage, dice }) : undefined;
  const target =
    host === undefined
      ? {
          command: process.execPath,
          args: [SERVER, file, revision, String(seed + index), sabotage],
          shutdown: { endOfInput: 100, terminate: 100 },
        }
      : { url: `http://127.0.0.1:${host.port}/${index % REVISIONS.length === 0 ? 'sse' : 'mcp'}` };
  const client = await connect(target, {
    lazy: true,
    revisions: [revision],
    recover: { initialDelay: 50, maxDelay: 1_000 },
    keepAlive: { interval: 1_000, timeout: 1_000 },
    initTimeout: 5_000,
    random: () => dice.roll(),
    observe: (observation) => {
      if (observation.type === 'request' && observation.method === 'tools/call')
        ledger.observed(observation.failure ?? `ok ${observation.subject}`);
      if (observation.type === 'retry') states.retries += 1;
      if (observation.type === 'unknown_response') states.strays += 1;
    },
  });
  client.on('state', ({ state, previous }) => {
    if (previous === 'ready' && state === 'backoff') states.lost += 1;
    if (state === 'ready' && previous !== 'ready') states.recovered += 1;
  });
  // One signal for many calls: each of them takes its listener off again.
  return { index, dice, file, host, client, calls: 0, answered: 0, signal: new AbortController().signal };
}

/** @param {Awaited<ReturnType<typeof openWorld>>} world */
async function callUntil(world) {
  const { client, dice } = world;
  while (performance.now() < end || world.answered < answers) {
    world.calls += 1;
    const nonce = `${world.index}-${world.calls}`;
    if (dice.happens(0.02) && client.state === 'ready')
      await client.tools.list({ cache: 'reload' }).catch(() => {});
    const outcome = await callOnce(world, nonce);
    if (outcome.startsWith('ok ')) world.answered += 1;
    // A call that fails at once while the client is away would otherwise be all that happens.
    await sleep(outcome === 'state' ? 20 : dice.between(0, 10));
  }
}

/** @param {Awaited<ReturnType<typeof openWorld>>} world @param {string} nonce */
async function callOnce({ client, dice, signal }, nonce) {
  const tool = dice.happens(0.5) ? 'echo' : 'add';
  const options = {
    timeout: 3_000,
    whenNotReady: dice.happens(0.7) ? /** @type {const} */ ('wait') : /** @type {const} */ ('fail'),
    signal: dice.happens(0.02) ? AbortSignal.timeout(Math.round(dice.between(1, 50))) : signal,
    ...(dice.happens(0.2) ? { onProgress: progressOf(nonce) } : {}),
  };
  ledger.begin(nonce);
  if (sabotage === 'outcome' && nonce === '0-1') return await new Promise(() => {});
  const began = performance.now();
  let outcome = `ok ${tool}`;
  try {
    const { content } = await client.tools.call(tool, { nonce }, options);
    const [block] = content;
    const answer = block?.type === 'text' ? block.text : undefined;
    if (answer !== nonce) ledger.violation(`${nonce} was answered with ${answer}`);
  } catch (error) {
    outcome = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    if (tool === 'add' && !mayHaveActed(error)) ledger.claimUnacted(nonce);
  }
  ledger.settle(nonce, outcome);
  const took = performance.now() - began;
  if (took > longestCallMs) ledger.violation(`${nonce} took ${took} ms`);
  return outcome;
}

/** Progress belongs to one call, and to nobody once that has its outcome. @param {string} nonce */
function progressOf(nonce) {
  return (/** @type {{ message?: string }} */ { message = nonce }) => {
    if (message !== nonce) ledger.violation(`${nonce} got the progress of ${message}`);
    if (!ledger.isOpen(nonce)) ledger.violation(`${nonce} got progress after its outcome`);
  };
}

/** @param {Awaited<ReturnType<typeof openWorld>>} world */
async function judge({ index, client, host, file, signal }) {
  if (sabotage === 'client' && index === 0) return;
  await client.close();
  await host?.close();
  if (client.state !== 'closed') ledger.violation(`a client is ${client.state} after close`);
  if (sabotage === 'listener') signal.addEventListener('abort', () => {});
  const listeners = getEventListeners(signal, 'abort').length;
  if (listeners > 0) ledger.violation(`${listeners} listeners left on a signal of server ${index}`);
  ledger.compareWith(file);
  for (const pid of survivors(`${file}.pids`, file)) {
    ledger.violation(`process ${pid} left behind`);
    process.kill(pid, 'SIGKILL');
  }
}

function report() {
  /** @type {Map<string, number>} */
  const deeds = new Map();
  for (const { file, host } of worlds) {
    for (const deed of linesOf(`${file}.deeds`)) count(deeds, deed, 1);
    for (const [what, times] of Object.entries(host?.counts ?? {})) count(deeds, what, times);
  }
  console.log(`requests ${ledger.started}, outcomes ${ledger.settled}`);
  for (const line of ledger.summary()) console.log(line);
  console.log(`servers and wires: ${[...deeds].map(([what, times]) => `${what} ${times}`).join(', ')}`);
  console.log(
    `connections lost ${states.lost}, ready ${states.recovered}; sent again ${states.retries}, stray answers ${states.strays}`,
  );
  const { violations } = ledger;
  console.log(violations.length === 0 ? 'no violations' : `${violations.length} VIOLATIONS`);
  for (const violation of violations.slice(0, 20)) console.log(`  ${violation}`);
}

/** @param {Map<string, number>} counts @param {string} what @param {number} times */
function count(counts, what, times) {
  counts.set(what, (counts.get(what) ?? 0) + times);
}
