/** Results as rows of text, for the terminal and for the page alike. */
import { contender as find } from '../contenders/index.mjs';
import { ratio, value } from '../results.mjs';
import { format, formatSpread } from './numbers.mjs';

/** @typedef {{ title: string, head: string[], rows: string[][] }} Table */
/** @typedef {import('../results.mjs').Measured} Measured */

/**
 * One table for each case: contenders down, metrics across.
 *
 * @param {Measured} measured
 * @param {import('../suite.mjs').Suite} suite
 * @param {import('../suite.mjs').Settings} settings
 * @param {{ spread: boolean }} options
 * @returns {Table[]}
 */
export function caseTables(measured, suite, settings, { spread }) {
  if (suite.curve) return curveTable(measured, suite, settings);
  return suite.cases(settings).flatMap((one) => {
    const contenders = one.contenders.filter((id) => measured[suite.id]?.[one.id]?.[id] !== undefined);
    const metrics = suite.metrics.filter(
      ({ id, detail }) =>
        !detail && contenders.some((name) => measured[suite.id]?.[one.id]?.[name]?.[id] !== undefined),
    );
    const [first] = metrics;
    if (first === undefined) return [];
    const shared = contenders.includes('limit') && one.alone !== true;
    const rows = contenders.map((contender) => {
      const of = { suite: suite.id, case: one.id, contender };
      const cells = metrics.map(({ id, digits }) => {
        const found = value(measured, { ...of, metric: id });
        return spread ? formatSpread(found, digits) : format(found?.median, digits);
      });
      const share = ratio(measured, { ...of, metric: first.id });
      return [find(contender).title, ...cells, ...(shared ? [format(share)] : [])];
    });
    const head = metrics.map(headOf);
    return [{ title: one.title, head: ['', ...head, ...(shared ? [`${first.title} / limit`] : [])], rows }];
  });
}

/**
 * Points down, contenders across.
 *
 * @param {Measured} measured
 * @param {import('../suite.mjs').Suite} suite
 * @param {import('../suite.mjs').Settings} settings
 * @returns {Table[]}
 */
function curveTable(measured, suite, settings) {
  const points = suite.cases(settings).filter(({ id }) => measured[suite.id]?.[id] !== undefined);
  const contenders = (points[0]?.contenders ?? []).filter((id) =>
    points.some((point) => measured[suite.id]?.[point.id]?.[id] !== undefined),
  );
  const columns = contenders.flatMap((contender) => suite.metrics.map((metric) => ({ contender, metric })));
  if (columns.length === 0) return [];
  const head = columns.map(({ contender, metric }) => `${find(contender).title}: ${headOf(metric)}`);
  const rows = points.map((point) => [
    point.title,
    ...columns.map(({ contender, metric: { id, digits } }) =>
      format(value(measured, { suite: suite.id, case: point.id, contender, metric: id })?.median, digits),
    ),
  ]);
  return [{ title: suite.title, head: ['', ...head], rows }];
}

/** @param {import('../suite.mjs').Metric} metric */
function headOf({ title, unit }) {
  return unit === '' || unit === '/s' ? title : `${title} (${unit})`;
}

/**
 * @param {readonly import('../results.mjs').Verdict[]} verdicts
 * @returns {Table}
 */
export function verdictTable(verdicts) {
  return {
    title: 'Targets',
    head: ['', 'reached', 'target', ''],
    rows: verdicts.map((verdict) => [
      verdict.title,
      format(verdict.value),
      `${verdict.sense} ${verdict.bound}`,
      outcome(verdict),
    ]),
  };
}

/** @param {import('../results.mjs').Verdict} verdict */
function outcome({ met, limit, share }) {
  if (met) return 'met';
  if (limit === undefined) return 'NOT MET';
  const taken = `out of reach: the bare limit takes ${format(limit)}`;
  return share === undefined ? taken : `${taken}, and ${share} of its calls ${format(limit / share)}`;
}

/** @param {readonly import('../results.mjs').Verdict[]} verdicts */
export function countVerdicts(verdicts) {
  const met = verdicts.filter((verdict) => verdict.met).length;
  const beyond = verdicts.filter(({ limit }) => limit !== undefined).length;
  const rest = beyond === 0 ? '' : `, ${beyond} out of reach on this machine`;
  return `${met} of ${verdicts.length} targets met${rest}`;
}

/** @param {Table} table */
export function toText({ title, head, rows }) {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (/** @type {string[]} */ cells) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
      .trimEnd();
  return [title, line(head), ...rows.map(line)].join('\n');
}

/** @param {Table} table */
export function toMarkdown({ head, rows }) {
  const line = (/** @type {string[]} */ cells) => `| ${cells.join(' | ')} |`;
  const rule = head.map((_, column) => (column === 0 ? '---' : '---:'));
  return [line(head), `|${rule.join('|')}|`, ...rows.map(line)].join('\n');
}
