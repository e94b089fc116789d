/** The report for people at a terminal. */

import { printable, singleLine } from '../../protocol/display.js';
import type { CaseResult, SuiteResult } from '../run/result.js';
import { describeFailure, placeOf } from './describe.js';

export type StyleName = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type PaintText = (style: StyleName, text: string) => string;

const MARKS = { pass: ['green', '✓'], fail: ['red', '✗'], skip: ['yellow', '-'] } as const;

/** One line as soon as a case is over. Undefined for what is not worth one. */
export function resultLine(result: CaseResult, paint: PaintText, isVerbose: boolean): string | undefined {
  const { status, type, name, message, duration, attempts } = result;
  // What exists is no news, and a requirement that holds is one of hundreds.
  const isQuiet = type === 'capability' || type === 'connection' || type === 'protocol';
  if (!isVerbose && ((isQuiet && status !== 'fail') || (status === 'skip' && isFiltered(message))))
    return undefined;
  const [style, mark] = MARKS[status];
  const details = [
    status !== 'pass' && message !== '' ? singleLine(message).slice(0, 120) : '',
    attempts > 1 ? `${attempts} attempts` : '',
    result.snapshots.some(({ updated }) => updated) ? 'snapshot written' : '',
  ].filter((text) => text !== '');
  const time = paint('dim', `${duration} ms`);
  const tail = details.length === 0 ? '' : `  ${details.join(', ')}`;
  const lines = [`${paint(style, mark)} ${singleLine(name)} ${time}${tail}`];
  for (const warning of result.warnings) lines.push(`  ${paint('yellow', 'warning')} ${singleLine(warning)}`);
  return lines.join('\n');
}

function isFiltered(message: string): boolean {
  return message.startsWith('does not match') || message.startsWith('not selected');
}

export function terminalSummary(suite: SuiteResult, paint: PaintText): string {
  const lines: string[] = [];
  const failures = suite.results.filter(({ status }) => status === 'fail');
  for (const result of failures) {
    lines.push(
      '',
      `${paint('red', 'FAIL')} ${paint('bold', singleLine(result.name))}  ${paint('dim', placeOf(result))}`,
    );
    if (result.failures.length === 0) lines.push(`  ${printable(result.message)}`);
    for (const failure of result.failures) lines.push(...describeFailure(failure).map((line) => `  ${line}`));
    if (result.repeat !== undefined) lines.push(`  ${paint('cyan', 'repeat:')} ${printable(result.repeat)}`);
  }
  const counts = [
    suite.passed > 0 || suite.failed === 0
      ? paint('green', `${suite.passed} passed`)
      : `${suite.passed} passed`,
    suite.failed > 0 ? paint('red', `${suite.failed} failed`) : '0 failed',
    ...(suite.skipped > 0 ? [paint('yellow', `${suite.skipped} skipped`)] : []),
  ];
  lines.push('', `${counts.join(', ')} ${paint('dim', `(${suite.total} in ${seconds(suite.duration)})`)}`);
  return `${lines.join('\n')}\n`;
}

export function seconds(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds} ms` : `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** The whole report at once, as `console.log` shows it. */
export function formatResults(suite: SuiteResult): string {
  const plain: PaintText = (_style, text) => text;
  const lines = suite.results
    .map((result) => resultLine(result, plain, true))
    .filter((line) => line !== undefined);
  return `${suite.name}\n${lines.join('\n')}\n${terminalSummary(suite, plain)}`;
}
