/**
 * One spelling for each URI. A rule that judges what the caller wrote can be walked around with another spelling of the
 * same thing (`file:///public/../secret`, `FILE://`, `%73ecret`), so rules judge this form, and this form is what goes
 * on. Without rules nothing is changed: to a server its URIs are opaque.
 */

import { canonicalName, trimmed } from './canonical-name.js';

/** What servers and file systems take apart with a parser of URLs. */
const PARSED: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'file']);
const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
const TEMPLATE_EXPRESSION = /(\{[^{}]*\})/;

/** The URI in one spelling; undefined for one that different readers take for different things. */
export function canonicalUri(uri: string): string | undefined {
  const text = withoutBreaks(trimmed(uri));
  const scheme = SCHEME.exec(text)?.[0].slice(0, -1).toLowerCase();
  // Not a URI at all: there is nothing in it that could be written in another way.
  if (scheme === undefined) return uri;
  const canonical = PARSED.has(scheme) ? parsedUri(scheme, text) : plainUri(scheme, text);
  return canonical === undefined || climbs(canonical) ? undefined : canonical;
}

/** The same for a template: its expressions stay as they are. */
export function canonicalTemplate(template: string): string {
  const scheme = SCHEME.exec(template)?.[0].toLowerCase();
  if (scheme === undefined) return template;
  const parts = `${scheme}${template.slice(scheme.length)}`.split(TEMPLATE_EXPRESSION);
  return parts.map((part, index) => (index % 2 === 1 ? part : normalEscapes(part))).join('');
}

/** A pattern as its author wrote it, and as it has to be to match canonical names, URIs and templates. */
export function spellingsOf(pattern: string): string[] {
  return [
    ...new Set([
      pattern,
      canonicalName(pattern),
      canonicalUri(pattern) ?? pattern,
      canonicalTemplate(pattern),
    ]),
  ];
}

/**
 * How a reader may take a canonical URI: as it is, without its fragment, without a host that a reader of files ignores,
 * and with what is escaped in its path. What forbids one of them forbids the URI.
 */
export function readingsOf(canonical: string): string[] {
  const readings = new Set([canonical]);
  const [bare = canonical] = canonical.split('#', 1);
  readings.add(bare);
  if (bare.startsWith('file://')) readings.add(`file://${bare.slice(pathStart(bare))}`);
  return [...readings];
}

/** For lists of what is forbidden: escaped separators count as separators. */
export function decodedReadingsOf(canonical: string): string[] {
  const readings = readingsOf(canonical);
  return [...new Set([...readings, ...readings.map(decodedFully)])];
}

function withoutBreaks(text: string): string {
  return text.replaceAll(/[\t\n\r]/g, '');
}

function parsedUri(scheme: string, text: string): string | undefined {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return undefined;
  }
  const host = url.host.endsWith('.') ? url.host.slice(0, -1) : url.host;
  const user = url.username === '' && url.password === '' ? '' : `${url.username}:${url.password}@`;
  if (scheme !== 'file')
    return `${scheme}://${user}${host}${withoutDots(normalEscapes(url.pathname))}${normalEscapes(url.search)}${normalEscapes(url.hash)}`;
  // A file has no query and no fragment, and no separator that is not one (RFC 8089).
  const path = normalEscapes(url.pathname).replaceAll(/%2F|%5C|\\/g, '/');
  return `file://${host}${withoutDots(path.replaceAll(/\/{2,}/g, '/'))}`;
}

function plainUri(scheme: string, text: string): string {
  const rest = normalEscapes(text.slice(scheme.length + 1));
  const start = rest.startsWith('//') ? pathStart(rest) : 0;
  const end = firstOf(rest, start, '?', '#');
  return `${scheme}:${rest.slice(0, start)}${withoutDots(rest.slice(start, end))}${rest.slice(end)}`;
}

/** Where the path begins in `//authority/path`, or in `scheme://authority/path`. */
function pathStart(text: string): number {
  return firstOf(text, text.indexOf('//') + 2, '/', '?', '#');
}

function firstOf(text: string, from: number, ...marks: readonly string[]): number {
  const places = marks.map((mark) => text.indexOf(mark, from)).filter((place) => place >= 0);
  return places.length === 0 ? text.length : Math.min(...places);
}

/** Escapes in capitals and only where they are needed (RFC 3986, 6.2.2), and everywhere that they are. */
function normalEscapes(text: string): string {
  return text.replaceAll(/%[0-9A-Fa-f]{2}|%|[^\x21-\x7e]+|["<>\\^`{|}]/g, (found) => {
    if (found.length === 3 && found.startsWith('%')) {
      const character = String.fromCharCode(Number.parseInt(found.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(character) ? character : found.toUpperCase();
    }
    return escaped(found);
  });
}

function escaped(text: string): string {
  let written = '';
  // Not encodeURIComponent: half of a surrogate pair must not throw.
  for (const byte of new TextEncoder().encode(text))
    written += `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  return written;
}

/** RFC 3986, 5.2.4, in one pass. */
function withoutDots(path: string): string {
  if (!path.includes('.')) return path;
  const segments = path.split('/');
  const kept: string[] = [];
  const isRooted = path.startsWith('/');
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '..') {
      if (kept.length > (isRooted ? 1 : 0)) kept.pop();
      if (isLast) kept.push('');
    } else if (segment !== '.') kept.push(segment);
    else if (isLast) kept.push('');
  }
  return kept.join('/');
}

/** Whether a reader that decodes what is escaped finds a way up in the path. */
function climbs(canonical: string): boolean {
  const start = canonical.indexOf(':') + 1;
  const path = canonical.slice(start, firstOf(canonical, start, '?', '#'));
  if (!path.includes('%') && !path.includes('.')) return false;
  return decodedFully(path)
    .split('/')
    .some((segment) => segment.includes('\0') || /^\.\.?(?:;.*)?$/s.test(segment));
}

/** Escaped separators, dots, zeros and percent signs, however often they were escaped. */
function decodedFully(text: string): string {
  let decoded = text;
  for (let round = 0; round < MAX_ROUNDS && decoded.includes('%'); round += 1) {
    const before = decoded;
    decoded = decoded.replaceAll(
      /%(?:2[EF5]|5C|00)/gi,
      (found) => STRUCTURE.get(found.toUpperCase()) ?? found,
    );
    if (decoded === before) break;
  }
  return decoded.replaceAll('\\', '/');
}

const MAX_ROUNDS = 8;
const STRUCTURE: ReadonlyMap<string, string> = new Map([
  ['%2E', '.'],
  ['%2F', '/'],
  ['%25', '%'],
  ['%5C', '/'],
  ['%00', '\0'],
]);

/** Listed spellings to be remembered, so that a server gets its own URIs and names back as it wrote them. */
const MAX_SPELLINGS = 10_000;
const MAX_SPELLING = 4096;

export class Spellings {
  readonly #listed = new Map<string, string>();

  listed(canonical: string, spelling: string): void {
    if (spelling === canonical || spelling.length > MAX_SPELLING) return;
    this.#listed.delete(canonical);
    this.#listed.set(canonical, spelling);
    const [oldest] = this.#listed.size > MAX_SPELLINGS ? this.#listed.keys() : [];
    if (oldest !== undefined) this.#listed.delete(oldest);
  }

  of(canonical: string): string {
    return this.#listed.get(canonical) ?? canonical;
  }
}
