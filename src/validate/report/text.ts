/** Pieces of text that several reports share. */

import type { ReportFinding } from './report.js';

export const LEVEL_NAMES = { must: 'MUST', should: 'SHOULD', derived: 'derived' } as const;

export function shorten(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

export function escapeXml(text: string): string {
  return (
    text
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // Characters that XML cannot carry at all, escaped or not.
      .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '?')
  );
}

/** What was sent, what came back, what should have. */
export function evidenceLines(finding: ReportFinding, length: number): readonly string[] {
  const { sent, received, expected } = finding;
  return [
    ...(sent === undefined || sent === '' ? [] : [`sent      ${shorten(sent, length)}`]),
    ...(received === undefined || received === '' ? [] : [`received  ${shorten(received, length)}`]),
    `expected  ${expected}`,
  ];
}

export function seconds(milliseconds: number): string {
  return `${(milliseconds / 1000).toFixed(1)} s`;
}
