/** `plumb validate --config FILE`: all servers of a configuration, one table and one report. */

import { writeFileSync } from 'node:fs';
import { extname } from 'node:path';
import { escapeXml, markdownText, safeJson } from '../../protocol/display.js';
import { FORMATS, type Report } from '../../validate/index.js';
import { allFindings, breaks } from '../../validate/report/report.js';
import { EXIT_FAILED, EXIT_OK, EXIT_UNREACHABLE, UsageError } from '../failure/failure.js';
import { startLimit } from '../options/flags.js';
import { chosenRevisions } from '../options/revisions.js';
import type { Terminal } from '../output/terminal.js';
import { configuredServers, type FleetRow, probeOf, runFleet } from '../test-runs/fleet.js';
import { fleetTable } from '../test-runs/fleet-table.js';
import type { judge, ValidateFlags } from './validate.js';

const COLUMNS = ['score', 'level', 'must', 'should', 'revisions'];
const KINDS = ['.json', '.md', '.html'];

export async function validateAll(
  flags: ValidateFlags,
  out: Terminal,
  judgeOne: typeof judge,
): Promise<number> {
  const files = flags.out ?? [];
  for (const file of files) {
    if (KINDS.includes(extname(file))) continue;
    throw new UsageError(`--out ${file}: a report on several servers is one of ${KINDS.join(' ')}`);
  }
  const revisions = chosenRevisions(flags.revision);
  const reports = new Map<string, Report>();
  const members = configuredServers(flags.config, flags);
  const rows = await runFleet(members, new AbortController().signal, async (member) => {
    const limit = startLimit(flags, member.connectTimeout);
    const report = await judgeOne(probeOf(member), { ...flags, quiet: true }, revisions, limit, undefined);
    if (report.revisions.length === 0) throw new Error('no connection, or no MCP');
    reports.set(member.name, report);
    return rowOf(report);
  });
  for (const file of files) writeFileSync(file, render(extname(file), rows, reports));
  if (flags.json === true) out.write(asJson(rows, reports));
  else out.write(fleetTable(rows, COLUMNS, (style, text) => out.style(style, text)));
  if (rows.some(({ failure }) => failure !== undefined)) return EXIT_UNREACHABLE;
  return [...reports.values()].some((report) => breaks(report, flags.failOn)) ? EXIT_FAILED : EXIT_OK;
}

function rowOf(report: Report): FleetRow['values'] {
  const failed = (level: string): number =>
    new Set(
      allFindings(report)
        .filter((finding) => finding.level === level && !finding.known)
        .map(({ id }) => id),
    ).size;
  return {
    score: report.score,
    level: report.level,
    must: failed('must'),
    should: failed('should'),
    revisions: report.revisions.length,
  };
}

function asJson(rows: readonly FleetRow[], reports: ReadonlyMap<string, Report>): string {
  const servers = rows.map((row) => ({ ...row, report: reports.get(row.name) }));
  return `${safeJson({ servers }, 2)}\n`;
}

function render(kind: string, rows: readonly FleetRow[], reports: ReadonlyMap<string, Report>): string {
  switch (kind) {
    case '.md':
      return markdown(rows, reports);
    case '.html':
      return html(rows, reports);
    default:
      return asJson(rows, reports);
  }
}

function markdown(rows: readonly FleetRow[], reports: ReadonlyMap<string, Report>): string {
  const head = ['server', ...COLUMNS];
  const lines = rows.map(({ name, values, failure }) => {
    const cells = failure === undefined ? COLUMNS.map((column) => String(values[column])) : [failure];
    return `| ${[name, ...cells].map(markdownText).join(' | ')} |`;
  });
  const parts = [...reports.values()].map((report) => FORMATS.markdown?.(report) ?? '');
  return [`| ${head.join(' | ')} |`, `|${'---|'.repeat(head.length)}`, ...lines, '', ...parts].join('\n');
}

function html(rows: readonly FleetRow[], reports: ReadonlyMap<string, Report>): string {
  const head = ['server', ...COLUMNS].map((title) => `<th>${title}</th>`).join('');
  const body = rows.map(({ name, values, failure }) => {
    const cells =
      failure === undefined
        ? COLUMNS.map((column) => `<td>${escapeXml(String(values[column]))}</td>`).join('')
        : `<td colspan="${COLUMNS.length}">${escapeXml(failure)}</td>`;
    return `<tr><td>${escapeXml(name)}</td>${cells}</tr>`;
  });
  const findings = [...reports].map(([name, report]) => {
    const items = allFindings(report).map(
      ({ id, level, title, revision, message }) =>
        `<li>${id} ${level} ${escapeXml(title)} (${revision}): ${escapeXml(message)}</li>`,
    );
    return `<h2>${escapeXml(name)}</h2><ul>${items.join('') || '<li>No findings</li>'}</ul>`;
  });
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Compliance of ${rows.length} servers</title><style>body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{border-bottom:1px solid #ccc;padding:.3rem .7rem;text-align:left}</style></head><body><h1>Compliance of ${rows.length} servers</h1><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table>${findings.join('')}</body></html>\n`;
}
