/** For programs: JSON, JUnit, SARIF. */

import { escapeXml, safeJson, singleLine } from '../../protocol/display.js';
import type { Level } from '../requirements/index.js';
import {
  allFindings,
  fingerprint,
  optionsOf,
  type Report,
  type ReportOptions,
  type RevisionReport,
} from './report.js';
import { evidenceLines, LEVEL_NAMES } from './text.js';

/** Findings carry their exchange; all the others are in the report only where they are asked for. */
export function jsonReport(report: Report, { full = false }: ReportOptions = {}): string {
  const revisions = report.revisions.map((run) => ({
    ...run,
    exchangeCount: run.exchanges.length,
    exchanges: full ? run.exchanges : [],
  }));
  return `${safeJson({ ...report, revisions }, 2)}\n`;
}

/** Whether a failure of this level fails a build. */
function counts(level: Level, { failOn = 'must' }: ReportOptions): boolean {
  return level === 'must' ? failOn !== 'none' : level === 'should' && failOn === 'should';
}

export function junitReport(report: Report, options: ReportOptions = {}): string {
  const suites = report.revisions.map((run) => {
    const failures = run.outcomes.filter(
      ({ verdict, level }) => verdict === 'fail' && counts(level, options),
    ).length;
    const skipped = run.outcomes.filter(({ verdict }) => verdict === 'skip').length;
    const head = `  <testsuite name="MCP ${run.revision}" tests="${run.outcomes.length}" failures="${failures}" skipped="${skipped}" time="${run.elapsedMs / 1000}">`;
    const cases = run.outcomes.map((outcome) => testcase(run, outcome, options));
    return [head, ...cases, '  </testsuite>'].join('\n');
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="${escapeXml(report.target)}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}

function testcase(
  run: RevisionReport,
  outcome: RevisionReport['outcomes'][number],
  options: ReportOptions,
): string {
  const name = escapeXml(`${outcome.id} ${outcome.title}`);
  const open = `    <testcase name="${name}" classname="${escapeXml(outcome.section)}">`;
  if (outcome.level === 'may' && outcome.verdict === 'pass')
    return `${open}<system-out>MAY: used</system-out></testcase>`;
  if (outcome.verdict === 'pass') return open.replace(/>$/, '/>');
  if (outcome.verdict === 'skip')
    return `${open}<skipped message="${escapeXml(skipReason(outcome))}"/></testcase>`;
  const findings = run.findings.filter(({ id }) => id === outcome.id);
  const details = findings
    .flatMap((finding) => [
      finding.message,
      ...evidenceLines(finding, 2_000),
      `fix       ${finding.advice}`,
      `see       ${finding.url}`,
    ])
    .join('\n');
  const type = LEVEL_NAMES[outcome.level];
  if (!counts(outcome.level, options))
    return `${open}<system-out>${escapeXml(`${type} not met: ${details}`)}</system-out></testcase>`;
  return `${open}<failure type="${type}" message="${escapeXml(findings[0]?.message ?? '')}">${escapeXml(details)}</failure></testcase>`;
}

function skipReason({ level, reason = '' }: RevisionReport['outcomes'][number]): string {
  return level === 'may' ? `MAY: ${reason}` : reason;
}

const SARIF_LEVEL = { must: 'error', should: 'warning', derived: 'note', may: 'none' } as const;

export function sarifReport(report: Report, { source }: ReportOptions = {}): string {
  const findings = allFindings(report);
  const rules = [...new Map(findings.map((finding) => [finding.id, finding])).values()].map((finding) => ({
    id: `MCP-${finding.id}`,
    shortDescription: { text: finding.title },
    help: { text: finding.advice },
    helpUri: finding.url,
    defaultConfiguration: { level: SARIF_LEVEL[finding.level] },
    properties: { section: finding.section, level: LEVEL_NAMES[finding.level] },
  }));
  const results = findings.map((finding) => ({
    ruleId: `MCP-${finding.id}`,
    ruleIndex: rules.findIndex(({ id }) => id === `MCP-${finding.id}`),
    level: SARIF_LEVEL[finding.level],
    message: {
      text: [
        `${singleLine(finding.message)} (revision ${finding.revision})`,
        ...evidenceLines(finding, 1_000),
      ]
        .map(withoutLinks)
        .join('\n'),
    },
    // A server has no source lines: a finding points at the file that the user names, or at the requirement.
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(source ?? finding.url) },
          region: { startLine: 1 },
        },
        logicalLocations: [{ fullyQualifiedName: report.target, kind: 'module' }],
      },
    ],
    partialFingerprints: { 'plumb/v1': fingerprint(finding) },
    ...(finding.known ? { suppressions: [{ kind: 'external' }] } : {}),
  }));
  const driver = {
    name: 'plumb validate',
    informationUri: 'https://modelcontextprotocol.io/specification',
    rules,
  };
  const document = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    // Options are no results: whoever reads this for alarms does not want them.
    runs: [{ tool: { driver }, results, properties: { options: optionsOf(report) } }],
  };
  return `${safeJson(document, 2)}\n`;
}

/** Brackets make links in the messages of SARIF (2.1.0, 3.11.6). */
function withoutLinks(text: string): string {
  return text.replaceAll(/[\\[\]]/g, '\\$&');
}
