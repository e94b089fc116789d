/** Arguments of tools, from their input schemas. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { boundsOf } from './bounds.js';
import { validValue } from './values.js';

export interface Case {
  /** What is special about it. */
  readonly name: string;
  readonly args: JsonObject;
}

export function validArguments(schema: unknown): JsonObject {
  const value = validValue(schema);
  return isRecord(value) ? value : {};
}

/** One case for each edge that a top-level property has. All of them fit the schema. */
export function boundaryCases(schema: unknown): readonly Case[] {
  const base = validArguments(schema);
  return propertiesOf(schema).flatMap(([name, property]) =>
    edges(property).map((value) => ({ name: `${name} at its edge`, args: { ...base, [name]: value } })),
  );
}

/** One case for each rule of the schema that a value can break. None of them fits. */
export function invalidCases(schema: unknown): readonly Case[] {
  const base = validArguments(schema);
  const required = isRecord(schema) && Array.isArray(schema.required) ? schema.required : [];
  const missing = required
    .filter((name): name is string => typeof name === 'string')
    .map((name): Case => {
      const { [name]: _, ...args } = base;
      return { name: `without ${name}`, args };
    });
  const wrong = propertiesOf(schema).flatMap(([name, property]) =>
    breaches(property).map(
      ([what, value]): Case => ({ name: `${name} ${what}`, args: { ...base, [name]: value } }),
    ),
  );
  return [...wrong, ...missing];
}

function propertiesOf(schema: unknown): [string, JsonObject][] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return [];
  return Object.entries(schema.properties).filter((entry): entry is [string, JsonObject] =>
    isRecord(entry[1]),
  );
}

function edges(property: JsonObject): unknown[] {
  const values: unknown[] = [];
  if (Array.isArray(property.enum)) values.push(...property.enum);
  const { minimum, maximum } = boundsOf(property);
  for (const edge of [minimum, maximum]) if (edge !== undefined) values.push(edge);
  for (const length of [property.minLength, property.maxLength]) {
    if (typeof length === 'number' && length <= 10_000) values.push('x'.repeat(length));
  }
  if (property.type === 'boolean') values.push(false);
  if (property.type === 'string' && values.length === 0) values.push('Zażółć 你好 🎉\nsecond line');
  return values;
}

const OTHER_TYPE: Readonly<Record<string, unknown>> = {
  string: { not: 'a string' },
  number: 'not a number',
  integer: 'not a number',
  boolean: 'not a boolean',
  array: 'not an array',
  object: 'not an object',
};

/** Only rules that servers check with their schema library; what libraries read differently is left alone. */
function breaches(property: JsonObject): [string, unknown][] {
  const found: [string, unknown][] = [];
  const { type, enum: choices, minLength, maxLength, minItems, maxItems } = property;
  const { minimum, maximum } = boundsOf(property);
  if (typeof type === 'string' && type in OTHER_TYPE) {
    found.push(['of a wrong type', OTHER_TYPE[type]]);
    found.push(['null', null]);
  }
  if (minimum !== undefined) found.push(['too small', minimum - 1]);
  if (maximum !== undefined) found.push(['too large', maximum + 1]);
  if (Array.isArray(choices) && choices.every((choice) => typeof choice === 'string')) {
    found.push(['not among the choices', 'plumb-no-such-choice']);
  }
  if (type === 'string' && typeof minLength === 'number' && minLength > 0)
    found.push(['too short', 'x'.repeat(minLength - 1)]);
  if (type === 'string' && typeof maxLength === 'number' && maxLength < 100_000)
    found.push(['too long', 'x'.repeat(maxLength + 1)]);
  if (type === 'integer') found.push(...fraction(minimum ?? Math.min(maximum ?? 0, 0)));
  if (type === 'array') found.push(...arrayBreaches(property, numberOr(minItems), numberOr(maxItems)));
  return found;
}

/** None, where the number is so large that half of one more is lost. */
function fraction(integer: number): [string, unknown][] {
  return Number.isInteger(integer + 0.5) ? [] : [['with a fraction', integer + 0.5]];
}

function arrayBreaches(
  { items }: JsonObject,
  minItems: number | undefined,
  maxItems: number | undefined,
): [string, unknown][] {
  const found: [string, unknown][] = [];
  const item = validValue(items);
  if (minItems !== undefined && minItems > 0) found.push(['with too few items', []]);
  if (maxItems !== undefined && maxItems < 1_000)
    found.push(['with too many items', Array.from({ length: maxItems + 1 }, () => item)]);
  const type = isRecord(items) && typeof items.type === 'string' ? OTHER_TYPE[items.type] : undefined;
  if (type !== undefined) found.push(['with items of a wrong type', [type]]);
  return found;
}

function numberOr(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
