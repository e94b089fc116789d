/** `key=value` and `key:=JSON` words, and how they become one object. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import { coerce, coerceItem } from './coerce.js';
import { acceptsArray, propertySchema } from './schema-types.js';

interface Assignment {
  readonly key: string;
  readonly text: string;
  /** `:=`: the text is JSON, whatever the schema has. */
  readonly json: boolean;
}

export function parseAssignment(word: string): Assignment {
  const equals = word.indexOf('=');
  if (equals < 1)
    throw new UsageError(`${JSON.stringify(word)} is not an argument; write key=value, or key:=JSON`);
  const json = equals > 1 && word[equals - 1] === ':';
  return { key: word.slice(0, json ? equals - 1 : equals), text: word.slice(equals + 1), json };
}

/** The words as an object, typed by the schema where it has types, on top of `base`. */
export function assign(words: readonly string[], schema: unknown, base: JsonObject = {}): JsonObject {
  const result: JsonObject = structuredClone(base);
  for (const [key, assignments] of byKey(words.map(parseAssignment))) {
    const path = pathOf(key, schema);
    const field = path.reduce<unknown>((within, name) => propertySchema(within, name), schema);
    setPath(result, path, assignedValue(key, assignments, field), key);
  }
  return result;
}

function byKey(assignments: readonly Assignment[]): Map<string, Assignment[]> {
  const grouped = new Map<string, Assignment[]>();
  for (const assignment of assignments) {
    grouped.set(assignment.key, [...(grouped.get(assignment.key) ?? []), assignment]);
  }
  return grouped;
}

/** `a.b` is b within a, unless the schema has a property of that very name. */
function pathOf(key: string, schema: unknown): string[] {
  if (propertySchema(schema, key) !== undefined) return [key];
  const path = key.split('.');
  if (path.some((name) => name === ''))
    throw new UsageError(`"${key}" is not a key; write a.b=value for b within a`);
  return path;
}

function assignedValue(key: string, assignments: readonly Assignment[], field: unknown): unknown {
  const [first, ...more] = assignments;
  if (first === undefined) return undefined;
  if (more.length === 0) return first.json ? parseJson(key, first.text) : coerce(key, first.text, field);
  if (field !== undefined && !acceptsArray(field)) {
    throw new UsageError(`"${key}" is given ${assignments.length} times, and is not a list`);
  }
  return assignments.map(({ text, json }) => (json ? parseJson(key, text) : coerceItem(key, text, field)));
}

function parseJson(key: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(
      `${key}:= needs JSON, not ${JSON.stringify(text)}; text goes in quotes: ${key}:='"text"'`,
      { cause },
    );
  }
}

function setPath(target: JsonObject, path: readonly string[], value: unknown, key: string): void {
  const [name = '', ...rest] = path;
  // On a plain object this would replace the prototype and vanish from the JSON.
  if (name === '__proto__') throw new UsageError(`"${key}" cannot be written as key=value; use --args`);
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  const within = Object.hasOwn(target, name) ? target[name] : {};
  if (!isRecord(within))
    throw new UsageError(`"${key}" is within "${name}", which was given a value of its own`);
  setPath(within, rest, value, key);
  target[name] = within;
}
