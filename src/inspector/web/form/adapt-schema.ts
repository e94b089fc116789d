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

function adaptChoices(schema: Schema, adapted: Record<string, unknown>, options: AdaptOptions): void {
  if (Array.isArray(schema.enum) && Array.isArray(schema.enumNames)) {
    const names: readonly unknown[] = schema.enumNames;
    adapted.oneOf = schema.enum.map((value: unknown, index) => ({
      const: value,
      title: String(names[index] ?? value),
    }));
    delete adapted.enum;
    delete adapted.enumNames;
  }
  if (options.choicesAreSets && schema.type === 'array' && isObject(schema.items)) {
    const { items } = schema;
    if (Array.isArray(items.enum) || Array.isArray(items.anyOf) || Array.isArray(items.oneOf)) {
      adapted.uniqueItems = true;
    }
  }
}
