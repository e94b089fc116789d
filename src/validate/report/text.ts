/** Pieces of text that several reports share. */

import { singleLine } from '../../protocol/display.js';
import type { ReportFinding } from './report.js';

export const LEVEL_NAMES = { must: 'MUST', should: 'SHOULD', derived: 'derived' } as const;

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

/** What was sent, what came back, what should have: each on one line, whatever is in it. */
export function evidenceLines(finding: ReportFinding, length: number): readonly string[] {
  const { sent, received, expected } = finding;
  const line = (text: string): string => singleLine(shorten(text, length));
  return [
    ...(sent === undefined || sent === '' ? [] : [`sent      ${line(sent)}`]),
    ...(received === undefined || received === '' ? [] : [`received  ${line(received)}`]),
    `expected  ${line(expected)}`,
  ];
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
