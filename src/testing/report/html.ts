/** The report as one page, without scripts. */

import { escapeXml, safeJson } from '../../protocol/display.js';
import type { CaseResult, SuiteResult } from '../run/result.js';
import { failureText, placeOf } from './describe.js';
import { seconds } from './terminal.js';

export interface HtmlReportOptions {
  /** Its heading. Default: the name of the suite. */
  readonly title?: string | undefined;
  /** Whether the page says when the run began. Default: yes. */
  readonly timestamp?: boolean | undefined;
  /** Default: what the reader's system prefers. */
  readonly theme?: 'light' | 'dark' | 'auto' | undefined;
  /** Also the whole result as JSON. */
  readonly includeRawData?: boolean | undefined;
}

const LIGHT =
  '--back:#fff;--text:#1b1f24;--soft:#57606a;--line:#d0d7de;--pass:#1a7f37;--fail:#cf222e;--skip:#9a6700;--code:#f6f8fa';
const DARK =
  '--back:#0d1117;--text:#e6edf3;--soft:#8b949e;--line:#30363d;--pass:#3fb950;--fail:#f85149;--skip:#d29922;--code:#161b22';

const STYLE = `
body{background:var(--back);color:var(--text);font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem;margin:0}h2{font-size:1rem;margin:2rem 0 .5rem}p{color:var(--soft);margin:.3rem 0}
table{border-collapse:collapse;width:100%}td,th{border-bottom:1px solid var(--line);padding:.3rem .5rem;text-align:left;vertical-align:top}
pre{background:var(--code);padding:.7rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;margin:.3rem 0}
.pass{color:var(--pass)}.fail{color:var(--fail)}.skip{color:var(--skip)}td:last-child{text-align:right;white-space:nowrap}
`;

/** The results as a page. */
export function htmlReport(suite: SuiteResult, options: HtmlReportOptions = {}): string {
  const { title = suite.name, timestamp = true, theme = 'auto', includeRawData = false } = options;
  const places = new Map<string, CaseResult[]>();
  for (const result of suite.results) {
    const key = placeOf(result);
    places.set(key, [...(places.get(key) ?? []), result]);
  }
  const colours =
    theme === 'auto'
      ? `:root{${LIGHT}}@media(prefers-color-scheme:dark){:root{${DARK}}}`
      : `:root{${theme === 'dark' ? DARK : LIGHT}}`;
  const when = timestamp ? `<p>${escapeXml(suite.startedAt)}</p>` : '';
  const raw = includeRawData
    ? `<h2>Raw data</h2><details><summary>JSON</summary><pre>${escapeXml(safeJson(suite, 2))}</pre></details>`
    : '';
  const sections = [...places].map(
    ([place, results]) =>
      `<h2>${escapeXml(place)}</h2><table><thead><tr><th>Test</th><th>Kind</th><th>Result</th><th>Time</th></tr></thead><tbody>${results.map(row).join('')}</tbody></table>`,
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><title>${escapeXml(title)}</title><style>${colours}${STYLE}</style></head><body><h1>${escapeXml(title)}</h1><p><span class="pass">${suite.passed} passed</span>, <span class="fail">${suite.failed} failed</span>, <span class="skip">${suite.skipped} skipped</span>, ${suite.total} in ${seconds(suite.duration)}</p>${when}${sections.join('')}${raw}</body></html>\n`;
}

function row(result: CaseResult): string {
  const { status, name, type, message, duration } = result;
  const details =
    status === 'fail'
      ? `<details open><summary>${escapeXml(message)}</summary><pre>${escapeXml(failureText(result))}</pre></details>`
      : message === ''
        ? ''
        : `<p>${escapeXml(message)}</p>`;
  return `<tr><td>${escapeXml(name)}${details}</td><td>${type}</td><td class="${status}">${status}</td><td>${duration} ms</td></tr>`;
}
