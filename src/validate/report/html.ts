/**
 * One page that needs nothing else: the result as a picture, every finding, and every exchange. It is full of text that
 * strangers sent, so it carries no script, and its policy lets none run.
 */

import { escapeXml } from '../../protocol/display.js';
import type { ScoredLevel } from '../requirements/index.js';
import type { RecordedEntry } from '../wire/recorder.js';
import { STYLE } from './html-style.js';
import { allFindings, LEVEL_RANK, type Report, type ReportFinding, type RevisionReport } from './report.js';
import { LEVEL_NAMES, seconds, shorten, verdictWords } from './text.js';

const EVIDENCE = 4_000;
const EXCHANGE = 1_500;
const LEVELS: readonly ScoredLevel[] = ['must', 'should', 'derived'];

export function htmlReport(report: Report): string {
  const title = escapeXml(`MCP compliance: ${report.target}`);
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  const head = [
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title><style>${STYLE}</style>`,
  ].join('');
  const body = [
    heading(report),
    `<div class="revisions">${report.revisions.map(revisionCard).join('')}</div>`,
    picture(report),
    findings(report),
    differences(report),
    requirements(report),
    '<h2>Every exchange</h2>',
    ...report.revisions.map(exchanges),
  ];
  return `<!doctype html><html lang="en"><head>${head}</head><body>${body.join('\n')}</body></html>\n`;
}

function heading(report: Report): string {
  const { subject, transport, level, tool, elapsedMs, notTestable } = report;
  return [
    `<header class="head">${dial(report)}<div><h1>${escapeXml(report.target)}</h1>`,
    `<div><span class="word ${level}">${level}</span> <span class="soft">${subject} over ${transport}, in ${seconds(elapsedMs)}</span></div>`,
    `<div class="soft small">${escapeXml(tool)}; ${notTestable} requirements cannot be tested from outside</div></div></header>`,
  ].join('');
}

function colourOf({ score, level }: Pick<Report, 'score' | 'level'>): string {
  if (level === 'partial' || level === 'failing') return 'var(--must)';
  return score === 100 ? 'var(--pass)' : 'var(--should)';
}

function dial(report: Pick<Report, 'score' | 'level'>): string {
  const { score } = report;
  const length = 2 * Math.PI * 42;
  const ring = `cx="55" cy="55" r="42" fill="none" stroke-width="10"`;
  return [
    `<svg width="112" height="112" viewBox="0 0 110 110" role="img" aria-label="${score} of 100">`,
    `<circle ${ring} stroke="var(--skip)"/>`,
    `<circle ${ring} stroke="${colourOf(report)}" stroke-linecap="round" stroke-dasharray="${(length * score) / 100} ${length}" transform="rotate(-90 55 55)"/>`,
    `<text x="55" y="64" text-anchor="middle" font-size="27" font-weight="600" font-family="system-ui" fill="currentColor">${score}</text></svg>`,
  ].join('');
}

function revisionCard(run: RevisionReport): string {
  const parts = [
    ['pass', run.passed],
    ...LEVELS.map((level) => [level, run.failed[level]] as const),
    ['skip', run.skipped],
  ] as const;
  const bar = parts.map(([kind, count]) => `<i class="${kind}" style="flex:${count}"></i>`).join('');
  const failed = LEVELS.filter((level) => run.failed[level] > 0).map(
    (level) => `${run.failed[level]} ${LEVEL_NAMES[level]} failed`,
  );
  const words = [`${run.passed} passed`, ...failed, `${run.skipped} not applicable`].join(', ');
  return `<div class="revision"><div>${run.revision}</div><b>${run.score}</b> <span class="word ${run.level}">${run.level}</span><div class="bar">${bar}</div><div class="soft small">${words}</div></div>`;
}

/** A square for each requirement, by section and revision. */
function picture(report: Report): string {
  const sections = [
    ...new Set(report.revisions.flatMap((run) => run.outcomes.map(({ section }) => section))),
  ];
  const rows = sections.map((section) => {
    const cells = report.revisions.map((run) => {
      const squares = run.outcomes.filter((outcome) => outcome.section === section).map(square);
      return `<td><div class="squares">${squares.join('')}</div></td>`;
    });
    return `<tr><th scope="row">${escapeXml(section)}</th>${cells.join('')}</tr>`;
  });
  const columns = report.revisions.map(({ revision }) => `<th scope="col">${revision}</th>`).join('');
  const key = [
    ['pass', 'passed'],
    ['must', 'MUST failed'],
    ['should', 'SHOULD failed'],
    ['derived', 'derived failed'],
    ['may', 'MAY: used'],
    ['skip', 'not applicable, or not used'],
  ].map(([kind, words]) => `<span><i class="${kind}"></i>${words}</span>`);
  return `<h2>The picture</h2><div class="key small">${key.join('')}</div><div class="scroll"><table><tr><th></th>${columns}</tr>${rows.join('')}</table></div>`;
}

function square(outcome: RevisionReport['outcomes'][number]): string {
  const { id, title, verdict, level } = outcome;
  const words = `${id} ${title}: ${verdictWords(outcome)}`;
  const used = level === 'may' && verdict === 'pass';
  const target = verdict === 'fail' ? ` href="#f-${id}"` : '';
  return `<a class="${verdict === 'fail' || used ? level : verdict}"${target} title="${escapeXml(words)}"></a>`;
}

/** One card for each requirement, however many revisions break it; the gravest first. */
function findings(report: Report): string {
  const groups = new Map<string, ReportFinding[]>();
  for (const finding of allFindings(report)) {
    groups.set(finding.id, [...(groups.get(finding.id) ?? []), finding]);
  }
  if (groups.size === 0) return '<h2>Findings</h2><p class="good">Nothing was found.</p>';
  const ordered = [...groups.values()].toSorted(
    ([a], [b]) => LEVEL_RANK[a?.level ?? 'derived'] - LEVEL_RANK[b?.level ?? 'derived'],
  );
  return `<h2>Findings</h2>${ordered.map(card).join('\n')}`;
}

function card(group: readonly ReportFinding[]): string {
  const [first] = group;
  if (first === undefined) return '';
  const revisions = [...new Set(group.map(({ revision }) => revision))].join(', ');
  const known = first.known ? ' <em class="soft">known</em>' : '';
  const others = group.filter(({ message }) => message !== first.message).map(({ message }) => message);
  return [
    `<section class="finding ${first.level}" id="f-${first.id}">`,
    `<h3><span class="tag ${first.level}">${first.id} ${LEVEL_NAMES[first.level]}</span>${escapeXml(first.title)}${known}</h3>`,
    `<div class="soft small">${revisions}</div><p>${escapeXml(first.message)}</p>`,
    ...[...new Set(others)].map((message) => `<p class="soft">Also: ${escapeXml(message)}</p>`),
    `<div class="evidence">${piece('Sent', first.sent)}${piece('Received', first.received)}${piece('Expected', first.expected)}</div>`,
    `<p><strong>Fix:</strong> ${escapeXml(first.advice)} <a href="${escapeXml(first.url)}" rel="noreferrer">Specification</a></p></section>`,
  ].join('');
}

function piece(title: string, text: string | undefined): string {
  if (text === undefined || text === '') return '';
  return `<div><span>${title}</span><pre>${escapeXml(shorten(pretty(text), EVIDENCE))}</pre></div>`;
}

/** JSON is easier to read with its structure; anything else stays as it came. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function differences({ differences: found }: Report): string {
  if (found.length === 0) return '';
  const rows = found.map(
    ({ between, what }) => `<tr><td>${between.join(' &rarr; ')}</td><td>${escapeXml(what)}</td></tr>`,
  );
  return `<h2>Differences between revisions</h2><table>${rows.join('')}</table>`;
}

function requirements(report: Report): string {
  const lists = report.revisions.map((run) => {
    const rows = run.outcomes.map(
      (outcome) =>
        `<tr><td><a href="${escapeXml(outcome.url)}" rel="noreferrer">${outcome.id}</a></td><td>${LEVEL_NAMES[outcome.level]}</td><td>${escapeXml(outcome.title)}</td><td>${escapeXml(verdictWords(outcome))}</td></tr>`,
    );
    return `<details><summary>${run.revision} (${run.outcomes.length})</summary><table>${rows.join('')}</table></details>`;
  });
  return `<h2>Every requirement</h2>${lists.join('')}`;
}

function exchanges(run: RevisionReport): string {
  return `<details><summary>${run.revision} (${run.exchanges.length})</summary>${run.exchanges.map(said).join('')}</details>`;
}

function said({ at, direction, connection, text }: RecordedEntry): string {
  const arrow = direction === 'sent' ? '&rarr;' : '&larr;';
  return `<div class="said ${direction}"><span>${Math.round(at)} ms</span><span>#${connection}</span><em>${arrow}</em><code>${escapeXml(shorten(text, EXCHANGE))}</code></div>`;
}
