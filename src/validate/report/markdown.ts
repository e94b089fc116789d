/** For pull requests and wikis. */

import { markdownText, printable } from '../../protocol/display.js';
import { allFindings, optionsOf, type Report } from './report.js';
import { LEVEL_NAMES, seconds, shorten } from './text.js';

export function markdownReport(report: Report): string {
  const findings = allFindings(report);
  return [
    `# MCP compliance of ${markdownText(report.target)}`,
    '',
    `**${report.score}/100**, ${report.level}, over ${report.transport}, in ${seconds(report.elapsedMs)}.`,
    '',
    '| revision | score | level | passed | MUST | SHOULD | derived | not applicable |',
    '|---|---|---|---|---|---|---|---|',
    ...report.revisions.map(
      ({ revision, score, level, passed, failed, skipped }) =>
        `| ${revision} | ${score} | ${level} | ${passed} | ${failed.must} | ${failed.should} | ${failed.derived} | ${skipped} |`,
    ),
    ...(findings.length === 0 ? ['', 'Nothing was found.'] : []),
    ...findings.flatMap((finding) => [
      '',
      `## ${finding.id} ${LEVEL_NAMES[finding.level]}: ${finding.title} (${finding.revision})${finding.known ? ' (known)' : ''}`,
      '',
      markdownText(finding.message),
      '',
      ...block('Sent', finding.sent),
      ...block('Received', finding.received),
      `Expected: ${markdownText(finding.expected)}`,
      '',
      `${finding.advice} [Specification](${finding.url})`,
    ]),
    ...(report.differences.length === 0
      ? []
      : [
          '',
          '## Differences between revisions',
          '',
          ...report.differences.map(
            ({ between, what }) => `- ${between.join(' to ')}: ${markdownText(what)}`,
          ),
        ]),
    ...options(report),
    '',
  ].join('\n');
}

function options(report: Report): readonly string[] {
  const found = optionsOf(report);
  if (found.length === 0) return [];
  return [
    '',
    '## Options (MAY: not scored)',
    '',
    '| option | used in |',
    '|---|---|',
    ...found.map(
      ({ id, title, used }) => `| ${id} ${markdownText(title)} | ${used.join(', ') || 'not used'} |`,
    ),
  ];
}

function block(title: string, text: string | undefined): readonly string[] {
  if (text === undefined || text === '') return [];
  // A fence longer than any inside keeps foreign text inside.
  const shown = printable(shorten(text, 2_000));
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return [`${title}:`, '', `${fence}json`, shown, fence, ''];
}
