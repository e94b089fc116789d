/**
 * What a suite is: cases, who takes part in each, and how a contender is opened and then measured again and again. The
 * limit and Plumb are open at the same time and take short turns, so that whatever the machine does meanwhile happens to
 * both of them: their ratio is formed between turns that came one after the other. They are started several times,
 * because where a process lies in memory makes it faster or slower for as long as it lives: two bare limits, measured
 * like this, were up to a fifth apart.
 *
 * @typedef {object} Metric
 * @property {string} id
 * @property {string} title
 * @property {string} unit
 * @property {number} [digits]
 * @property {boolean} [detail]  left out of the tables, kept in the JSON
 *
 * @typedef {object} Target
 * @property {string} metric
 * @property {string} title  as a reader would say it
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {{ case?: string, contender?: string }} [against]  a ratio to this, in the same turn; else the value itself
 *
 * @typedef {object} Case
 * @property {string} id
 * @property {string} title
 * @property {string[]} contenders
 * @property {Target[]} [targets]  what Plumb has to reach
 * @property {string} [chart]  the metric to draw, as a share of the limit
 * @property {string} [group]  cases of a group take turns with each other, because they are compared
 * @property {number} [rounds]  where one takes long
 * @property {number} [turns]  where one tells enough
 * @property {boolean} [alone]  the limit is told, and no share of it
 *
 * @typedef {object} Settings
 * @property {boolean} quick
 * @property {boolean} few  only some peers, for a run that has to be short
 * @property {number} rounds  how often a contender is started
 * @property {number} turns  how often it is measured each time
 * @property {number} warmMs
 * @property {number} windowMs  how long a turn is
 *
 * @typedef {Record<string, number>} Values
 *
 * A contender that runs.
 *
 * @typedef {object} Opened
 * @property {{ milliseconds: number, run: (milliseconds: number) => Promise<unknown> }} [warmUp]  how it gets warm
 * @property {() => Promise<unknown>} [begin]  called when it is
 * @property {() => Promise<Values>} turn
 * @property {() => Promise<unknown>} close
 *
 * @typedef {object} Suite
 * @property {string} id
 * @property {string} title
 * @property {string} about
 * @property {Metric[]} metrics
 * @property {boolean} [curve]  its cases are points of a curve, and are told in one table
 * @property {(settings: Settings) => Case[]} cases
 * @property {(contender: string, one: Case, settings: Settings) => Promise<Opened>} open
 */

/** @type {Settings} */
export const FULL = { quick: false, few: false, rounds: 3, turns: 8, warmMs: 2500, windowMs: 150 };
/** @type {Settings} */
export const QUICK = { quick: true, few: true, rounds: 1, turns: 2, warmMs: 150, windowMs: 80 };

/**
 * The limit, Plumb and a few peers.
 *
 * @param {Settings} settings
 * @param {string[]} contenders
 * @param {string[]} [peers]
 */
export function fewIn({ few }, contenders, peers = ['sdk-v2']) {
  return few ? contenders.filter((id) => ['limit', 'plumb', ...peers].includes(id)) : contenders;
}

/** Metrics of closed-loop load that several suites share. @type {Metric[]} */
export const LOAD_METRICS = [
  { id: 'perSecond', title: 'calls/s', unit: '/s', digits: 0 },
  { id: 'cpuUs', title: 'CPU per call', unit: 'µs', digits: 1 },
  { id: 'p50Ms', title: 'p50', unit: 'ms', digits: 2 },
  { id: 'p99Ms', title: 'p99', unit: 'ms', digits: 2 },
  { id: 'alone50Ms', title: 'p50 alone', unit: 'ms', digits: 3 },
  { id: 'alone99Ms', title: 'p99 alone', unit: 'ms', digits: 3 },
  { id: 'busy', title: 'busy', unit: '', digits: 2, detail: true },
  { id: 'loadBusy', title: 'load busy', unit: '', digits: 2, detail: true },
];

/** @typedef {import('./load/latencies.mjs').LoadResult} LoadResult */

/**
 * Each turn measures many at a time, and one at a time.
 *
 * @param {object} under
 * @param {(concurrency: number, milliseconds: number) => Promise<LoadResult>} under.run
 * @param {() => Promise<{ cpuUs: number }>} [under.usage]  of the process that is measured, unless that is the load itself
 * @param {(on: boolean) => Promise<unknown>} under.profile  of that process
 * @param {() => Promise<unknown>} under.stop
 * @param {number} concurrency
 * @param {Settings} settings
 * @returns {Promise<Opened>}
 */
export async function openLoad({ run, usage, profile, stop }, concurrency, { warmMs, windowMs }) {
  return {
    warmUp: { milliseconds: warmMs, run: (milliseconds) => run(concurrency, milliseconds) },
    begin: async () => {
      await run(1, warmMs / 10);
      await profile(true);
    },
    turn: async () => {
      // Since its last turn its connections were idle and its caches lost to others.
      await run(concurrency, windowMs / 5);
      const before = await usage?.();
      const many = await run(concurrency, windowMs);
      const after = await usage?.();
      const usedUs =
        before === undefined || after === undefined ? many.loadCpuUs : after.cpuUs - before.cpuUs;
      const alone = await run(1, windowMs / 2);
      return {
        perSecond: many.perSecond,
        cpuUs: usedUs / many.calls,
        p50Ms: many.p50Ms,
        p99Ms: many.p99Ms,
        alone50Ms: alone.p50Ms,
        alone99Ms: alone.p99Ms,
        busy: usedUs / many.wallMs / 1000,
        loadBusy: many.loadCpuUs / many.wallMs / 1000,
      };
    },
    close: async () => {
      await profile(false);
      await stop();
    },
  };
}

/**
 * Stops what was started for a contender that then could not be opened.
 *
 * @template T
 * @param {() => Promise<unknown>} stop
 * @param {() => Promise<T>} open
 * @returns {Promise<T>}
 */
export async function orStop(stop, open) {
  try {
    return await open();
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * For what is measured from its start to its end: nothing stays open between two turns.
 *
 * @param {() => Promise<Values>} measure
 * @returns {Promise<Opened>}
 */
export async function eachTime(measure) {
  return { turn: measure, close: async () => {} };
}

/**
 * @param {ReturnType<typeof import('./processes.mjs').startModule>} load
 * @param {import('./wire/requests.mjs').Work[]} works
 * @returns {(concurrency: number, milliseconds: number) => Promise<LoadResult>}
 */
export function runWith(load, works) {
  return (concurrency, milliseconds) => load.ask('run', { works, concurrency, milliseconds });
}

/**
 * Starts and ends the profile of a process, where profiles are wanted.
 *
 * @param {ReturnType<typeof import('./processes.mjs').startModule>} module
 * @returns {(on: boolean) => Promise<unknown>}
 */
export function profileOf(module) {
  return (on) => module.ask('profile', { on });
}
