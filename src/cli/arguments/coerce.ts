/** A word of the command line as a value of the type that a schema asks for. */

import { isRecord } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import { choicesOf, itemSchema, typesOf } from './schema-types.js';

const YES: ReadonlySet<string> = new Set(['true', 'yes', 'on', '1']);
const NO: ReadonlySet<string> = new Set(['false', 'no', 'off', '0']);
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

type Reader = (text: string, schema: unknown, key: string) => { readonly value: unknown } | undefined;

/** Narrow types first: text fits everything, so it comes last. */
const READERS: readonly (readonly [type: string, read: Reader])[] = [
  ['null', (text) => (text === 'null' ? { value: null } : undefined)],
  [
    'integer',
    (text) => (NUMBER.test(text) && Number.isInteger(Number(text)) ? { value: Number(text) } : undefined),
  ],
  ['number', (text) => (NUMBER.test(text) ? { value: Number(text) } : undefined)],
  ['boolean', readBoolean],
  ['object', (text) => readJson(text, isRecord)],
  [
    'array',
    (text, schema, key) => readJson(text, Array.isArray) ?? { value: [coerceItem(key, text, schema)] },
  ],
  ['string', (text) => ({ value: text })],
];

/** Text stays text where the schema does not say otherwise. */
export function coerce(key: string, text: string, schema: unknown): unknown {
  const choice = choicesOf(schema).find(
    (candidate) => candidate === text || JSON.stringify(candidate) === text,
  );
  if (choice !== undefined) return choice;
  const types = typesOf(schema);
  if (types.size === 0) return text;
  for (const [type, read] of READERS) {
    const found = types.has(type) ? read(text, schema, key) : undefined;
    if (found !== undefined) return found.value;
  }
  throw new UsageError(`${key}=${text}: must be ${describe(types)}; force JSON with ${key}:=...`);
}

/** One item of a list. */
export function coerceItem(key: string, text: string, listSchema: unknown): unknown {
  return coerce(key, text, itemSchema(listSchema));
}

function readBoolean(text: string): { value: boolean } | undefined {
  const word = text.toLowerCase();
  if (YES.has(word)) return { value: true };
  return NO.has(word) ? { value: false } : undefined;
}

function readJson(text: string, fits: (value: unknown) => boolean): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

const WORDS: Readonly<Record<string, string>> = {
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'a JSON object',
  array: 'a JSON array',
  null: 'null',
};

function describe(types: ReadonlySet<string>): string {
  return [...types].map((type) => WORDS[type] ?? type).join(' or ');
}
