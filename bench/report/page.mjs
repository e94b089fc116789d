/** The page of a complete run: what was measured, how, what came out, and where the rest of the time goes. */
import { contender as find } from '../contenders/index.mjs';
import { ratio, stolenShare } from '../results.mjs';
import { caseTables, countVerdicts, toMarkdown, verdictTable } from './tables.mjs';

/**
 * What a run leaves in its JSON.
 *
 * @typedef {object} Run
 * @property {string} date
 * @property {string} commit
 * @property {import('../suite.mjs').Settings} settings
 * @property {number} seconds
 * @property {ReturnType<typeof import('../machine.mjs').describeMachine>} machine
 * @property {Record<string, string>} versions  of the contenders, by id
 * @property {import('../results.mjs').Measured} measured
 * @property {import('../results.mjs').Verdict[]} verdicts
 * @property {import('../measure.mjs').Failure[]} failures
 */

/** @typedef {import('../suite.mjs').Suite} Suite */

/**
 * @param {Run} run
 * @param {readonly Suite[]} suites
 * @returns {import('./chart.mjs').Group[]}
 */
export function chartGroups({ measured, settings }, suites) {
  return suites.flatMap((suite) =>
    suite.cases(settings).flatMap((one) => {
      const { chart } = one;
      if (chart === undefined) return [];
      const bars = one.contenders
        .filter((id) => id !== 'limit')
        .flatMap((contender) => {
          const of = { suite: suite.id, case: one.id, contender, metric: chart };
          const share = ratio(measured, of);
          return share === undefined
            ? []
            : [{ title: find(contender).title, share, ours: contender === 'plumb' }];
        });
      const target = one.targets?.find(
        ({ metric, against }) => metric === chart && against !== undefined,
      )?.atLeast;
      return bars.length === 0 ? [] : [{ title: one.title, target, bars }];
    }),
  );
}

/**
 * @param {Run} run
 * @param {readonly Suite[]} suites
 * @param {{ chart: string, notes: string }} parts  the file of the chart, and the text on where the time goes
 */
export function renderPage(run, suites, { chart, notes }) {
  const { settings, versions, verdicts, failures } = run;
  return `${[
    '# Benchmarks',
    'Written by `npm run bench`; a run leaves its numbers in `bench/results/full.json`, which is not committed. Do not edit by hand.',
    `All contenders are measured in one run. The bare limit and Plumb are open at the same time and take turns of a fraction of a second: ${settings.turns} turns in each of ${settings.rounds} rounds with fresh processes, fewer where a turn takes long; then the peers follow, one by one, with fewer turns. We report medians; the range is in parentheses. A ratio compares the sums over turns that follow each other, for peers those of the same round. Only the calmer half of the turns counts, in which the host took the least time from the machine. Compare ratios, not absolute numbers: machines differ, and the speed of a shared one changes from second to second.`,
    `![Share of the bare limit, by contender; dashed: the target for Plumb](${chart})`,
    `## ${countVerdicts(verdicts)}`,
    toMarkdown(verdictTable(verdicts)),
    ...suites.flatMap((suite) => renderSuite(run, suite)),
    notes.trim(),
    '## How it is measured',
    howTo(run),
    toMarkdown({
      title: '',
      head: ['contender', 'version'],
      rows: Object.entries(versions).map(([id, version]) => [find(id).title, version]),
    }),
    ...(failures.length === 0 ? [] : ['### What failed', failures.map(describeFailure).join('\n')]),
  ].join('\n\n')}\n`;
}

/**
 * @param {Run} run
 * @param {Suite} suite
 */
function renderSuite({ measured, settings }, suite) {
  const tables = caseTables(measured, suite, settings, { spread: true });
  if (tables.length === 0) return [];
  const title = suite.title[0]?.toUpperCase() + suite.title.slice(1);
  const parts = tables.flatMap((table) => [`### ${table.title}`, toMarkdown(table)]);
  return [`## ${title}`, suite.about, ...parts];
}

/** @param {import('../measure.mjs').Failure} failure */
function describeFailure({ suite, case: one, contender, message }) {
  return `- ${suite}, ${one}, ${find(contender).title}: ${message.split('\n')[0]}`;
}

/** @param {Run} run */
function howTo({ machine, date, seconds, settings: { warmMs }, measured }) {
  const { node, system, processor, cores, memoryGb, pinned } = machine;
  const stolen = stolenShare(measured);
  const percent = (/** @type {number} */ share) => `${Math.round(share * 100)} %`;
  return [
    `- Measured on ${date.slice(0, 10)}: Node ${node}, ${system}, ${processor}, ${cores} cores, ${memoryGb} GB; the run took ${seconds} s.`,
    ...(stolen === undefined
      ? []
      : [
          `- Meanwhile the host took ${percent(stolen.median)} of the machine's time in the median of the turns, and up to ${percent(stolen.max)}.`,
        ]),
    pinned
      ? '- What is measured has a core for itself; the load and everything else share another one.'
      : '- Processes could not be pinned to cores here.',
    '- The load is a process of its own on `node:net` with prepared bytes. It uses about half of what the fastest server does, so that the server is what is measured; `busy` and `loadBusy` in the JSON show it.',
    '- Every server has the same tools. The echo tool has a schema of three properties; contenders that accept wrong arguments are excluded, and answers are checked while measuring.',
    '- Plumb runs on its defaults: arguments validated, Host and Origin checked, limits on. The limit checks nothing.',
    '- Peers run as their documentation shows, with JSON instead of streams where they have an option for it, and with schemas that are made once.',
    `- Each process is warmed up for ${warmMs / 1000} s, a proxy for twice as long, and by a short run before each turn.`,
    '- A target that is a time is out of reach on this machine when the bare limit misses it too, or when the limit would miss it at the share of its calls/s that is another target: the same number of concurrent calls then takes proportionally longer.',
    '- Run `npm run bench -- --help` to run parts of it.',
  ].join('\n');
}
