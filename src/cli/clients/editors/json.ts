/** JSON with comments and trailing commas, as editors write their settings. */

import {
  createScanner,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { JsonObject } from '../../../jsonrpc/message.js';
import { UsageError } from '../../failure/failure.js';
import {
  type ConfigEditor,
  ConfigSyntaxError,
  checkedEditor,
  indentAt,
  lineOf,
  splice,
  styleOf,
} from './editor.js';

/** Kinds of tokens, as the scanner numbers them (its `const enum` cannot be imported by isolated modules). */
const COMMA = 5;
const LINE_COMMENT = 12;
const BLOCK_COMMENT = 13;
const LINE_BREAK = 14;
const BLANKS = 15;

const DEFAULT_INDENT = '  ';

export const jsonEditor: ConfigEditor = checkedEditor({
  parse: (text) => {
    const root = parse(text);
    return root === undefined ? undefined : getNodeValue(root);
  },
  set: (text, { path }, name, entry) => setProperty(text, [...path, name], entry),
  remove: (text, { path }, name) => removeProperty(text, [...path, name]),
});

function parse(text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
  const [first] = errors;
  if (first === undefined) return root;
  const line = lineOf(text, first.offset);
  throw new ConfigSyntaxError(
    `not valid JSON at line ${line}: ${words(printParseErrorCode(first.error))}`,
    line,
  );
}

/** `CommaExpected` as "comma expected". */
function words(code: string): string {
  return code.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function setProperty(text: string, path: readonly string[], value: JsonObject): string {
  const { eol } = styleOf(text);
  const root = parse(text);
  if (root === undefined) {
    const head = text.trim() === '' ? '' : `${text.trimEnd()}${eol}`;
    return `${head}${render(nested(path, value), '', DEFAULT_INDENT, eol)}${eol}`;
  }
  let object = assertObject(root, []);
  for (const [depth, key] of path.entries()) {
    const found = propertyOf(object, key)?.children?.[1];
    const rest = path.slice(depth + 1);
    if (found === undefined) return insert(text, object, key, nested(rest, value), indentUnit(text, root));
    if (rest.length === 0) {
      const base = indentAt(text, found.offset);
      const inline = !text.slice(object.offset, object.offset + object.length).includes('\n');
      const written = inline ? JSON.stringify(value) : render(value, base, indentUnit(text, root), eol);
      return splice(text, found.offset, endOf(found), written);
    }
    object = assertObject(found, path.slice(0, depth + 1));
  }
  return text;
}

function removeProperty(text: string, path: readonly string[]): string {
  let object: Node | undefined = parse(text);
  for (const key of path.slice(0, -1)) object = object && propertyOf(object, key)?.children?.[1];
  const siblings = object?.children ?? [];
  const index = siblings.findLastIndex((property) => keyOf(property) === path.at(-1));
  const property = siblings[index];
  if (object === undefined || property === undefined) return text;
  const previous = siblings[index - 1];
  const next = siblings[index + 1];
  const after = tailOf(text, endOf(property));

  // In one line with its neighbours: up to the next, or from the end of the one before.
  if (next !== undefined && !text.slice(object.offset, next.offset).includes('\n')) {
    return splice(text, property.offset, next.offset, '');
  }
  const from = text.slice(0, property.offset).trimEnd().length;
  if (next !== undefined || after.comma !== undefined) {
    const changed = splice(text, from, after.lineEnd, '');
    return siblings.length > 1 ? changed : emptied(changed, object.offset);
  }
  const changed = splice(text, from, after.lineEnd, '');
  if (previous === undefined) return emptied(changed, object.offset);
  const comma = tailOf(text, endOf(previous)).comma;
  return comma === undefined ? changed : splice(changed, comma, comma + 1, '');
}

/** `{}` instead of braces with nothing but white space between them. */
function emptied(text: string, open: number): string {
  const [blank] = /^\{\s*\}/.exec(text.slice(open)) ?? [];
  return blank === undefined ? text : splice(text, open, open + blank.length, '{}');
}

function insert(text: string, object: Node, key: string, value: JsonObject, unit: string): string {
  const { eol } = styleOf(text);
  const base = indentAt(text, object.offset);
  const close = endOf(object) - 1;
  const last = object.children?.at(-1);
  if (last === undefined) {
    const inner = text.slice(object.offset + 1, close);
    const kept = inner.trimEnd();
    const line = `${eol}${base}${unit}${property(key, value, base + unit, unit, eol)}`;
    return splice(text, object.offset + 1 + kept.length, close, `${line}${eol}${base}`);
  }
  const after = tailOf(text, endOf(last));
  const [first = last] = object.children ?? [];
  if (!text.slice(object.offset, first.offset).includes('\n')) {
    const gap = /\s/.test(text[object.offset + 1] ?? '') || text.includes(', ') ? ' ' : '';
    const written = `${gap}${JSON.stringify(key)}:${gap}${JSON.stringify(value)}`;
    if (after.comma === undefined) return splice(text, endOf(last), endOf(last), `,${written}`);
    return splice(text, after.comma + 1, after.comma + 1, `${written},`);
  }
  const indent = indentAt(text, last.offset);
  const line = `${eol}${indent}${property(key, value, indent, unit, eol)}`;
  const grown = splice(text, after.lineEnd, after.lineEnd, after.comma === undefined ? line : `${line},`);
  return after.comma === undefined ? splice(grown, endOf(last), endOf(last), ',') : grown;
}

function property(key: string, value: JsonObject, indent: string, unit: string, eol: string): string {
  return `${JSON.stringify(key)}: ${render(value, indent, unit, eol)}`;
}

function render(value: JsonObject, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, null, unit).split('\n').join(`${eol}${indent}`);
}

interface Tail {
  /** Where the comma after a value is. */
  readonly comma: number | undefined;
  /** The end of what belongs to the value on its last line: the comma, and comments behind it. */
  readonly lineEnd: number;
}

function tailOf(text: string, position: number): Tail {
  const scanner = createScanner(text, false);
  scanner.setPosition(position);
  let comma: number | undefined;
  let lineEnd = position;
  let sameLine = true;
  for (;;) {
    const token: number = scanner.scan();
    const end = scanner.getTokenOffset() + scanner.getTokenLength();
    if (token === BLANKS) continue;
    if (token === LINE_BREAK) sameLine = false;
    else if (token === COMMA && comma === undefined) {
      comma = scanner.getTokenOffset();
      // A comma at the beginning of a later line takes the lines before along.
      sameLine = true;
      lineEnd = end;
    } else if (token === LINE_COMMENT || token === BLOCK_COMMENT) {
      if (sameLine) lineEnd = end;
    } else return { comma, lineEnd };
  }
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

function keyOf(property: Node): unknown {
  return property.children?.[0]?.value;
}

/** The last of several with the same key, which is the one that parsers take. */
function propertyOf(object: Node, key: string): Node | undefined {
  return object.children?.findLast((property) => keyOf(property) === key);
}

function assertObject(node: Node, path: readonly string[]): Node {
  if (node.type === 'object') return node;
  const place = path.length === 0 ? 'The file' : `"${path.join('.')}"`;
  throw new UsageError(
    `${place} is not a JSON object, so no entry can be added to it; edit the file by hand`,
  );
}

function nested(path: readonly string[], value: JsonObject): JsonObject {
  return path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value);
}

/** One level of indentation: that of the first property of the document that begins a line. */
function indentUnit(text: string, root: Node): string {
  const [first] = root.children ?? [];
  if (first === undefined) return DEFAULT_INDENT;
  return indentAt(text, first.offset) || DEFAULT_INDENT;
}
