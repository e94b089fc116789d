/** A picture of the score for a README. */

import { escapeXml } from '../../protocol/display.js';
import type { Report } from './report.js';

export function badge(report: Pick<Report, 'score' | 'level'>): string {
  const label = 'MCP compliance';
  const value = `${report.score}/100`;
  const colour = report.score === 100 ? '#2c974b' : report.score >= 80 ? '#b08800' : '#c9372c';
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
