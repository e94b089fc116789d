/**
 * Where the suite itself is wrong: checks that a correct implementation fails. Each needs the section of the
 * specification that says so. A run fails on an entry that no longer happens.
 *
 * @typedef {object} SuiteError
 * @property {string} suite  the suite's version
 * @property {import('./suites.mjs').Side} side
 * @property {string} scenario
 * @property {string} check  the id of the failing check
 * @property {string} reason
 * @property {string} section  a URL into the specification
 */

/** @type {SuiteError[]} */
export const suiteErrors = [];
