/** The table, and below it everything that somebody has to look at. */

/** @typedef {import('./row-run.mjs').RowResult} RowResult */
/** @typedef {import('./plan.mjs').Row} Row */
/** @typedef {import('./judge.mjs').Finding} Finding */

const COLUMNS = /** @type {const} */ ([
  ['suite', 14],
  ['revision', 10],
  ['side', 6],
  ['speaks', 16],
  ['passed', 6],
  ['failed', 6],
  ['warnings', 8],
  ['not run', 7],
]);

/** Messages of the suite can hold whole JSON documents. */
const LONGEST_MESSAGE = 1_500;
/** Of one scenario; those after it mostly follow from the first. */
const MOST_FINDINGS = 5;

/** @param {readonly (string | number)[]} cells */
function line(cells) {
  return cells
    .map((cell, index) => {
      const width = COLUMNS[index]?.[1] ?? 0;
      return typeof cell === 'number' ? String(cell).padStart(width) : cell.padEnd(width);
    })
    .join('  ')
    .trimEnd();
}

export function tableHead() {
  return `${line(COLUMNS.map(([name]) => name))}\n${line(COLUMNS.map(([, width]) => '-'.repeat(width)))}`;
}

/** @param {RowResult} result */
export function tableRow({ row, verdicts }) {
  const failed = verdicts.filter(({ failures }) => failures.length > 0).length;
  const warned = verdicts.filter(
    ({ failures, warnings }) => failures.length === 0 && warnings.length > 0,
  ).length;
  const passed = verdicts.length - failed - warned;
  const { suite, revision, side, speaks, leftOut } = row;
  return line([suite.version, revision, side, speaks, passed, failed, warned, leftOut.length]);
}

/** @param {RowResult[]} results */
export function details(results) {
  return [
    section('Failing', findings(results, 'failures')),
    section('Warnings', findings(results, 'warnings')),
    section('Errors of the suite', excused(results)),
    section('Not run', notRun(results)),
  ].join('');
}

/**
 * @param {string} title
 * @param {string[]} lines
 */
function section(title, lines) {
  return lines.length === 0 ? '' : `\n${title}\n${lines.map((text) => `  ${text}\n`).join('')}`;
}

/**
 * @param {RowResult[]} results
 * @param {'failures' | 'warnings'} kind
 */
function findings(results, kind) {
  return results.flatMap(({ row, verdicts }) =>
    verdicts.flatMap((verdict) => {
      const found = verdict[kind];
      const name = `${nameOf(row)} ${verdict.scenario}`;
      const shown = found
        .slice(0, MOST_FINDINGS)
        .map(({ check, message }) => `${name} [${check}] ${indented(message)}`);
      return found.length > MOST_FINDINGS
        ? [...shown, `${name}: ${found.length - MOST_FINDINGS} more`]
        : shown;
    }),
  );
}

/** @param {RowResult[]} results */
function excused(results) {
  return results.flatMap(({ row, excused: errors }) =>
    errors.map(
      ({ scenario, check, reason, section: url }) =>
        `${nameOf(row)} ${scenario} [${check}] ${reason} (${url})`,
    ),
  );
}

/** @param {RowResult[]} results */
function notRun(results) {
  /** @type {Map<string, Set<string>>} */
  const byReason = new Map();
  for (const { scenario, reason } of results.flatMap(({ row }) => row.leftOut)) {
    byReason.set(reason, (byReason.get(reason) ?? new Set()).add(scenario));
  }
  return [...byReason].map(([reason, names]) => `${reason}: ${[...names].join(', ')}`);
}

/** @param {Row} row */
export function nameOf({ suite, revision, side, speaks }) {
  return `${suite.version} ${revision} ${side} (${speaks})`;
}

/** @param {string} message */
function indented(message) {
  const text = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)} ...` : message;
  return text.replaceAll('\n', '\n    ');
}
