/** What can be written next in a JSON text, as its schema has it. */

import { localTarget } from '../../../protocol/schema/references.js';
import { isObject, parseJson } from './json-value.js';

export interface JsonOption {
  readonly label: string;
  readonly detail?: string;
  readonly insert: string;
  /** Where the caret goes, counted from the beginning of what was inserted. */
  readonly caret: number;
}

export interface JsonCompletion {
  /** The stretch of text that the choice replaces. */
  readonly from: number;
  readonly to: number;
  readonly options: readonly JsonOption[];
}

interface Place {
  /** Names and positions from the root to the value that the caret is in. */
  readonly path: readonly (string | number)[];
  readonly expects: 'name' | 'value';
  /** Names that the object has already. */
  readonly taken: readonly string[];
  readonly from: number;
}

const NOTHING = { from: 0, to: 0, options: [] } as const;

export function completeJson(text: string, caret: number, schema: unknown): JsonCompletion {
  const place = placeOf(text, caret);
  if (place === undefined) return NOTHING;
  const typed = text.slice(place.from, caret);
  const at = resolvePath(schema, place.path, schema);
  const all = place.expects === 'name' ? names(at, place.taken, schema) : values(at, schema);
  const options = all.filter(({ label }) => startsLike(label, typed)).slice(0, 50);
  // Nothing to offer for what is written out already.
  if (options.length === 1 && options[0]?.insert === typed) return NOTHING;
  return { from: place.from, to: caret + restOfWord(text, caret), options };
}

function startsLike(label: string, typed: string): boolean {
  return label.toLowerCase().startsWith(typed.replace(/^"/, '').toLowerCase());
}

/** The end of a string that the caret is in, on the same line. */
function restOfWord(text: string, caret: number): number {
  return /^[\w.-]*"?/.exec(text.slice(caret))?.[0].length ?? 0;
}

interface Frame {
  readonly kind: 'object' | 'array';
  index: number;
  name: string | undefined;
  readonly taken: string[];
  afterColon: boolean;
}

/** Reads the text up to the caret. Undefined where nothing can be offered, as inside a long text. */
function placeOf(text: string, caret: number): Place | undefined {
  const frames: Frame[] = [];
  let position = 0;
  let from = 0;
  while (position < caret) {
    const character = text[position] ?? '';
    const frame = frames.at(-1);
    if (character === '"') {
      const end = endOfString(text, position);
      if (end === undefined || end > caret) return inside(frames, position);
      const parsed = parseJson(text.slice(position, end));
      if (frame?.kind === 'object' && !frame.afterColon && parsed.ok) {
        frame.name = String(parsed.value);
        frame.taken.push(frame.name);
      }
      position = end;
      from = end;
      continue;
    }
    if (character === '{' || character === '[') {
      const kind = character === '{' ? 'object' : 'array';
      frames.push({ kind, index: 0, name: undefined, taken: [], afterColon: false });
    } else if (character === '}' || character === ']') frames.pop();
    else if (character === ':' && frame) frame.afterColon = true;
    else if (character === ',' && frame) {
      frame.index += 1;
      frame.name = undefined;
      frame.afterColon = false;
    }
    position += 1;
    if (!/[\w.+-]/.test(character)) from = position;
  }
  return inside(frames, from);
}

function inside(frames: readonly Frame[], from: number): Place | undefined {
  const frame = frames.at(-1);
  if (frame === undefined) return undefined;
  const outer = frames.slice(0, -1).map((each) => (each.kind === 'array' ? each.index : (each.name ?? '')));
  if (frame.kind === 'array') return { path: [...outer, frame.index], expects: 'value', taken: [], from };
  if (frame.afterColon) return { path: [...outer, frame.name ?? ''], expects: 'value', taken: [], from };
  if (frame.name !== undefined) return undefined;
  return { path: outer, expects: 'name', taken: frame.taken, from };
}

function endOfString(text: string, start: number): number | undefined {
  for (let position = start + 1; position < text.length; position += 1) {
    if (text[position] === '\\') position += 1;
    else if (text[position] === '"') return position + 1;
    else if (text[position] === '\n') return undefined;
  }
  return undefined;
}

type Schema = Readonly<Record<string, unknown>>;

/** Local references only; a schema that refers to itself ends after this many steps. */
const MAX_REFERENCES = 20;

function settle(schema: unknown, root: unknown): Schema[] {
  let current = schema;
  for (let step = 0; step < MAX_REFERENCES; step += 1) {
    if (!isObject(current)) return [];
    if (typeof current.$ref !== 'string' || !current.$ref.startsWith('#')) break;
    current = localTarget(root, current.$ref);
  }
  if (!isObject(current)) return [];
  const parts = [current.allOf, current.anyOf, current.oneOf].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  return [current, ...parts.filter(isObject)];
}

function resolvePath(schema: unknown, path: readonly (string | number)[], root: unknown): readonly Schema[] {
  let current = settle(schema, root);
  for (const step of path) {
    const next = current.flatMap((each) => {
      if (typeof step === 'number') {
        const tuple = Array.isArray(each.prefixItems) ? each.prefixItems[step] : undefined;
        return [tuple ?? each.items];
      }
      return isObject(each.properties) ? [each.properties[step]] : [];
    });
    current = next.flatMap((each) => settle(each, root));
  }
  return current;
}

function names(schemas: readonly Schema[], taken: readonly string[], root: unknown): JsonOption[] {
  const found = new Map<string, unknown>();
  for (const { properties } of schemas) {
    if (isObject(properties))
      for (const [name, schema] of Object.entries(properties)) found.set(name, schema);
  }
  return [...found]
    .filter(([name]) => !taken.includes(name))
    .map(([name, schema]) => {
      const [settled] = settle(schema, root);
      const value = startOf(settled);
      const insert = `${JSON.stringify(name)}: ${value}`;
      const inner = value === '""' || value === '[]' || value === '{}' ? 1 : 0;
      const detail = typeof settled?.type === 'string' ? settled.type : undefined;
      return {
        label: name,
        insert,
        caret: insert.length - inner,
        ...(detail === undefined ? {} : { detail }),
      };
    });
}

function startOf(schema: Schema | undefined): string {
  if (schema?.default !== undefined) return JSON.stringify(schema.default);
  switch (schema?.type) {
    case 'string':
      return '""';
    case 'array':
      return '[]';
    case 'object':
      return '{}';
    default:
      return '';
  }
}

function values(schemas: readonly Schema[], root: unknown): JsonOption[] {
  const found = schemas.flatMap((schema) => [
    ...(Array.isArray(schema.enum) ? schema.enum : []),
    ...('const' in schema ? [schema.const] : []),
    ...(schema.type === 'boolean' ? [true, false] : []),
    ...('default' in schema ? [schema.default] : []),
    ...(Array.isArray(schema.examples) ? schema.examples : []),
    ...settle(schema, root).flatMap((part) => ('const' in part ? [part.const] : [])),
  ]);
  return [...new Set(found.map((value) => JSON.stringify(value)))].map((insert) => ({
    label: insert.replace(/^"|"$/g, ''),
    insert,
    caret: insert.length,
  }));
}
