/** One client's life: connect, subscribe, call in every way, check every answer, leave. */
import { setTimeout as delay } from 'node:timers/promises';
import { now } from './history.mjs';
import { openPeer } from './peers.mjs';
import { describe } from './tally.mjs';

/** @typedef {import('./tally.mjs').Tally} Tally */
/** @typedef {import('./peers.mjs').Peer} Peer */

const STEPS = 5;
const MAX_ATTEMPTS = 25;
/** For the last updates, once nothing more is written. */
const UPDATES_WITHIN_MS = 20_000;
const LOST_AFTER_MS = 80_000;

/**
 * @typedef {object} Life
 * @property {import('./peers.mjs').Kind} kind
 * @property {number} number
 * @property {string} url
 * @property {number} rounds
 * @property {number} spreadMs  over how long the rounds are spread
 * @property {Tally} tally
 * @property {import('./history.mjs').History} history
 * @property {Promise<void>} lastWrite  resolves when nothing more is written
 */

/** @param {Life} life */
export async function live(life) {
  const { kind, number, url, rounds, spreadMs, tally, history } = life;
  const name = `${kind} ${number}`;
  /** @type {Record<string, string | number>} */
  let form = {};
  await delay((Math.random() * spreadMs) / (rounds + 1));
  const connectingAt = now();
  /** @type {Peer} */
  const peer = await persist(tally, () => openPeer(kind, name, url, () => form));
  let updates = 0;
  await persist(tally, () =>
    peer.subscribe(() => {
      updates += 1;
      tally.updates += 1;
      history.record('update', { client: name });
    }),
  );
  const subscribedAt = now();
  for (let round = 1; round <= rounds; round += 1) {
    await delay(((0.5 + Math.random()) * spreadMs) / (rounds + 1));
    const message = `${name} says ${round}`;
    const echoed = await persist(tally, () => peer.call('echo', { message }));
    if (echoed !== message) tally.wrong.push(`${name}: echo ${message} gave ${echoed}`);

    await count(peer, name, tally);

    form = { name, email: `c${number}.r${round}@example.com`, guests: 1 + (round % 9) };
    const answered = await persist(tally, () => peer.call('ask_form', {}));
    tally.questions += 1;
    const content = JSON.parse(answered.slice(answered.indexOf('{')));
    if (content.name !== name || content.email !== `c${number}.r${round}@example.com`)
      tally.wrong.push(`${name}: the form gave ${answered}`);
  }
  tally.through += 1;
  await life.lastWrite;
  if (peer.resumes) await checkUpdates(tally, peer, { name, connectingAt, subscribedAt }, () => updates);
  const note = await persist(tally, () => peer.read());
  const last = `note ${tally.writes.length}`;
  if (note !== last) tally.wrong.push(`${name}: read "${note}" instead of "${last}"`);
  await peer.close().catch(() => undefined);
  tally.finished += 1;
}

/**
 * Every step that was told must be told once, in order, over however many nodes.
 *
 * @param {Peer} peer
 * @param {string} name
 * @param {Tally} tally
 */
async function count(peer, name, tally) {
  /** @type {number[]} */
  let steps = [];
  const counted = await persist(tally, () => {
    const own = /** @type {number[]} */ ([]);
    steps = own;
    return peer.call('count', { to: STEPS, delayMs: 100 }, (step) => own.push(step));
  });
  if (counted !== `Counted to ${STEPS}.`) tally.wrong.push(`${name}: count gave ${counted}`);
  tally.progress += steps.length;
  const expected = Array.from({ length: STEPS }, (_, index) => index + 1);
  const missing = expected.filter((step) => !steps.includes(step));
  if (missing.length > 0) tally.lost.push(`${name}: progress ${steps.join(',')}`);
  else if (steps.join() !== expected.join()) tally.duplicated.push(`${name}: progress ${steps.join(',')}`);
}

/**
 * @param {Tally} tally
 * @param {Peer} peer
 * @param {{ name: string, connectingAt: number, subscribedAt: number }} client
 * @param {() => number} updates
 */
async function checkUpdates(tally, peer, { name, connectingAt, subscribedAt }, updates) {
  const { least, most } = tally.expected(connectingAt, subscribedAt);
  const started = performance.now();
  while (updates() < least && performance.now() - started < UPDATES_WITHIN_MS) await delay(100);
  // What still comes is not lost; on a machine that has other things to do, it may be late.
  const isLate = updates() < least;
  while (updates() < least && performance.now() - started < LOST_AFTER_MS) await delay(100);
  if (isLate && updates() >= least)
    tally.late.push(`${name}: after ${((performance.now() - started) / 1000).toFixed(0)} s`);
  if (updates() < least) {
    tally.lost.push(`${name}: ${updates()} updates of ${least}; ${peer.troubles.slice(-3).join(' | ')}`);
    tally.losses.push({ client: name, subscribedAt });
  }
  if (updates() > most + peer.renewals())
    tally.duplicated.push(`${name}: ${updates()} updates, and at most ${most} were made`);
}

/**
 * Makes a call again for as long as it fails cleanly.
 *
 * @template T
 * @param {Tally} tally
 * @param {() => Promise<T>} attempt
 * @returns {Promise<T>}
 */
export async function persist(tally, attempt) {
  for (let left = MAX_ATTEMPTS; ; left -= 1) {
    try {
      tally.calls += 1;
      return await attempt();
    } catch (error) {
      if (left === 0) throw error;
      tally.reason(error);
      if (/timed out|not answered within/i.test(describe(error))) tally.timedOut += 1;
      else tally.retried += 1;
      await delay(100 + Math.random() * 400);
    }
  }
}
