/** A picture of the score for a README. */

import { escapeXml } from '../../protocol/display.js';
import type { Report } from './report.js';

/** Green and amber are for servers without a failed MUST. */
export function badge(report: Pick<Report, 'score' | 'level'>): string {
  const label = 'MCP compliance';
  const value = `${report.score}/100`;
  const passed = report.level === 'complete' || report.level === 'compliant';
  const colour = !passed ? '#c9372c' : report.score === 100 ? '#2c974b' : '#b08800';
  const left = 104;
  const right = 60;
  const width = left + right;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${label}: ${value}">`,
    `<title>${label}: ${value} (${escapeXml(report.level)})</title>`,
    `<rect rx="3" width="${width}" height="20" fill="#444"/>`,
    `<rect rx="3" x="${left}" width="${right}" height="20" fill="${colour}"/>`,
    `<rect x="${left}" width="4" height="20" fill="${colour}"/>`,
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">`,
    `<text x="${left / 2}" y="14">${label}</text><text x="${left + right / 2}" y="14">${value}</text></g></svg>`,
    '',
  ].join('\n');
}
