/** For people: the verdict first, then what to do about it. */

import { singleLine } from '../../protocol/display.js';
import { LEVEL_RANK, optionsOf, type Report, type ReportFinding } from './report.js';
import { evidenceLines, LEVEL_NAMES, seconds } from './text.js';

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

const COLOURS = { must: 'red', should: 'yellow', derived: 'cyan', may: 'dim' } as const;

/** A report for the terminal. */
export function terminalReport(report: Report, paint: Paint = (_, text) => text): string {
  const lines = [
    paint('bold', `${singleLine(report.target)} (${report.transport})`),
    `${paint(colourOf(report), `${report.score}/100`)}, ${report.level}, in ${seconds(report.elapsedMs)}`,
    '',
    ...report.revisions.map((run) => {
      const { must, should, derived } = run.failed;
      const counts = `${run.passed} passed, ${must} MUST, ${should} SHOULD and ${derived} derived failed, ${run.skipped} not applicable`;
      return `  ${run.revision}  ${paint(colourOf(run), String(run.score).padStart(3))}  ${run.level.padEnd(9)}  ${counts}`;
    }),
  ];
  for (const group of grouped(report)) lines.push('', ...describe(group, report, paint));
  lines.push(...unjudged(report, paint), ...optional(report, paint));
  if (report.differences.length > 0) {
    lines.push('', paint('bold', 'Differences between revisions that the specification does not explain'));
    for (const { between, what } of report.differences)
      lines.push(`  ${between.join(' -> ')}  ${singleLine(what)}`);
  }
  if (report.revisions.length === 0)
    lines.push('  Nothing speaks MCP there: no revision of the protocol got an answer.');
  return `${lines.join('\n')}\n`;
}

function colourOf({ score, level }: Pick<Report, 'score' | 'level'>): Style {
  if (level === 'partial' || level === 'failing') return 'red';
  return score === 100 ? 'green' : 'yellow';
}

/** What was not judged and could be: why, and what would judge it. */
function unjudged(report: Report, paint: Paint): readonly string[] {
  const reasons = new Map<string, Set<string>>();
  for (const { outcomes } of report.revisions) {
    for (const { id, verdict, reason = '' } of outcomes) {
      if (verdict !== 'skip' || !/--|could not|crashed/.test(reason)) continue;
      reasons.set(reason, (reasons.get(reason) ?? new Set()).add(id));
    }
  }
  if (reasons.size === 0) return [];
  const rows = [...reasons].map(([reason, ids]) => `  ${singleLine(reason)}: ${[...ids].join(' ')}`);
  const rest =
    '  everything else that was not judged does not apply to this server; --out report.html says why';
  return ['', paint('bold', 'Not judged'), ...rows, paint('dim', rest)];
}

/** What the specification allows and does not ask for: a line for each that is used. */
function optional(report: Report, paint: Paint): readonly string[] {
  const options = optionsOf(report);
  if (options.length === 0) return [];
  const used = options.filter((option) => option.used.length > 0);
  const unused = options.filter((option) => option.used.length === 0);
  return [
    '',
    paint('bold', 'Options (MAY: not scored)'),
    ...used.map(
      ({ id, title, used: revisions }) => `  ${id} ${title}  ${paint('dim', revisions.join(', '))}`,
    ),
    ...(unused.length === 0
      ? []
      : [paint('dim', `  not used: ${unused.map(({ id, title }) => `${id} ${title}`).join('; ')}`)]),
  ];
}

/** One entry for each requirement, however many revisions break it; the gravest first. */
function grouped(report: Report): readonly (readonly ReportFinding[])[] {
  const groups = new Map<string, ReportFinding[]>();
  for (const { findings } of report.revisions) {
    for (const finding of findings)
      if (finding.follows === undefined) groups.set(finding.id, [...(groups.get(finding.id) ?? []), finding]);
  }
  return [...groups.values()].toSorted(
    (a, b) => LEVEL_RANK[a[0]?.level ?? 'derived'] - LEVEL_RANK[b[0]?.level ?? 'derived'],
  );
}

function describe(findings: readonly ReportFinding[], report: Report, paint: Paint): readonly string[] {
  const [first] = findings;
  if (first === undefined) return [];
  const revisions = [...new Set(findings.map(({ revision }) => revision))].join(', ');
  const known = first.known ? ' (known)' : '';
  const also = [
    ...new Set(
      report.revisions.flatMap((run) =>
        run.findings.filter(({ follows }) => follows === first.id).map(({ id }) => id),
      ),
    ),
  ];
  return [
    `${paint(COLOURS[first.level], `${first.id} ${LEVEL_NAMES[first.level]}`)} ${first.title}${known}  ${paint('dim', revisions)}`,
    `    ${singleLine(first.message)}`,
    ...evidenceLines(first, 240).map((line) => paint('dim', `    ${line}`)),
    ...(first.seen === undefined ? [] : [paint('dim', `    seen      ${first.seen} tries`)]),
    ...(also.length === 0 ? [] : [`    also      ${also.join(' ')} (the same cause)`]),
    `    fix       ${first.advice}`,
    paint('dim', `    see       ${first.url}`),
  ];
}
