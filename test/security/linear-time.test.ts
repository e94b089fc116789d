/**
 * Everything that reads text of peers takes time in proportion to it. Each function gets a quarter of a megabyte of texts
 * that were made to be slow, and of one that was not: the first may take a few times as long, and not the square of it.
 */

import { describe, expect, test } from 'vitest';
import { parseChallenges } from '../../src/auth/client/www-authenticate.js';
import { promptEntry, renderSection, toolEntry } from '../../src/cli/output/lists.js';
import { createTerminal } from '../../src/cli/output/terminal.js';
import { displayWidth, wrap } from '../../src/cli/output/text.js';
import { qualifiedName } from '../../src/client/pool/qualified-name.js';
import { decodeText } from '../../src/jsonrpc/decode.js';
import { answeredBy } from '../../src/jsonrpc/truncated.js';
import { canonicalTemplate, canonicalUri, decodedReadingsOf } from '../../src/middleware/canonical.js';
import { canonicalName } from '../../src/middleware/canonical-name.js';
import { withoutCredentials } from '../../src/middleware/credentials.js';
import { createGlob } from '../../src/middleware/subject.js';
import { wordsOf } from '../../src/middleware/tool-index.js';
import {
  escapeXml,
  logError,
  logWord,
  markdownText,
  printable,
  safeJson,
  singleLine,
} from '../../src/protocol/display.js';
import { decodeHeaderValue, encodeHeaderValue } from '../../src/protocol/mirrored-headers.js';
import { compilePattern, preparePatterns } from '../../src/protocol/schema/patterns.js';
import { maskText } from '../../src/protocol/secrets.js';
import { matchUri } from '../../src/server/uri-match.js';
import { parseUriTemplate } from '../../src/server/uri-template.js';
import { excerptOf } from '../../src/transports/http/client/refusal.js';
import { saysNotInitialized, saysSessionIsGone } from '../../src/transports/http/client/session-loss.js';
import { isMetaKey } from '../../src/validate/checks/watch/meta.js';
import { cpuTimeOf } from '../support/cpu-time.js';

await preparePatterns({ pattern: '^(a+)+$' });
const terminal = createTerminal({ write: () => true });
const narrow = { ...terminal, columns: 80 };
const template = parseUriTemplate('a://{/id*}{?t*}');
const glob = createGlob(['*a*b*c', '*-*-*']);
const catastrophic = ['^(a+)+$', '(a|a)*b', '\\s+$', '^(?:[a-z]+\\.?)+@$'].map((source) =>
  compilePattern(source),
);

const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  printable,
  singleLine,
  displayWidth,
  'wrap to a width': (text) => wrap(text, 80),
  'plumb list of a description': (text) =>
    renderSection(
      'Tools',
      [toolEntry({ name: text, description: text, inputSchema: { type: 'object' } })],
      narrow,
    ),
  'plumb list of a prompt': (text) =>
    renderSection('Prompts', [promptEntry({ name: 'x', description: text })], narrow),
  maskText,
  withoutCredentials: (text) => withoutCredentials(text, '[redacted]'),
  canonicalName,
  canonicalUri: (text) => canonicalUri(`file:///${text}`),
  'canonicalUri of another scheme': (text) => canonicalUri(`note:${text}`),
  canonicalTemplate: (text) => canonicalTemplate(`note:${text}`),
  decodedReadingsOf,
  createGlob: glob,
  'a URI template': (text) => matchUri(template, `a://${text}`),
  'patterns of schemas': (text) => catastrophic.map((pattern) => pattern.test(text)),
  excerptOf,
  saysSessionIsGone,
  saysNotInitialized,
  isMetaKey,
  escapeXml,
  markdownText,
  safeJson,
  logWord,
  logError: (text) => logError(new Error(text)),
  parseChallenges,
  encodeHeaderValue,
  decodeHeaderValue: (text) => decodeHeaderValue(`=?base64?${text}?=`),
  decodeText,
  'answeredBy an ending': (text) => answeredBy('{"result":', text),
  qualifiedName: (text) => qualifiedName('s__', text),
  wordsOf,
};

const HARMLESS = 'The quick brown fox jumps over the lazy dog. ';
const SLOW: readonly string[] = [
  'a',
  ' ',
  '\n',
  '_',
  '\u0301 ',
  '\u0301\u0316',
  'eyJ-',
  'eyJaaaaaaaaaa.',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN A PRIVATE KEY-----END ',
  'sk-',
  '"password":"\\',
  'access_token=',
  '../',
  '%2e%2e%2f',
  '%25',
  '{a',
  ',',
  '/',
  '<style>',
  'session ',
  'a="\\',
  'a.',
  ',"id":"',
  '[[',
];

function timeOf(read: (text: string) => unknown, unit: string, size: number): number {
  const text = unit.repeat(Math.ceil(size / unit.length));
  return cpuTimeOf(() => read(`${text}\u0001`));
}

/** A part of it first: what takes the square of its text would otherwise take minutes to say so. */
const SIZES = [32 * 1024, 1024 * 1024];

describe('a megabyte that was made to be slow', () => {
  test.each(Object.entries(READERS))('takes no more than its size: %s', (_name, read) => {
    for (const size of SIZES) {
      const harmless = Math.max(...[1, 2, 3].map(() => timeOf(read, HARMLESS, size)));
      // Room for what is done for each character, and for a collection in between; the square would take thousands of times as long.
      const limit = 40 * harmless + size / 2_000;
      for (const unit of SLOW) {
        const first = timeOf(read, unit, size);
        const took = first < limit ? first : Math.min(first, timeOf(read, unit, size));
        expect(took, `${JSON.stringify(unit)} repeated to ${size} characters`).toBeLessThan(limit);
      }
    }
  });
});
