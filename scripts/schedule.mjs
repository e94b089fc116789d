/** Runs the steps of `npm test` in their order, those that leave a core idle side by side. */
import { availableParallelism } from 'node:os';

/** @typedef {import('./run.mjs').Outcome} Outcome */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} needs  steps that run before it even when only this one was asked for
 * @property {boolean} [despite]  runs even when what it needs failed
 * @property {boolean} [alone]  uses all cores, or is sensitive to what else runs
 * @property {() => Outcome | Promise<Outcome>} run
 */

const SLOTS = Math.min(4, Math.max(2, availableParallelism()));

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
function slotsOf({ alone }) {
  return alone === true ? SLOTS : 1;
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
