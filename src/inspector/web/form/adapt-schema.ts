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
    if (Array.isArray(list)) adapted[key] = list.map((each, index) => named(inner(each), key, index));
  }
  for (const key of SINGLE) if (key in schema) adapted[key] = inner(schema[key]);
  adaptTuple(schema, adapted, inner);
  adaptDependencies(schema, adapted, inner);
  adaptChoices(schema, adapted, options);
  return adapted;
}

/** An option of a union, under a name that tells it from the others. */
function named(option: unknown, keyword: string, index: number): unknown {
  if (keyword === 'allOf' || !isObject(option) || option.title !== undefined) return option;
  return { ...option, title: optionName(option) ?? `Option ${index + 1}` };
}

const MAX_NAMED = 3;

function optionName(option: Schema): string | undefined {
  if ('const' in option) return JSON.stringify(option.const);
  if (typeof option.$ref === 'string') return unescapedName(option.$ref);
  const properties = isObject(option.properties) ? option.properties : {};
  // What tells the options of a tagged union apart.
  const tag = Object.entries(properties).find(([, each]) => isObject(each) && 'const' in each);
  if (tag !== undefined) return `${tag[0]}: ${String((tag[1] as Schema).const)}`;
  const names = Object.keys(properties);
  if (names.length > 0) {
    const rest = names.length > MAX_NAMED ? ', …' : '';
    return `${names.slice(0, MAX_NAMED).join(', ')}${rest}`;
  }
  const { type, items, format } = option;
  if (type === 'array' && isObject(items) && typeof items.type === 'string') return `list of ${items.type}`;
  if (typeof type !== 'string') return undefined;
  return typeof format === 'string' ? `${type} (${format})` : type;
}

function unescapedName(pointer: string): string {
  const last = pointer.split('/').at(-1) ?? pointer;
  return last.replaceAll('~1', '/').replaceAll('~0', '~');
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
