/** Reports by name. */

import { badge } from './badge.js';
import { htmlReport } from './html.js';
import { jsonReport, junitReport, sarifReport } from './machine.js';
import { markdownReport } from './markdown.js';
import type { Report, ReportOptions } from './report.js';
import { terminalReport } from './terminal.js';

/** Renders a report, by format: text, JSON, JUnit, SARIF, Markdown, HTML and a badge. */
export const FORMATS: Readonly<Record<string, (report: Report, options?: ReportOptions) => string>> = {
  text: (report) => terminalReport(report),
  json: jsonReport,
  junit: junitReport,
  sarif: sarifReport,
  markdown: markdownReport,
  html: htmlReport,
  badge,
};
