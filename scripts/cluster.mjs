/**
 * `npm run cluster`: three nodes of the demo behind a balancer that knows nothing of sessions, one Redis, and
 * hundreds of clients, while nodes are killed and Redis is restarted. Ends with what was counted.
 *
 *   node scripts/cluster.mjs [--quick] [--clients N] [--seconds N] [--storm N] [--calm] [--aim] [--redis-cluster]
 *
 * The storm lasts for `--seconds`, and then until every client has made its calls, `--storm` seconds at most.
 * `--calm` kills nothing; `--aim` kills at the very moment at which a write is acknowledged. With `--redis-cluster` the
 * nodes share three masters with a replica each, of which one fails over instead of a restart. Needs dist/ and redis-server; `npm run cluster` builds first.
 */
import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { live, persist } from './cluster/client.mjs';
import { startCluster } from './cluster/cluster.mjs';
import { History, now } from './cluster/history.mjs';
import { openPeer } from './cluster/peers.mjs';
import { describe, Tally } from './cluster/tally.mjs';
import { endWithParent } from './run.mjs';

const KILL_EVERY_MS = 2_000;
const WRITE_EVERY_MS = 1_500;

endWithParent();
// Children are killed when this process exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    aim: { type: 'boolean', default: false },
    'redis-cluster': { type: 'boolean', default: false },
    clients: { type: 'string' },
    seconds: { type: 'string' },
    storm: { type: 'string' },
  },
});
const clients = Number(options.clients ?? (options.quick ? 24 : 500));
const seconds = Number(options.seconds ?? (options.quick ? 8 : 30));
const rounds = options.quick ? 2 : 3;
/** On a slow machine the storm may last longer. */
const stormSeconds = Number(options.storm ?? (options.quick ? 60 : 600));
/** For everything, and for nothing to happen at all: a busy machine is slow, and not at fault. */
const [giveUpMs, stallMs] = options.quick ? [180_000, 90_000] : [20 * 60_000, 120_000];

const tally = new Tally();
const history = new History();
const { redis, nodes, balancer, addNode, stop } = await startCluster({
  history: history.directory,
  redisCluster: options['redis-cluster'],
});
let kills = 0;
let restarts = 0;
let quiet = options.calm;
const complaints = new Set();
const acknowledgements = new EventEmitter();

async function killNodes() {
  while (!quiet) {
    await delay(KILL_EVERY_MS);
    if (options.aim) await Promise.race([once(acknowledgements, 'write'), delay(KILL_EVERY_MS)]);
    const alive = nodes.filter((node) => node.alive);
    // On a slow machine a node may take longer to start than another one to be killed.
    if (quiet || alive.length < 2) continue;
    const victim = alive[Math.floor(Math.random() * alive.length)];
    if (victim === undefined) continue;
    victim.kill();
    history.record('killed', { node: victim.pid ?? 0 });
    kills += 1;
    complaints.add(victim.complaints());
    addNode().then(
      () => nodes.splice(nodes.indexOf(victim), 1),
      (error) => tally.unfinished.push(`a node did not start: ${describe(error)}`),
    );
  }
}

async function restartRedis() {
  await delay(seconds * 500);
  if (quiet) return;
  history.record('Redis killed');
  await redis.restart();
  history.record('Redis back');
  restarts += 1;
}

async function writeNotes() {
  const writer = await persist(tally, () => openPeer('stateless', 'writer', balancer.url, () => ({})));
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  // The storm lasts for as long as somebody still has something to do, within reason.
  const isBusy = () => tally.through + tally.unfinished.length < clients && elapsed() < stormSeconds;
  while (elapsed() < seconds || isBusy()) {
    const write = /** @type {import('./cluster/tally.mjs').Write} */ ({
      startedAt: now(),
      attempts: 0,
    });
    tally.writes.push(write);
    const text = `note ${tally.writes.length}`;
    await persist(tally, () => {
      write.attempts += 1;
      history.record('sent');
      return writer.call('write_note', { text });
    });
    write.acknowledgedAt = now();
    history.record('acknowledged');
    acknowledgements.emit('write');
    await delay(WRITE_EVERY_MS);
  }
  await writer.close();
}

/** Resolves when it makes no sense to wait any longer. */
async function untilStalled() {
  let [steps, movedAt] = [tally.steps, performance.now()];
  while (performance.now() - movedAt < stallMs && performance.now() - started < giveUpMs) {
    await delay(1000, undefined, { ref: false });
    if (tally.steps === steps) continue;
    [steps, movedAt] = [tally.steps, performance.now()];
  }
}

const started = performance.now();
const killing = killNodes();
const restarting = restartRedis();
const lastWrite = writeNotes();
const lives = Array.from({ length: clients }, (_, number) => {
  const kind = number % 2 === 0 ? 'official' : number % 4 === 1 ? 'handshake' : 'stateless';
  return live({
    kind,
    number,
    url: balancer.url,
    rounds,
    spreadMs: seconds * 1000,
    tally,
    history,
    lastWrite,
  }).catch((error) => tally.unfinished.push(`${kind} ${number}: ${describe(error)}`));
});
await lastWrite;
// What is left to do is to finish; the storm is over.
quiet = true;
await Promise.race([Promise.all(lives), untilStalled()]);
const left = clients - tally.finished - tally.unfinished.length;
if (left > 0) tally.unfinished.push(`${left} clients did not finish`);
const elapsed = ((performance.now() - started) / 1000).toFixed(1);

await Promise.all([killing, restarting]);
const commands = /total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1] ?? '?';
const changes = tally.losses.length === 0 ? [] : await redis.changes();
await stop();

const resent = tally.writes.filter(({ attempts }) => attempts > 1).length;
console.log(`clients         ${tally.finished} of ${clients} finished in ${elapsed} s`);
const restarted = options['redis-cluster'] ? 'failovers of the Redis Cluster' : 'restarts of Redis';
console.log(`nodes           3, killed with -9 ${kills} times; ${restarts} ${restarted}`);
console.log(`connections     ${balancer.connections()}`);
console.log(
  `calls           ${tally.calls}, of which ${tally.retried} failed cleanly and were made again, ${tally.timedOut} timed out`,
);
console.log(`progress events ${tally.progress}; questions answered ${tally.questions}`);
console.log(
  `updates         ${tally.updates} of ${tally.writes.length} writes (${resent} sent more than once)`,
);
console.log(`Redis commands  ${commands} since its last start`);
for (const [what, list] of Object.entries({
  'wrong answers': tally.wrong,
  'lost events': tally.lost,
  'repeated events': tally.duplicated,
  'late clients': tally.late,
  'not finished': tally.unfinished,
})) {
  console.log(`${what.padEnd(15)} ${list.length}`);
  for (const line of list.slice(0, 10)) console.log(`  ${line}`);
}
for (const line of history.explain(tally.losses, tally.writes, changes))
  console.log(`first missing step  ${line}`);
if (!tally.ok) console.log(`The whole history is in ${history.directory}`);
history.close(!tally.ok);
const reasons = [...tally.reasons].sort((a, b) => b[1] - a[1]).slice(0, 12);
if (reasons.length > 0) console.log('why calls were made again:');
for (const [reason, times] of reasons) console.log(`  ${String(times).padStart(5)}  ${reason}`);
if (process.env.PLUMB_DEBUG) for (const text of complaints) console.log(text);
const verdict = tally.ok ? 'passed: nothing wrong, lost or repeated' : 'FAILED';
console.log(
  `${verdict}; ${kills} kills, ${restarts} ${restarted}, ${tally.writes.length} writes, ${elapsed} s`,
);
process.exit(tally.ok ? 0 : 1);
