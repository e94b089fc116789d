/** Brings a user's schema into the narrow shape that elicitation forms allow. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { JsonSchema } from '../protocol/model/base.js';
import type { ElicitSchema, PrimitiveSchema } from '../protocol/model/elicitation.js';

const LABELS = ['title', 'description', 'default'] as const;

const KEYWORDS: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['string', ['minLength', 'maxLength', 'format', 'enum', 'enumNames', 'oneOf']],
  ['number', ['minimum', 'maximum']],
  ['integer', ['minimum', 'maximum']],
  ['boolean', []],
  ['array', ['items', 'minItems', 'maxItems']],
]);

const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

export function toElicitSchema(schema: JsonSchema): ElicitSchema {
  if (schema.type !== 'object' || !isRecord(schema.properties)) {
    throw new TypeError('An elicitation form must be an object schema with properties');
  }
  const properties = Object.entries(schema.properties).map(([name, field]): [string, PrimitiveSchema] => [
    name,
    toField(name, field),
  ]);
  const required = Array.isArray(schema.required)
    ? schema.required.filter((name) => typeof name === 'string')
    : [];
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

function toField(name: string, field: unknown): PrimitiveSchema {
  if (!isRecord(field)) throw new TypeError(`Form field "${name}" has no schema`);
  const keywords = KEYWORDS.get(field.type);
  const choosable = field.type !== 'array' || isChoice(field.items);
  if (keywords === undefined || !choosable) {
    throw new TypeError(
      `Form field "${name}" must be a string, number, integer, boolean, or a choice of strings; forms are flat`,
    );
  }
  const kept: JsonObject = { type: field.type };
  for (const keyword of [...LABELS, ...keywords]) {
    if (field[keyword] !== undefined) kept[keyword] = field[keyword];
  }
  if (!FORMATS.has(kept.format)) delete kept.format;
  return kept as unknown as PrimitiveSchema;
}

function isChoice(items: unknown): boolean {
  return isRecord(items) && (Array.isArray(items.enum) || Array.isArray(items.anyOf));
}
