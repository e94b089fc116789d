/** Pieces of text that several reports share. */

import { singleLine } from '../../protocol/display.js';
import type { ReportFinding, ReportOutcome } from './report.js';

export const LEVEL_NAMES = { must: 'MUST', should: 'SHOULD', derived: 'derived', may: 'MAY' } as const;

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

/** A verdict in words: an option is used or not, everything else passed or failed. */
export function verdictWords({ level, verdict, reason }: ReportOutcome): string {
  if (level === 'may') return verdict === 'pass' ? 'used' : (reason ?? 'not used');
  return reason === undefined ? verdict : `${verdict}: ${reason}`;
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
