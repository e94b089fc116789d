/**
 * Changes one entry of a configuration file and leaves every other byte as it is. Each format has an editor; all of
 * them splice text at positions that a parser gives, and parse the result again before they return it.
 */

import { isDeepStrictEqual } from 'node:util';
import { isRecord, type JsonObject } from '../../../jsonrpc/message.js';
import { UsageError } from '../../failure/failure.js';

/** Where the entries of a file are. */
export interface Container {
  /** Keys from the root of the document. */
  readonly path: readonly string[];
  /** A list of objects, each with its name in this field, rather than a map by name. */
  readonly nameField?: string;
}

export interface ConfigEditor {
  /** The whole document; undefined when the file is blank. Throws `ConfigSyntaxError`. */
  parse(text: string): unknown;
  /** Adds the entry, or replaces the one of this name. */
  set(text: string, container: Container, name: string, entry: JsonObject): string;
  remove(text: string, container: Container, name: string): string;
}

/** The file is not in the format that the client reads. */
export class ConfigSyntaxError extends UsageError {
  readonly line: number;

  constructor(message: string, line: number, cause?: unknown) {
    super(message, { cause });
    this.line = line;
  }
}

/** How a file is written, for text that is added to it. */
export interface TextStyle {
  readonly bom: string;
  readonly eol: string;
}

const BOM = '\ufeff';

export function styleOf(text: string): TextStyle {
  return { bom: text.startsWith(BOM) ? BOM : '', eol: /\r?\n/.exec(text)?.[0] ?? '\n' };
}

export function splice(text: string, from: number, to: number, replacement: string): string {
  return text.slice(0, from) + replacement + text.slice(to);
}

/** The white space at the beginning of the line of this position. */
export function indentAt(text: string, position: number): string {
  const start = text.lastIndexOf('\n', position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, position))?.[0] ?? '';
}

export function lineOf(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/** The entries of a document by name, in order. Entries that are no objects are kept for the caller to report. */
export function entriesOf(document: unknown, { path, nameField }: Container): ReadonlyMap<string, unknown> {
  const found = path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);
  if (nameField === undefined) return new Map(isRecord(found) ? Object.entries(found) : []);
  const items = Array.isArray(found) ? found.filter(isRecord) : [];
  return new Map(items.map((item) => [String(item[nameField]), item]));
}

/**
 * Wraps an editor of text without a byte order mark. The result must differ from the original in this entry only:
 * where the splice went wrong (an anchor that is used elsewhere, a form that the editor does not know), the file is
 * left alone.
 */
export function checkedEditor(editor: ConfigEditor): ConfigEditor {
  const change = (
    text: string,
    container: Container,
    name: string,
    entry: JsonObject | undefined,
    edit: (body: string) => string,
  ): string => {
    const { bom } = styleOf(text);
    const body = text.slice(bom.length);
    const before = editor.parse(body);
    const changed = edit(body);
    let after: unknown;
    try {
      after = editor.parse(changed);
    } catch (cause) {
      throw refused(name, cause);
    }
    const expected = new Map(entriesOf(before, container));
    if (entry === undefined) expected.delete(name);
    else expected.set(name, withName(entry, name, container));
    const same =
      isDeepStrictEqual(
        plain(Object.fromEntries(entriesOf(after, container))),
        plain(Object.fromEntries(expected)),
      ) && isDeepStrictEqual(plain(without(after, container.path)), plain(without(before, container.path)));
    if (!same) throw refused(name);
    return bom + changed;
  };
  return {
    parse: (text) => editor.parse(text.slice(styleOf(text).bom.length)),
    set: (text, container, name, entry) =>
      change(text, container, name, entry, (body) => editor.set(body, container, name, entry)),
    remove: (text, container, name) =>
      change(text, container, name, undefined, (body) => editor.remove(body, container, name)),
  };
}

/** What a list item looks like: the name comes first. */
export function withName(entry: JsonObject, name: string, { nameField }: Container): JsonObject {
  return nameField === undefined ? entry : { [nameField]: name, ...entry };
}

/** Parsers make objects with and without a prototype, which say the same. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Date || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
}

function refused(name: string, cause?: unknown): UsageError {
  return new UsageError(
    `The entry "${name}" is written in a form that cannot be changed without touching other settings; edit the file by hand`,
    { cause },
  );
}

/** The rest of the document; a parent that is there only for the entries counts as missing. */
function without(document: unknown, path: readonly string[]): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return undefined;
  if (!isRecord(document)) return {};
  const { [key]: inner, ...others } = document;
  const kept = rest.length === 0 ? undefined : without(inner, rest);
  return isRecord(kept) && Object.keys(kept).length > 0 ? { ...others, [key]: kept } : others;
}
