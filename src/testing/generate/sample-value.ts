/** Values for arguments: from the schema first, then from what the name of the argument suggests. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { boundsOf } from '../../validate/generate/bounds.js';
import { validValue } from '../../validate/generate/values.js';

/** First match wins. */
const BY_NAME: readonly (readonly [RegExp, string])[] = [
  [/e-?mail/i, 'someone@example.com'],
  [/ur[il]|link|endpoint|website/i, 'https://example.com/'],
  [/path|file|folder|dir/i, '/tmp/example.txt'],
  [/query|search|keyword|term/i, 'test'],
  [/expression|formula/i, '2 + 2'],
  [/language|lang/i, 'javascript'],
  [/code|source|script/i, 'const answer = 42;'],
  [/date|day/i, '2030-01-31'],
  [/time/i, '12:00'],
  [/timezone|zone/i, 'UTC'],
  [/city|location|place/i, 'London'],
  [/name|title|label/i, 'example'],
  [/(^|_|-)ids?$|Id$/, '1'],
  [/content|text|message|body|description|prompt|input/i, 'Hello, world!'],
];

/** Patterns that stand for well-known forms. */
const BY_PATTERN: readonly string[] = [
  'a',
  'abc',
  'A',
  'ABC',
  '1',
  '123',
  '12345',
  '2030-01-31',
  '12:00',
  '2030-01-31T12:00:00Z',
  'someone@example.com',
  'https://example.com/',
  '00000000-0000-4000-8000-000000000000',
  '#336699',
  '+12025550123',
  'en-US',
  'example.com',
  'v1.0.0',
  '1.0.0',
];

/** A value that fits the schema of an argument of this name. */
export function sampleValue(name: string, schema: unknown, root: unknown): unknown {
  if (!isRecord(schema)) return byName(name);
  if (isGiven(schema)) return validValue(schema, root);
  const { type } = schema;
  if (type === 'string') return sampleText(name, schema);
  if (type === 'integer' || type === 'number') return sampleNumber(schema, type);
  if (type === 'array') return sampleList(name, schema, root);
  if (type === 'object' && isRecord(schema.properties)) return sampleObject(schema, root);
  return validValue(schema, root);
}

/** What the schema says itself, or says in a way that needs more than a type. */
function isGiven(schema: JsonObject): boolean {
  const keywords = ['const', 'enum', 'default', 'examples', '$ref', 'oneOf', 'anyOf', 'allOf'];
  return keywords.some((keyword) => schema[keyword] !== undefined);
}

function byName(name: string): string {
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'text';
}

export function sampleObject(schema: JsonObject, root: unknown): JsonObject {
  const properties = isRecord(schema.properties) ? schema.properties : {};
  const required: readonly unknown[] = Array.isArray(schema.required) ? schema.required : [];
  return Object.fromEntries(
    required
      .filter((name) => typeof name === 'string')
      .map((name) => [name, sampleValue(name, properties[name], root)]),
  );
}

function sampleList(name: string, schema: JsonObject, root: unknown): unknown[] {
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0;
  const singular = name.replace(/s$/, '');
  const first = sampleValue(singular, schema.items, root);
  return Array.from({ length: Math.min(Math.max(least, 1), 100) }, () => first);
}

function sampleNumber(schema: JsonObject, type: string): unknown {
  const { minimum, maximum } = boundsOf(schema);
  if (minimum !== undefined && maximum !== undefined && schema.multipleOf === undefined) {
    const middle = (minimum + maximum) / 2;
    return type === 'integer' ? Math.floor(middle) : middle;
  }
  const value = validValue(schema);
  // Zero is an edge of its own.
  return value === 0 && minimum === undefined && maximum === undefined ? 1 : value;
}

function sampleText(name: string, schema: JsonObject): string {
  const { format, pattern, minLength, maxLength } = schema;
  if (typeof format === 'string') return String(validValue(schema));
  if (typeof pattern === 'string') {
    const found = [byName(name), ...BY_PATTERN].find((text) => fits(pattern, text));
    if (found !== undefined) return found;
  }
  const least = typeof minLength === 'number' ? minLength : 0;
  const most = typeof maxLength === 'number' ? maxLength : Number.POSITIVE_INFINITY;
  return byName(name).padEnd(Math.min(least, 10_000), 'x').slice(0, Math.max(most, least));
}

const MAX_PATTERN = 200;

/** Only short texts are tried, so that no pattern of a server takes long. */
function fits(pattern: string, text: string): boolean {
  if (pattern.length > MAX_PATTERN || /[+*}]\)?[+*{]/.test(pattern)) return false;
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return false;
  }
}
