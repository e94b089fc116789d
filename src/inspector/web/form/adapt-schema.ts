/**
 * A schema in the words that the form library knows. It speaks an older draft in a few places; the schema itself
 * stays what arguments are checked against.
 */

import { isObject } from '../components/json-value.js';

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 40;
const MAPS = ['properties', '$defs', 'definitions', 'patternProperties', 'dependentSchemas'];
const LISTS = ['oneOf', 'anyOf', 'allOf'];
const SINGLE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains'];

export interface AdaptOptions {
  /** A list of choices is a set of them, as in elicitation: shown as boxes to tick. */
  readonly choicesAreSets?: boolean;
}

export function adaptSchema(schema: unknown, options: AdaptOptions = {}, depth = 0): unknown {
  if (!isObject(schema) || depth > MAX_DEPTH) return schema;
  const inner = (value: unknown) => adaptSchema(value, options, depth + 1);
  const adapted: Record<string, unknown> = { ...schema };
  for (const key of MAPS) {
    const map = schema[key];
    if (isObject(map)) {
      adapted[key] = Object.fromEntries(Object.entries(map).map(([name, value]) => [name, inner(value)]));
    }
  }
  for (const key of LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) adapted[key] = list.map(inner);
  }
  for (const key of SINGLE) if (key in schema) adapted[key] = inner(schema[key]);
  adaptTuple(schema, adapted, inner);
  adaptDependencies(schema, adapted, inner);
  adaptChoices(schema, adapted, options);
  return adapted;
}

/** `prefixItems` was a list of `items`. */
function adaptTuple(
  schema: Schema,
  adapted: Record<string, unknown>,
  inner: (value: unknown) => unknown,
): void {
  if (!Array.isArray(schema.prefixItems)) return;
  adapted.items = schema.prefixItems.map(inner);
  adapted.additionalItems = 'items' in schema ? inner(schema.items) : false;
  delete adapted.prefixItems;
}

/** `dependentRequired` and `dependentSchemas` were one word. */
function adaptDependencies(
  schema: Schema,
  adapted: Record<string, unknown>,
  inner: (value: unknown) => unknown,
): void {
  const required = isObject(schema.dependentRequired) ? schema.dependentRequired : {};
  const schemas = isObject(schema.dependentSchemas) ? schema.dependentSchemas : {};
  const known = isObject(schema.dependencies) ? schema.dependencies : {};
  const all = {
    ...known,
    ...required,
    ...Object.fromEntries(Object.entries(schemas).map(([name, value]) => [name, inner(value)])),
  };
  if (Object.keys(all).length === 0) return;
  adapted.dependencies = all;
  delete adapted.dependentRequired;
  delete adapted.dependentSchemas;
}

/** Titles of choices, by the JSON of the value: the library has no word for them that would not choose the first. */
export const TITLES = 'x-choice-titles';

function adaptChoices(schema: Schema, adapted: Record<string, unknown>, options: AdaptOptions): void {
  const choices = choicesOf(schema);
  if (choices !== undefined) {
    adapted.enum = choices.map(([value]) => value);
    adapted[TITLES] = Object.fromEntries(choices.map(([value, title]) => [JSON.stringify(value), title]));
    for (const word of ['oneOf', 'anyOf', 'enumNames']) delete adapted[word];
  }
  if (options.choicesAreSets && schema.type === 'array' && isObject(schema.items)) {
    const { items } = schema;
    if (Array.isArray(items.enum) || choicesOf(items) !== undefined) adapted.uniqueItems = true;
  }
}

/** `oneOf` or `anyOf` constants with titles, or `enum` with `enumNames`. */
function choicesOf(schema: Schema): (readonly [unknown, string])[] | undefined {
  if (Array.isArray(schema.enum) && Array.isArray(schema.enumNames)) {
    const names: readonly unknown[] = schema.enumNames;
    return schema.enum.map((value: unknown, index) => [value, String(names[index] ?? value)] as const);
  }
  const list = schema.oneOf ?? schema.anyOf;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  if (!list.every((each: unknown) => isObject(each) && 'const' in each)) return undefined;
  return list.map((each: Schema) => [each.const, String(each.title ?? each.const)] as const);
}
