/** YAML: entries in a block map or a block list under a top-level key, and in flow collections. */

import {
  type Document,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseAllDocuments,
  stringify,
  type YAMLMap,
} from 'yaml';
import type { JsonObject } from '../../../jsonrpc/message.js';
import { UsageError } from '../../failure/failure.js';
import {
  type ConfigEditor,
  ConfigSyntaxError,
  type Container,
  checkedEditor,
  lineOf,
  splice,
  styleOf,
  withName,
} from './editor.js';

const UNIT = 2;

export const yamlEditor: ConfigEditor = checkedEditor({
  parse: (text) => documentOf(text)?.toJS(),
  set: (text, container, name, entry) => {
    const removed = entrySpan(text, container, name);
    const value = withName(entry, name, container);
    if (removed !== undefined) return replace(text, removed, container, name, value);
    return insert(text, container, name, value);
  },
  remove: (text, container, name) => remove(text, container, name),
});

function documentOf(text: string): Document.Parsed | undefined {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return undefined;
  const [first, second] = documents;
  if (second !== undefined) throw new ConfigSyntaxError('more than one YAML document in the file', 1);
  const [error] = first?.errors ?? [];
  if (error !== undefined) {
    const line = lineOf(text, error.pos[0]);
    throw new ConfigSyntaxError(
      `not valid YAML at line ${line}: ${error.message.split('\n')[0]}`,
      line,
      error,
    );
  }
  return first?.contents === null ? undefined : first;
}

interface Place {
  readonly root: YAMLMap;
  readonly pair: Pair<unknown, unknown> | undefined;
}

/** All containers are one key below the root. */
function placeOf(text: string, { path }: Container): Place | undefined {
  const contents = documentOf(text)?.contents;
  if (contents === undefined || contents === null) return undefined;
  if (!isMap(contents))
    throw new UsageError('The file is not a YAML map, so no entry can be added to it; edit it by hand');
  const [key] = path;
  return { root: contents, pair: contents.items.find((pair) => keyOf(pair) === key) };
}

function keyOf(pair: Pair<unknown, unknown>): unknown {
  return isScalar(pair.key) ? pair.key.value : pair.key;
}

interface Span {
  readonly from: number;
  readonly to: number;
  readonly column: number;
  readonly flow: boolean;
  readonly only: boolean;
}

function entrySpan(text: string, container: Container, name: string): Span | undefined {
  const value = placeOf(text, container)?.pair?.value;
  if (!isCollection(value)) return undefined;
  const { nameField } = container;
  const items: readonly unknown[] = value.items;
  const index = items.findIndex((item) =>
    nameField === undefined
      ? isPair(item) && String(keyOf(item)) === name
      : isMap(item) && String(item.get(nameField)) === name,
  );
  const item = items[index];
  if (item === undefined) return undefined;
  const start = rangeOf(isPair(item) ? item.key : item)[0];
  const end = isPair(item)
    ? item.value === null
      ? rangeOf(item.key)[1]
      : rangeOf(item.value)[1]
    : rangeOf(item)[1];
  const only = items.length === 1;
  if (value.flow === true) {
    const next = items[index + 1];
    const previous = items[index - 1];
    if (next !== undefined)
      return { from: start, to: rangeOf(isPair(next) ? next.key : next)[0], column: 0, flow: true, only };
    const from =
      previous === undefined
        ? start
        : rangeOf(isPair(previous) ? (previous.value ?? previous.key) : previous)[1];
    return { from, to: end, column: 0, flow: true, only };
  }
  const column = columnOf(text, rangeOf(value)[0]);
  return {
    from: lineStart(text, start),
    to: lineEnd(text, trimmedEnd(text, end)),
    column,
    flow: false,
    only,
  };
}

function insert(text: string, container: Container, name: string, value: JsonObject): string {
  const { eol } = styleOf(text);
  const place = placeOf(text, container);
  const [key = ''] = container.path;
  if (place?.pair === undefined) {
    if (place?.root.flow === true)
      return insertFlow(text, place.root, `${JSON.stringify(key)}: ${flowOf(container, name, value)}`);
    const body = block(container, name, value, UNIT, eol);
    const closed = text === '' || text.endsWith('\n');
    return `${text}${closed ? '' : eol}${key}:${eol}${body}${closed ? eol : ''}`;
  }
  const { pair } = place;
  const existing = pair.value;
  if (isCollection(existing) && existing.items.length > 0) {
    if (existing.flow === true) return insertFlow(text, existing, flowItem(container, name, value));
    const [start, end] = rangeOf(existing);
    const at = lineEnd(text, trimmedEnd(text, end));
    return splice(text, at, at, `${eol}${block(container, name, value, columnOf(text, start), eol)}`);
  }
  const empty =
    isCollection(existing) || (isScalar(existing) && existing.value === null) || existing === null;
  if (!empty)
    throw new UsageError(`"${key}" holds a value that no entry can be added to; edit the file by hand`);
  const colon = text.indexOf(':', rangeOf(pair.key)[1]) + 1;
  const to = isCollection(existing) ? rangeOf(existing)[1] : colon;
  const body = `${eol}${block(container, name, value, UNIT, eol)}`;
  const comment = lineEnd(text, to);
  const kept = text.slice(to, comment).trimEnd();
  return splice(text, colon, comment, `${kept === '' ? '' : ` ${kept.trimStart()}`}${body}`);
}

function replace(text: string, span: Span, container: Container, name: string, value: JsonObject): string {
  const { eol } = styleOf(text);
  if (!span.flow) return splice(text, span.from, span.to, block(container, name, value, span.column, eol));
  return insert(remove(text, container, name), container, name, value);
}

function remove(text: string, container: Container, name: string): string {
  const span = entrySpan(text, container, name);
  if (span === undefined) return text;
  if (span.flow) return splice(text, span.from, span.to, '');
  const before = text.slice(0, span.from).replace(/\r?\n$/, '').length;
  const changed = splice(text, before, span.to, '');
  if (!span.only) return changed;
  // A key without a value would be null, which clients do not take for an empty collection.
  const key = placeOf(changed, container)?.pair?.key;
  const colon = text.indexOf(':', rangeOf(key)[1]) + 1;
  return splice(changed, colon, colon, container.nameField === undefined ? ' {}' : ' []');
}

function block(container: Container, name: string, value: JsonObject, column: number, eol: string): string {
  const item = container.nameField === undefined ? { [name]: value } : [value];
  const margin = ' '.repeat(column);
  const lines = stringify(item, { indent: UNIT, lineWidth: 0 }).trimEnd().split('\n');
  return lines.map((line) => (line === '' ? '' : margin + line)).join(eol);
}

function flowItem({ nameField }: Container, name: string, value: JsonObject): string {
  return nameField === undefined
    ? `${JSON.stringify(name)}: ${JSON.stringify(value)}`
    : JSON.stringify(value);
}

function flowOf(container: Container, name: string, value: JsonObject): string {
  const item = flowItem(container, name, value);
  return container.nameField === undefined ? `{${item}}` : `[${item}]`;
}

function insertFlow(text: string, collection: Node, item: string): string {
  const last: unknown = isCollection(collection) ? collection.items.at(-1) : undefined;
  if (last === undefined) {
    const at = rangeOf(collection)[0] + 1;
    return splice(text, at, at, item);
  }
  const at = rangeOf(isPair(last) ? (last.value ?? last.key) : last)[1];
  return splice(text, at, at, `, ${item}`);
}

function isPair(item: unknown): item is Pair<unknown, unknown> {
  return typeof item === 'object' && item !== null && 'key' in item && !isSeq(item) && !isMap(item);
}

function rangeOf(node: unknown): readonly [start: number, valueEnd: number] {
  const range = typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined;
  if (!Array.isArray(range) || typeof range[0] !== 'number' || typeof range[1] !== 'number') {
    throw new UsageError(
      'The entry is written in a form that cannot be changed safely; edit the file by hand',
    );
  }
  return [range[0], range[1]];
}

function lineStart(text: string, position: number): number {
  return text.lastIndexOf('\n', position - 1) + 1;
}

function columnOf(text: string, position: number): number {
  return position - lineStart(text, position);
}

/** The end of the line without its line break. */
function lineEnd(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? Math.max(end - 1, position) : end;
}

/** A block collection ends where its last line does, not with the blank lines and comments behind it. */
function trimmedEnd(text: string, end: number): number {
  return text.slice(0, end).trimEnd().length;
}
