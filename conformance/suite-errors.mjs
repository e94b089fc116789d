/**
 * Where the suite itself is wrong: checks that a correct implementation fails, or that the suite never makes though
 * it lists them. Each needs the section of the specification that says so. A run fails on an entry that no longer
 * happens.
 *
 * @typedef {object} SuiteError
 * @property {string} suite  the suite's version
 * @property {import('./suites.mjs').Side} side
 * @property {string} scenario
 * @property {string} check  the id of the check that fails or is skipped
 * @property {string} reason
 * @property {string} section  a URL into the specification
 */

/** @type {SuiteError[]} */
export const suiteErrors = [
  {
    suite: '0.2.0-alpha.12',
    side: 'server',
    scenario: 'tasks-status-notifications',
    check: 'tasks-status-notifications',
    reason:
      'Skipped for every server: the suite does not look at the stream of subscriptions/listen yet, which has these notifications.',
    section: 'https://modelcontextprotocol.io/seps/2663-tasks-extension',
  },
];
