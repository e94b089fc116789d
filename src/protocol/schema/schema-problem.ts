/**
 * What is wrong with a JSON Schema, without compiling it: a validator is loaded and compiled with the first call, and by
 * then the author is no longer there to read its error. Keywords that are not listed here are left to the validator.
 */

import { isRecord } from '../../jsonrpc/message.js';
import type { JsonSchema } from '../model/base.js';
import { createResolver, type ReferenceResolver } from './references.js';
import { LIST_KEYWORDS, MAP_KEYWORDS, SCHEMA_KEYWORDS } from './schema-keywords.js';

export interface SchemaProblem {
  /** Where in the schema: `properties.city.type`; empty for its root. */
  readonly path: string;
  readonly message: string;
}

const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
const isTypeName = (value: unknown): boolean => TYPE_NAMES.some((name) => name === value);
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const areTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

type Rule = (value: unknown, resolve: ReferenceResolver) => string | undefined;

const must =
  (holds: (value: unknown) => boolean, message: string): Rule =>
  (value) =>
    holds(value) ? undefined : message;

const count = must(isCount, 'must be a whole number that is not negative');
const number = must(Number.isFinite, 'must be a number');

const RULES: ReadonlyMap<string, Rule> = new Map([
  ['type', typeRule],
  ['required', must(areTexts, 'must be an array of property names')],
  ['enum', must(Array.isArray, 'must be an array of values')],
  ['pattern', patternRule],
  ['$ref', referenceRule],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map(
    (name): [string, Rule] => [name, number],
  ),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(
    (name): [string, Rule] => [name, count],
  ),
]);

/** A schema with more parts than this is refused when it is compiled. */
const MAX_PARTS = 20_000;

interface Part {
  readonly path: string;
  readonly schema: unknown;
}

/** The first problem, in the order in which the schema is written. */
export function findSchemaProblem(root: JsonSchema): SchemaProblem | undefined {
  const resolve = createResolver(root);
  const parts: Part[] = [{ path: '', schema: root }];
  for (let visited = 0; visited < MAX_PARTS; visited += 1) {
    const part = parts.pop();
    if (part === undefined) return undefined;
    const { path, schema } = part;
    if (typeof schema === 'boolean') continue;
    if (!isRecord(schema)) return { path, message: `must be a schema, and is ${shown(schema)}` };
    const below: Part[] = [];
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === undefined) continue;
      const place = within(path, keyword);
      const message = RULES.get(keyword)?.(value, resolve) ?? shapeProblem(keyword, value);
      if (message !== undefined) return { path: place, message };
      below.push(...subschemas(keyword, value, place));
    }
    parts.push(...below.reverse());
  }
  return undefined;
}

function shapeProblem(keyword: string, value: unknown): string | undefined {
  if (LIST_KEYWORDS.has(keyword) && !(Array.isArray(value) && value.length > 0))
    return 'must be a list of schemas';
  if (MAP_KEYWORDS.has(keyword) && !isRecord(value)) return 'must be an object of schemas, by name';
  return undefined;
}

function subschemas(keyword: string, value: unknown, path: string): Part[] {
  if (LIST_KEYWORDS.has(keyword) && Array.isArray(value))
    return value.map((schema: unknown, index) => ({ path: `${path}[${index}]`, schema }));
  if (MAP_KEYWORDS.has(keyword) && isRecord(value))
    return Object.entries(value)
      .filter(([, schema]) => schema !== undefined)
      .map(([name, schema]) => ({ path: within(path, name), schema }));
  if (!SCHEMA_KEYWORDS.has(keyword)) return [];
  // A list of schemas stands here in the older drafts.
  return Array.isArray(value)
    ? value.map((schema: unknown, index) => ({ path: `${path}[${index}]`, schema }))
    : [{ path, schema: value }];
}

function typeRule(value: unknown): string | undefined {
  if (isTypeName(value)) return undefined;
  if (Array.isArray(value) && value.length > 0) {
    const wrong: unknown = value.find((name) => !isTypeName(name));
    return wrong === undefined ? undefined : typeRule(wrong);
  }
  return `${shown(value)} is not a type; use one of ${TYPE_NAMES.join(', ')}`;
}

function patternRule(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a regular expression, as a string';
  try {
    new RegExp(value, 'u');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function referenceRule(value: unknown, resolve: ReferenceResolver): string | undefined {
  if (typeof value !== 'string') return 'must be a string, such as "#/$defs/city"';
  if (resolve(value) !== undefined) return undefined;
  if (value.startsWith('#')) return `${shown(value)} refers to nothing in this schema`;
  // A relative reference may be resolved against an `$id`; the validator knows.
  if (!URL.canParse(value) || new URL(value).hostname === 'json-schema.org') return undefined;
  return `${shown(value)} is not fetched; put that schema under "$defs" and refer to it there`;
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 60)}...` : text;
}
