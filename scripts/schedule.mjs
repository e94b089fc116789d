/** Runs the steps of `npm test` in their order, those that leave something of the machine idle side by side. */
import { availableParallelism } from 'node:os';

/** @typedef {import('./run.mjs').Outcome} Outcome */

/**
 * What a step takes of the machine while it runs: all of it, because it uses every core or is sensitive to what else
 * runs; most of it, so that something beside it fills its pauses; a core; or half a core, because it mostly waits for
 * the network or for other processes.
 *
 * @typedef {'all' | 'most' | 'core' | 'half'} Share
 */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} needs  steps that run before it even when only this one was asked for
 * @property {boolean} [despite]  runs even when what it needs failed
 * @property {Share} [takes]  Default: a core
 * @property {() => Outcome | Promise<Outcome>} run
 */

/** Half cores. */
const SLOTS = 2 * Math.min(4, Math.max(2, availableParallelism()));
/** @type {Readonly<Record<Share, number>>} */
const SLOTS_OF = { all: SLOTS, most: SLOTS - 1, core: 2, half: 1 };

/**
 * A step starts once the steps that it needs have ended and a slot is free, and never before one that comes earlier in
 * the list and waits for slots.
 *
 * @param {readonly Step[]} steps
 * @param {(step: Step, outcome: Outcome | { blockedBy: string }, milliseconds: number) => void} ended
 */
export async function runSteps(steps, ended) {
  const waiting = [...steps];
  /** @type {Map<string, Promise<void>>} */
  const running = new Map();
  /** @type {Set<string>} */
  const broken = new Set();
  let taken = 0;

  const start = (/** @type {Step} */ step) => {
    const slots = slotsOf(step);
    const started = performance.now();
    taken += slots;
    running.set(
      step.name,
      attempt(step).then((outcome) => {
        taken -= slots;
        running.delete(step.name);
        if (!outcome.ok) broken.add(step.name);
        ended(step, outcome, performance.now() - started);
      }),
    );
  };

  while (waiting.length > 0 || running.size > 0) {
    for (let index = 0; index < waiting.length; ) {
      const step = waiting[index];
      if (step === undefined) break;
      const pending = step.needs.some(
        (name) => running.has(name) || waiting.some((other) => other.name === name),
      );
      const blocker = step.needs.find((name) => broken.has(name));
      if (pending) index += 1;
      else if (blocker === 'install' || (blocker !== undefined && step.despite !== true)) {
        waiting.splice(index, 1);
        broken.add(step.name);
        ended(step, { blockedBy: blocker }, 0);
      } else if (taken + slotsOf(step) > SLOTS) break;
      else {
        waiting.splice(index, 1);
        start(step);
      }
    }
    await Promise.race(running.values());
  }
}

/** @param {Step} step */
function slotsOf({ takes = 'core' }) {
  return SLOTS_OF[takes];
}

/**
 * @param {Step} step
 * @returns {Promise<Outcome>}
 */
async function attempt(step) {
  try {
    return await step.run();
  } catch (error) {
    return { ok: false, output: String(error instanceof Error ? error.stack : error) };
  }
}
