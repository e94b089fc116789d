import { parseArgs } from 'node:util';
import { CONTENDER_IDS } from './contenders/index.mjs';
import { FULL, QUICK } from './suite.mjs';
import { SUITES } from './suites/index.mjs';

export const HELP = `npm run bench -- [options]

Measures Plumb beside its peers and beside the bare limit of the machine, all in one run and in turns, prints tables
and which targets were met, and writes bench/results/partial.json. A complete run (no options) writes
bench/results/full.json, docs/benchmarks.md and its chart instead, and takes about 20 minutes.

  --quick              one short round of everything with fewer peers, in less than 90 seconds on a quiet machine
  --only SUITES        only these, separated by commas:
${SUITES.map(({ id, title }) => `                         ${id.padEnd(12)} ${title}`).join('\n')}
  --contenders NAMES   only these, separated by commas: ${CONTENDER_IDS.join(', ')}
  --rounds N           how often each contender is started and measured (${FULL.rounds}, quick ${QUICK.rounds})
  --window MS          how long each is measured at a time (${FULL.windowMs}, quick ${QUICK.windowMs})
  --dist DIRECTORY     measures this build of Plumb instead of building dist/; it has to be inside the repository
  --profile DIRECTORY  keeps CPU profiles of what http, stdio, client and store measure, and tells where the time went
                       (slower; not for comparing)
  --render             writes docs/benchmarks.md again from the last complete run, and measures nothing
  --help               this text

Exits with 0 when every target that was measured is met, 1 when one is missed or Plumb failed, 2 on wrong usage.
With --quick missed targets are told and do not count: short windows are for finding out where to look.
Ctrl-C ends the bench and everything it has started.
`;

/** What the user has to change. */
export class UsageError extends Error {}

/**
 * @typedef {object} Options
 * @property {boolean} help
 * @property {boolean} render
 * @property {boolean} isComplete  everything, at full length, of our own build: fit for the page
 * @property {string | undefined} dist  a build to measure instead of our own
 * @property {string | undefined} profile  where CPU profiles are kept
 * @property {import('./suite.mjs').Suite[]} suites
 * @property {string[] | undefined} contenders  all unless given
 * @property {import('./suite.mjs').Settings} settings
 */

/**
 * @param {string[]} args
 * @returns {Options}  throws a UsageError
 */
export function parseOptions(args) {
  const values = parse(args);
  const base = values.quick ? QUICK : FULL;
  const isComplete =
    !values.quick &&
    [values.only, values.contenders, values.rounds, values.window, values.dist, values.profile].every(
      (given) => given === undefined,
    );
  return {
    isComplete,
    help: values.help,
    render: values.render,
    dist: values.dist,
    profile: values.profile,
    suites: chosen(values.only, SUITES),
    contenders: values.contenders === undefined ? undefined : named(values.contenders, CONTENDER_IDS),
    settings: {
      ...base,
      // Who names contenders gets them.
      few: base.few && values.contenders === undefined,
      rounds: positive('--rounds', values.rounds) ?? base.rounds,
      windowMs: positive('--window', values.window) ?? base.windowMs,
    },
  };
}

/** @param {string[]} args */
function parse(args) {
  try {
    return parseArgs({
      args,
      options: {
        quick: { type: 'boolean', default: false },
        only: { type: 'string' },
        contenders: { type: 'string' },
        rounds: { type: 'string' },
        window: { type: 'string' },
        dist: { type: 'string' },
        profile: { type: 'string' },
        render: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * @template {{ id: string }} T
 * @param {string | undefined} list
 * @param {readonly T[]} all
 * @returns {T[]}
 */
function chosen(list, all) {
  if (list === undefined) return [...all];
  const ids = named(
    list,
    all.map(({ id }) => id),
  );
  return all.filter(({ id }) => ids.includes(id));
}

/**
 * @param {string} list
 * @param {readonly string[]} known
 */
function named(list, known) {
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new UsageError(`No ${unknown.join(', ')}; there are ${known.join(', ')}`);
  return names;
}

/**
 * @param {string} option
 * @param {string | undefined} text
 */
function positive(option, text) {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1) throw new UsageError(`${option} takes a whole number above 0`);
  return number;
}
