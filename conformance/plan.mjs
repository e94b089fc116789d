/** What is run: a row of the table for each suite, side and revision, and what of it is left out and why. */

import { HANDSHAKE, NEWEST, upTo } from './revisions.mjs';

/** @typedef {import('./suites.mjs').Suite} Suite */
/** @typedef {import('./suites.mjs').Side} Side */
/** @typedef {import('./suites.mjs').Scenario} Scenario */
/** @typedef {{ scenario: string, reason: string }} LeftOut */

/**
 * @typedef {object} Row
 * @property {Suite} suite
 * @property {Side} side
 * @property {string} revision
 * @property {string} speaks  which revisions the side under test speaks, in words
 * @property {readonly string[]} [revisions]  the same for the server; all of them unless given
 * @property {string} specVersion  the suite's own name for the revision, or for the nearest that it knows
 * @property {boolean} forced  holds scenarios that the suite has for later revisions only
 * @property {boolean} quick  is in the quick selection
 * @property {string[]} scenarios
 * @property {LeftOut[]} leftOut
 */

export const EXTENSION = 'extension';
const EVERY_REVISION = 'every revision';

/** The oldest revision that the suite has a full set of scenarios for. */
const FULL_SET = '2025-06-18';

/** What the suite tests from 2025-06-18 on, and what older revisions of it have not. */
const LATER_THAN = new Map([
  ['2025-03-26', new Map([['tools-call-elicitation', 'elicitation came with 2025-06-18']])],
  [
    '2024-11-05',
    new Map([
      ['tools-call-elicitation', 'elicitation came with 2025-06-18'],
      ['tools-call-audio', 'audio content came with 2025-03-26'],
      ['server-session-lifecycle', 'sessions came with 2025-03-26'],
    ]),
  ],
]);

/** Tasks and skills, by the prefix of their scenarios: the suite skips what is not declared. */
const DECLARED = ['tasks-', 'sep-2640-'];
/** Extensions that are tested. */
const TESTED = ['auth/', ...DECLARED];

/** Whether a check of this scenario that was skipped has not shown what it should. @param {string} scenario */
export function mustNotSkip(scenario) {
  return DECLARED.some((prefix) => scenario.startsWith(prefix));
}

/**
 * @param {Suite} suite
 * @param {Scenario[]} scenarios
 * @returns {Row[]}
 */
export function planRows(suite, scenarios) {
  const server = scenarios.filter(({ side }) => side === 'server');
  const client = scenarios.filter(({ side }) => side === 'client');
  return [...serverRows(suite, server), ...clientRows(suite, client)].filter(
    (row) => row.scenarios.length + row.leftOut.length > 0,
  );
}

/**
 * @param {Suite} suite
 * @param {Scenario[]} all
 * @returns {Row[]}
 */
function serverRows(suite, all) {
  /** @type {Pick<Row, 'suite' | 'side' | 'forced' | 'leftOut'>} */
  const plain = { suite, side: 'server', forced: false, leftOut: [] };
  const everything = [...HANDSHAKE, NEWEST].map((revision) => ({
    ...plain,
    revision,
    speaks: EVERY_REVISION,
    specVersion: revision,
    quick: revision === NEWEST || revision === HANDSHAKE.at(-1),
    scenarios: applicable(all, revision),
  }));
  // The suite proposes the newest revision with a handshake whatever it is asked for; only a server that does
  // not speak that one makes it use another.
  const older = HANDSHAKE.map((revision, index) => {
    const later = LATER_THAN.get(revision) ?? new Map();
    const candidates = [...new Set([...applicable(all, revision), ...fullSet(all, revision)])];
    return {
      ...plain,
      revision,
      speaks: capped(revision),
      revisions: upTo(revision),
      specVersion: index === 0 ? (HANDSHAKE[1] ?? '') : revision,
      forced: later.size > 0,
      quick: suite.choosesWire && index < HANDSHAKE.length - 1,
      scenarios: candidates.filter((name) => !later.has(name)),
      leftOut: candidates
        .filter((name) => later.has(name))
        .map((scenario) => ({ scenario, reason: later.get(scenario) ?? '' })),
    };
  });
  const stateless = {
    ...plain,
    revision: NEWEST,
    speaks: capped(NEWEST),
    revisions: [NEWEST],
    specVersion: NEWEST,
    quick: false,
    scenarios: applicable(all, NEWEST),
  };
  return [...everything, ...older, stateless, extensionRow(suite, 'server', all)];
}

/**
 * @param {Suite} suite
 * @param {Scenario[]} all
 * @returns {Row[]}
 */
function clientRows(suite, all) {
  const rows = [...HANDSHAKE, NEWEST, 'draft'].flatMap((revision) => {
    const names = applicable(all, revision);
    const forced = suite.choosesWire && revision === '2025-03-26' ? ['tools_call'] : [];
    const scenarios = [...names, ...forced];
    const row = {
      suite,
      side: /** @type {const} */ ('client'),
      revision,
      specVersion: revision,
      forced: forced.length > 0,
      scenarios,
    };
    const recent = revision === NEWEST || revision === HANDSHAKE.at(-1);
    const first = {
      ...row,
      speaks: scenarios.length === 0 ? '' : capped(revision),
      quick: !(suite.choosesWire && recent),
      leftOut: [],
    };
    // The way users have it: the client finds out what the server speaks.
    return [first, { ...row, speaks: EVERY_REVISION, quick: suite.choosesWire && recent, leftOut: [] }];
  });
  return [...rows, extensionRow(suite, 'client', all)];
}

/**
 * @param {Suite} suite
 * @param {Side} side
 * @param {Scenario[]} all
 * @returns {Row}
 */
function extensionRow(suite, side, all) {
  const names = applicable(all, EXTENSION);
  const scenarios = names.filter((name) => TESTED.some((prefix) => name.startsWith(prefix)));
  return {
    suite,
    side,
    revision: EXTENSION,
    speaks: scenarios.length === 0 ? '' : EVERY_REVISION,
    specVersion: EXTENSION,
    forced: false,
    quick: true,
    scenarios,
    leftOut: names.filter((name) => !scenarios.includes(name)).map(leftOut),
  };
}

/**
 * @param {Scenario[]} scenarios
 * @param {string} revision
 */
function applicable(scenarios, revision) {
  return scenarios.filter(({ revisions }) => revisions.includes(revision)).map(({ name }) => name);
}

/**
 * @param {Scenario[]} scenarios
 * @param {string} revision
 */
function fullSet(scenarios, revision) {
  return revision < FULL_SET ? applicable(scenarios, FULL_SET) : [];
}

/** @param {string} revision */
function capped(revision) {
  if (revision === NEWEST) return `only ${revision}`;
  return `up to ${HANDSHAKE.includes(revision) ? revision : HANDSHAKE.at(-1)}`;
}

/**
 * @param {string} scenario
 * @returns {LeftOut}
 */
function leftOut(scenario) {
  return { scenario, reason: 'an extension' };
}
