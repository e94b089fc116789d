/** Runs suites: round by round, everyone in fresh processes, and then turn by turn. */
import { availableParallelism } from 'node:os';
import { stolenMs } from './machine.mjs';

/** @typedef {import('./suite.mjs').Suite} Suite */
/** @typedef {import('./suite.mjs').Case} Case */
/** @typedef {import('./suite.mjs').Settings} Settings */
/** @typedef {{ suite: string, case: string, contender: string, message: string }} Failure */
/** @typedef {{ one: Case, contender: string, opened: import('./suite.mjs').Opened }} Entrant */

/** Peers are far from the limit: fewer turns and rounds tell where they are. */
const PEER_SHARE = 0.4;
const PEER_ROUNDS = 1;

/** For how long those that get warm do so before it is the next one's turn. */
const WARMING_MS = 250;

/**
 * @param {Suite} suite
 * @param {Settings} settings
 * @param {(contender: string) => boolean} isWanted
 * @param {(line: string) => void} tell
 */
export async function measureSuite(suite, settings, isWanted, tell) {
  /** @type {import('./results.mjs').Measured[string]} */
  const measured = {};
  /** @type {Failure[]} */
  const failures = [];
  /** @type {(one: Case, contender: string, error: unknown) => void} */
  const failed = (one, contender, error) => {
    const message = error instanceof Error ? error.message : String(error);
    failures.push({ suite: suite.id, case: one.id, contender, message });
    record(measured, one.id, contender, 0, {});
  };
  for (let round = 0; round < settings.rounds; round += 1) {
    for (const [group, cases] of groupsOf(suite.cases(settings))) {
      const { rounds = settings.rounds, turns = settings.turns } = cases[0] ?? {};
      if (round >= rounds) continue;
      const started = performance.now();
      const takeTurns = async (/** @type {Entrant[]} */ entrants, /** @type {number} */ count) => {
        for (let turn = 0; turn < count; turn += 1) {
          for (const { one, contender, opened } of entrants) {
            try {
              record(measured, one.id, contender, round * turns + turn, await takeTurn(opened));
            } catch (error) {
              failed(one, contender, error);
            }
          }
        }
        for (const { opened } of entrants) await opened.close();
      };
      const wanted = cases.flatMap((one) =>
        one.contenders.filter(isWanted).map((contender) => ({ one, contender })),
      );
      const open = async (/** @type {typeof wanted} */ those) =>
        warmUp(await openAll(suite, those, settings, failed), failed);
      const near = wanted.filter(({ contender }) => isNear(contender));
      // Whatever there is to be gained by coming second.
      if (round % 2 === 1) near.reverse();
      await takeTurns(await open(near), turns);
      const peers = wanted.filter(({ contender }) => !isNear(contender));
      for (const peer of round < PEER_ROUNDS ? peers : []) {
        await takeTurns(await open([peer]), Math.ceil(turns * PEER_SHARE));
      }
      const seconds = ((performance.now() - started) / 1000).toFixed(1);
      tell(`${suite.id} ${group}: round ${round + 1} of ${rounds}, ${seconds} s`);
    }
  }
  return { measured, failures };
}

/**
 * What a turn measured, and what the host of this machine took from it meanwhile.
 *
 * @param {import('./suite.mjs').Opened} opened
 * @returns {Promise<import('./suite.mjs').Values>}
 */
async function takeTurn(opened) {
  const [started, stolen] = [performance.now(), stolenMs()];
  const values = await opened.turn();
  const available = (performance.now() - started) * availableParallelism();
  return { ...values, stolen: (stolenMs() - stolen) / available };
}

/**
 * Those that are compared closely, and therefore take turns with each other and with nobody else: what has been idle
 * for seconds is slow for a while, and the more so the larger it is.
 *
 * @param {string} contender
 */
function isNear(contender) {
  return contender === 'limit' || contender.startsWith('plumb');
}

/** @param {Case[]} cases */
function groupsOf(cases) {
  /** @type {Map<string, Case[]>} */
  const groups = new Map();
  for (const one of cases) {
    const name = one.group ?? one.id;
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

/**
 * @param {Suite} suite
 * @param {{ one: Case, contender: string }[]} wanted
 * @param {Settings} settings
 * @param {(one: Case, contender: string, error: unknown) => void} failed
 */
async function openAll(suite, wanted, settings, failed) {
  /** @type {Entrant[]} */
  const entrants = [];
  for (const { one, contender } of wanted) {
    try {
      entrants.push({ one, contender, opened: await suite.open(contender, one, settings) });
    } catch (error) {
      failed(one, contender, error);
    }
  }
  return entrants;
}

/**
 * Warms all of them up, a little at a time each: one that waited until the others are warm would be cold again. On a
 * machine that reclaims what is not used, that takes seconds of work to undo.
 *
 * @param {Entrant[]} entrants
 * @param {(one: Case, contender: string, error: unknown) => void} failed
 */
async function warmUp(entrants, failed) {
  const warm = new Set(entrants);
  const attempt = async (/** @type {Entrant} */ entrant, /** @type {() => unknown} */ work) => {
    try {
      await work();
    } catch (error) {
      failed(entrant.one, entrant.contender, error);
      warm.delete(entrant);
      await entrant.opened.close();
    }
  };
  const longest = Math.max(0, ...entrants.map(({ opened }) => opened.warmUp?.milliseconds ?? 0));
  for (let done = 0; done < longest; done += WARMING_MS) {
    for (const entrant of warm) {
      const { milliseconds = 0, run } = entrant.opened.warmUp ?? {};
      const left = Math.min(milliseconds - done, WARMING_MS);
      if (left > 0) await attempt(entrant, () => run?.(left));
    }
  }
  for (const entrant of warm) await attempt(entrant, () => entrant.opened.begin?.());
  return [...warm];
}

/**
 * @param {import('./results.mjs').Measured[string]} measured
 * @param {string} one
 * @param {string} contender
 * @param {number} turn
 * @param {import('./suite.mjs').Values} values
 */
function record(measured, one, contender, turn, values) {
  measured[one] ??= {};
  const cases = measured[one];
  cases[contender] ??= {};
  const series = cases[contender];
  for (const [metric, value] of Object.entries(values)) {
    series[metric] ??= [];
    // A turn that failed leaves a gap, so that the others still meet their neighbours.
    series[metric][turn] = value;
  }
}
