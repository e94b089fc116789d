/** Reports for programs: JSON, JUnit XML, and annotations of GitHub workflows. */

import { escapeXml, safeJson, singleLine } from '../../protocol/display.js';
import type { CaseResult, SuiteResult } from '../run/result.js';
import { failureText, placeOf } from './describe.js';

export function jsonReport(suite: SuiteResult): string {
  return `${safeJson(suite, 2)}\n`;
}

/** The results as JUnit XML. */
export function junitReport(suite: SuiteResult): string {
  const places = new Map<string, CaseResult[]>();
  for (const result of suite.results) {
    const key = placeOf(result);
    places.set(key, [...(places.get(key) ?? []), result]);
  }
  const { total, failed, skipped, duration } = suite;
  const suites = [...places].map(([place, results]) => junitSuite(place, results, suite.startedAt));
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${escapeXml(suite.name)}" tests="${total}" failures="${failed}" skipped="${skipped}" time="${duration / 1_000}">\n${suites.join('')}</testsuites>\n`;
}

function junitSuite(place: string, results: readonly CaseResult[], timestamp: string): string {
  const count = (status: CaseResult['status']): number =>
    results.filter((result) => result.status === status).length;
  const time = results.reduce((sum, { duration }) => sum + duration, 0) / 1_000;
  return `  <testsuite name="${escapeXml(place)}" tests="${results.length}" failures="${count('fail')}" skipped="${count('skip')}" time="${time}" timestamp="${timestamp}">\n${results.map(junitCase).join('')}  </testsuite>\n`;
}

function junitCase(result: CaseResult): string {
  const head = `    <testcase name="${escapeXml(result.name)}" classname="${escapeXml(`${placeOf(result)} ${result.type}`)}" time="${result.duration / 1_000}"`;
  if (result.status === 'pass') return `${head}/>\n`;
  const message = escapeXml(singleLine(result.message));
  const body =
    result.status === 'skip'
      ? `<skipped message="${message}"/>`
      : `<failure message="${message}">${escapeXml(failureText(result))}</failure>`;
  return `${head}>\n      ${body}\n    </testcase>\n`;
}

/** Commands that GitHub reads from the log, and turns into notes at the file. */
export function githubReport(suite: SuiteResult): string {
  const file = suite.file === undefined ? '' : `file=${property(suite.file)},`;
  const lines = suite.results.flatMap((result) => {
    if (result.status !== 'fail') return [];
    const title = property(`${result.name} (${placeOf(result)})`);
    return [`::error ${file}title=${title}::${data(failureText(result))}`];
  });
  const outputs = `${suite.passed} passed, ${suite.failed} failed, ${suite.skipped} skipped`;
  return `${lines.join('\n')}${lines.length > 0 ? '\n' : ''}::notice title=plumb test::${data(outputs)}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(singleLine(text)).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
