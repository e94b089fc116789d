/**
 * TOML: entries as tables (`[mcp_servers.NAME]` and tables below it), dotted keys, or inline tables on lines of their
 * own. The text is taken apart into statements, each of which is a header or a key with its value.
 */

import { parse, stringify, TomlError } from 'smol-toml';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { type ConfigEditor, ConfigSyntaxError, checkedEditor, styleOf } from './editor.js';

/** Numbers beyond 2^53 are legal, and none of our business. */
const WHOLE_NUMBERS = { integersAsBigInt: 'asNeeded' } as const;

export const tomlEditor: ConfigEditor = checkedEditor({
  parse: (text) => (text.trim() === '' ? undefined : parseDocument(text)),
  set: (text, { path }, name, entry) => {
    const { eol } = styleOf(text);
    const block = table([...path, name], entry);
    const lines = linesOf(text);
    const owned = ownedLines(lines, [...path, name]);
    const first = lines.findIndex((_line, index) => owned.has(index));
    if (first >= 0 && isHeader(lines[first] ?? '')) {
      const kept = lines.map((line, index) => (owned.has(index) ? undefined : line));
      const closing = /\r?\n$/.exec(lines[lastOf(owned)] ?? '')?.[0] ?? '';
      kept[first] = block.join(eol) + closing;
      return kept.filter((line) => line !== undefined).join('');
    }
    const rest = first < 0 ? text : without(lines, owned);
    if (rest.trim() === '') return `${rest}${block.join(eol)}${eol}`;
    const closed = rest.endsWith('\n');
    return `${rest}${closed ? '' : eol}${eol}${block.join(eol)}${closed ? eol : ''}`;
  },
  remove: (text, { path }, name) => {
    const lines = linesOf(text);
    const owned = ownedLines(lines, [...path, name]);
    const first = lines.findIndex((_line, index) => owned.has(index));
    if (first < 0) return text;
    // The blank line above the table belongs to it, and at the end of a file without a line break, that break too.
    if (isHeader(lines[first] ?? '') && (lines[first - 1] ?? '-').trim() === '') owned.add(first - 1);
    const rest = without(lines, owned);
    return lastOf(owned) === lines.length - 1 && !text.endsWith('\n') ? rest.replace(/\r?\n$/, '') : rest;
  },
});

function parseDocument(text: string): unknown {
  try {
    return parse(text, WHOLE_NUMBERS);
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause;
    const [reason] = cause.message.replace(/^Invalid TOML document: /, '').split('\n');
    throw new ConfigSyntaxError(`not valid TOML at line ${cause.line}: ${reason}`, cause.line, cause);
  }
}

/** Lines with their line breaks. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/).filter((line) => line !== '');
}

function without(lines: readonly string[], owned: ReadonlySet<number>): string {
  return lines.filter((_line, index) => !owned.has(index)).join('');
}

function lastOf(owned: ReadonlySet<number>): number {
  return Math.max(...owned);
}

function isHeader(line: string): boolean {
  return /^\s*\[/.test(line);
}

/** The lines of everything below `path`. Comments and blank lines before the next header belong to that one. */
function ownedLines(lines: readonly string[], path: readonly string[]): Set<number> {
  const owned = new Set<number>();
  let current: readonly string[] = [];
  let pending: number[] = [];
  let inside = false;
  let between = false;
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (/^\s*(#.*)?\s*$/.test(line)) {
      pending.push(index);
      continue;
    }
    const { content, length } = statementAt(lines, index);
    if (isHeader(line)) {
      current = headerPath(content);
      // From one table of the entry to the next, what stands between them belongs to it too.
      between = inside && startsWith(current, path);
      inside = startsWith(current, path);
    } else between = inside;
    if (between) for (const blank of pending) owned.add(blank);
    pending = [];
    if (inside || (!isHeader(line) && isBelow(current, content, path))) {
      for (let offset = 0; offset < length; offset += 1) owned.add(index + offset);
    }
    index += length - 1;
  }
  return owned;
}

/** One statement may have several lines: it ends where it can be parsed. */
function statementAt(lines: readonly string[], start: number): { content: unknown; length: number } {
  let text = '';
  for (let index = start; index < lines.length; index += 1) {
    text += lines[index];
    try {
      return { content: parse(text, WHOLE_NUMBERS), length: index - start + 1 };
    } catch (error) {
      if (!(error instanceof TomlError)) throw error;
    }
  }
  return { content: {}, length: 1 };
}

function headerPath(content: unknown): string[] {
  const path: string[] = [];
  let value = content;
  for (;;) {
    if (Array.isArray(value)) value = value[0];
    const [key] = isRecord(value) ? Object.keys(value) : [];
    if (key === undefined || !isRecord(value)) return path;
    path.push(key);
    value = value[key];
  }
}

function startsWith(path: readonly string[], prefix: readonly string[]): boolean {
  return prefix.every((key, index) => path[index] === key);
}

/** Whether a statement in the table `current` sets something at or below `path`, and nothing else. */
function isBelow(current: readonly string[], content: unknown, path: readonly string[]): boolean {
  if (!startsWith(path, current)) return false;
  let value = content;
  for (const key of path.slice(current.length)) {
    if (!isRecord(value) || Object.keys(value).length !== 1 || !(key in value)) return false;
    value = value[key];
  }
  return true;
}

function table(path: readonly string[], entry: JsonObject): string[] {
  const fields = Object.entries(entry).map(([key, value]) => `${keyText(key)} = ${valueText(value)}`);
  return [`[${path.map(keyText).join('.')}]`, ...fields];
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** Inline, so that an entry is one table. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (isRecord(value)) {
    const fields = Object.entries(value).map(([key, item]) => `${keyText(key)} = ${valueText(item)}`);
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
  }
  return stringify({ value }).trimEnd().slice('value = '.length);
}
