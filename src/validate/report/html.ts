/** One page that needs nothing else: the result as a picture, every finding, and every exchange. */

import type { Report, ReportFinding, RevisionReport } from './report.js';
import { escapeXml, evidenceLines, LEVEL_NAMES, seconds, shorten } from './text.js';

const STYLE = `
body{font:15px/1.5 system-ui,sans-serif;margin:0 auto;max-width:72rem;padding:2rem 1rem;color:#1c2430;background:#fff}
h1{font-size:1.5rem;margin:0}h2{font-size:1.15rem;margin:2.5rem 0 .75rem}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{background:#f4f6f8;padding:.6rem .8rem;border-radius:6px;overflow:auto;white-space:pre-wrap;word-break:break-all;margin:.4rem 0}
.head{display:flex;gap:1.5rem;align-items:center}.muted{color:#5b6675}
.grid{display:flex;flex-wrap:wrap;gap:3px;margin:.4rem 0 1rem}.grid a{width:13px;height:13px;border-radius:3px;display:block}
.pass{background:#2c974b}.skip{background:#d7dde4}.must{background:#c9372c}.should{background:#e0a100}.derived{background:#3b82c4}
.finding{border-left:4px solid;padding:.2rem 0 .2rem 1rem;margin:1rem 0;background:none}.finding.must{border-color:#c9372c}.finding.should{border-color:#e0a100}.finding.derived{border-color:#3b82c4}
.finding.must,.finding.should,.finding.derived{background:none}
details{margin:.25rem 0}summary{cursor:pointer}table{border-collapse:collapse}td,th{padding:.2rem .9rem .2rem 0;text-align:left}
@media(prefers-color-scheme:dark){body{background:#14181d;color:#e3e8ee}pre{background:#1e242b}.muted{color:#93a0ae}.skip{background:#3a434d}}
`;

export function htmlReport(report: Report): string {
  const body = [
    `<div class="head">${dial(report.score)}<div><h1>${escapeXml(report.target)}</h1>`,
    `<p class="muted">${report.level}, ${report.transport}, ${escapeXml(report.tool)}, ${seconds(report.elapsedMs)}</p></div></div>`,
    ...report.revisions.map(revisionSection),
    differences(report),
    ...report.revisions.map(exchanges),
  ];
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>MCP compliance: ${escapeXml(report.target)}</title><style>${STYLE}</style></head><body>${body.join('\n')}</body></html>\n`;
}

function dial(score: number): string {
  const length = 2 * Math.PI * 42;
  const colour = score === 100 ? '#2c974b' : score >= 80 ? '#e0a100' : '#c9372c';
  return `<svg width="110" height="110" viewBox="0 0 110 110" role="img" aria-label="${score} of 100"><circle cx="55" cy="55" r="42" fill="none" stroke="#8883" stroke-width="11"/><circle cx="55" cy="55" r="42" fill="none" stroke="${colour}" stroke-width="11" stroke-dasharray="${(length * score) / 100} ${length}" transform="rotate(-90 55 55)"/><text x="55" y="63" text-anchor="middle" font-size="26" font-family="system-ui" fill="currentColor">${score}</text></svg>`;
}

function revisionSection(run: RevisionReport): string {
  const cells = run.outcomes.map(({ id, title, verdict, level, reason }) => {
    const kind = verdict === 'fail' ? level : verdict;
    const text = `${id} ${title}: ${verdict}${reason === undefined ? '' : ` (${reason})`}`;
    const target = verdict === 'fail' ? ` href="#f-${run.revision}-${id}"` : '';
    return `<a class="${kind}"${target} title="${escapeXml(text)}"></a>`;
  });
  const { must, should, derived } = run.failed;
  return [
    `<h2>${run.revision}: ${run.score}, ${run.level}</h2>`,
    `<p class="muted">${run.passed} passed, ${must} MUST, ${should} SHOULD and ${derived} derived failed, ${run.skipped} not applicable</p>`,
    `<div class="grid">${cells.join('')}</div>`,
    ...run.findings.map((finding) => findingSection(run, finding)),
  ].join('\n');
}

function findingSection(run: RevisionReport, finding: ReportFinding): string {
  const evidence = evidenceLines(finding, 4_000).join('\n');
  return [
    `<section class="finding ${finding.level}" id="f-${run.revision}-${finding.id}">`,
    `<strong>${finding.id} ${LEVEL_NAMES[finding.level]}</strong> ${escapeXml(finding.title)}${finding.known ? ' <em>(known)</em>' : ''}`,
    `<p>${escapeXml(finding.message)}</p><pre>${escapeXml(evidence)}</pre>`,
    `<p>${escapeXml(finding.advice)} <a href="${escapeXml(finding.url)}">Specification</a></p></section>`,
  ].join('\n');
}

function differences({ differences: found }: Report): string {
  if (found.length === 0) return '';
  const rows = found.map(
    ({ between, what }) => `<tr><td>${between.join(' &rarr; ')}</td><td>${escapeXml(what)}</td></tr>`,
  );
  return `<h2>Differences between revisions</h2><table>${rows.join('')}</table>`;
}

function exchanges(run: RevisionReport): string {
  const lines = run.exchanges.map(({ at, direction, connection, text }) => {
    const arrow = direction === 'sent' ? '&rarr;' : '&larr;';
    return `${String(Math.round(at)).padStart(6)} ms  #${connection} ${arrow} ${escapeXml(shorten(text, 2_000))}`;
  });
  return `<details><summary>Every exchange in ${run.revision} (${run.exchanges.length})</summary><pre>${lines.join('\n')}</pre></details>`;
}
