/**
 * A schema rewritten to what a provider accepts, and the way back: arguments that fit the rewritten schema become
 * arguments that fit the original one. What a provider cannot express is put into words in the description.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { localTarget } from '../../protocol/schema/references.js';
import { PROVIDER_RULES, type Provider, type ProviderRules } from './provider-rules.js';
import { typesOf } from './refusals.js';

export type Restore = (value: unknown) => unknown;

export interface FittedSchema {
  readonly schema: JsonObject;
  /** Undefined where arguments are the same. */
  readonly restore: Restore | undefined;
}

/** References are followed this far; a recursive schema ends there in JSON text. */
const MAX_DEPTH = 5;
const SCHEMA_WORDS: ReadonlySet<string> = new Set([
  '$schema',
  '$id',
  '$defs',
  'definitions',
  '$comment',
  '$anchor',
]);

export function fitSchema(provider: Provider, schema: JsonObject): FittedSchema {
  const rules = PROVIDER_RULES[provider];
  const root = withoutRootUnions(schema, rules, schema);
  const fitted = new Fitting(rules, schema).fit({ ...root, type: 'object' }, 0);
  return { ...fitted, schema: { ...fitted.schema, type: 'object' } };
}

class Fitting {
  readonly #rules: ProviderRules;
  readonly #root: JsonObject;
  /** The provider knows only some keywords, and no references. */
  readonly #isSubset: boolean;

  constructor(rules: ProviderRules, root: JsonObject) {
    this.#rules = rules;
    this.#root = root;
    this.#isSubset = rules.keywords !== undefined;
  }

  fit(given: unknown, depth: number): FittedSchema {
    const schema = isRecord(given) ? given : {};
    if (!this.#isSubset) return this.#children(schema, depth);
    const plain = simplified(schema, this.#root);
    if (depth > MAX_DEPTH || isAnything(plain) || isOpenObject(plain, depth)) return asText(plain);
    if (Array.isArray(plain.enum)) return this.#values(plain, plain.enum);
    if (Array.isArray(plain.anyOf)) return this.#alternatives(plain, plain.anyOf, depth);
    const children = this.#children(plain, depth);
    return { ...children, schema: this.#known(children.schema) };
  }

  /** Properties and items, each fitted; names that are refused get others. */
  #children(schema: JsonObject, depth: number): FittedSchema {
    const fitted: JsonObject = { ...schema };
    const restores: Restore[] = [];
    if (isRecord(schema.properties)) {
      const { properties, names, restore } = this.#properties(schema.properties, depth);
      fitted.properties = properties;
      if (Array.isArray(schema.required))
        fitted.required = schema.required.map((name) => names.get(String(name)) ?? name);
      if (restore !== undefined) restores.push(restore);
    }
    const types = typesOf(schema);
    if (isRecord(schema.items) || (types.includes('array') && this.#rules.items !== undefined)) {
      const { schema: items, restore } = this.fit(schema.items, depth + 1);
      fitted.items = items;
      if (restore !== undefined)
        restores.push((value) =>
          Array.isArray(value) ? value.map((item: unknown) => restore(item)) : value,
        );
    }
    if (restores.length === 0) return { schema: fitted, restore: undefined };
    return {
      schema: fitted,
      restore: (value) => restores.reduce((current, restore) => restore(current), value),
    };
  }

  #properties(
    given: JsonObject,
    depth: number,
  ): {
    properties: JsonObject;
    names: ReadonlyMap<string, string>;
    restore: Restore | undefined;
  } {
    const properties: JsonObject = {};
    const names = new Map<string, string>();
    const changed = new Map<string, { readonly name: string; readonly restore: Restore | undefined }>();
    for (const [name, property] of Object.entries(given)) {
      const { schema, restore } = this.fit(property, depth + 1);
      const shown = this.#rules.property?.pattern.test(name) === false ? fittedName(name, 64) : name;
      properties[shown] =
        shown === name ? schema : noted(schema, `The server calls it ${JSON.stringify(name)}.`);
      names.set(name, shown);
      if (shown !== name || restore !== undefined) changed.set(shown, { name, restore });
    }
    if (changed.size === 0) return { properties, names, restore: undefined };
    const restore: Restore = (value) => {
      if (!isRecord(value)) return value;
      const entries = Object.entries(value).map(([shown, item]): [string, unknown] => {
        const change = changed.get(shown);
        if (change === undefined) return [shown, item];
        return [change.name, change.restore === undefined ? item : change.restore(item)];
      });
      return Object.fromEntries(entries);
    };
    return { properties, names, restore };
  }

  /** Only texts can be listed: each stands for its value. */
  #values(schema: JsonObject, values: readonly unknown[]): FittedSchema {
    const isNullable = schema.nullable === true || values.includes(null);
    const listed = values.filter((value) => value !== null);
    const texts = new Map(
      listed.map((value) => [typeof value === 'string' ? value : JSON.stringify(value), value]),
    );
    const { description, title } = schema;
    const fitted = {
      type: 'string',
      enum: [...texts.keys()],
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
      ...(isNullable ? { nullable: true } : {}),
    };
    if (listed.every((value) => typeof value === 'string')) return { schema: fitted, restore: undefined };
    return {
      schema: fitted,
      restore: (value) => (typeof value === 'string' && texts.has(value) ? texts.get(value) : value),
    };
  }

  #alternatives(schema: JsonObject, branches: readonly unknown[], depth: number): FittedSchema {
    const { anyOf: _, ...beside } = schema;
    const fitted = branches.map((branch) =>
      this.fit({ ...withoutWords(beside), ...(isRecord(branch) ? branch : {}) }, depth + 1),
    );
    const { description } = schema;
    const nullable = schema.nullable === true ? { nullable: true } : {};
    const whole = {
      anyOf: fitted.map((each) => each.schema),
      ...nullable,
      ...(description === undefined ? {} : { description }),
    };
    if (fitted.every(({ restore }) => restore === undefined)) return { schema: whole, restore: undefined };
    const restore: Restore = (value) => {
      const branch = fitted.find((each) => accepts(each.schema, value));
      return branch?.restore === undefined ? value : branch.restore(value);
    };
    return { schema: whole, restore };
  }

  /** What the provider knows; of the rest, what limits values is put into words. */
  #known(schema: JsonObject): JsonObject {
    const known: JsonObject = {};
    const lost: JsonObject = {};
    for (const [keyword, value] of Object.entries(schema)) {
      if (keyword === 'format' && !this.#knowsFormat(schema)) lost.format = value;
      else if (this.#rules.keywords?.known.has(keyword) !== false) known[keyword] = value;
      else if (!SCHEMA_WORDS.has(keyword) && !(keyword === 'additionalProperties' && value === true))
        lost[keyword] = value;
    }
    return Object.keys(lost).length === 0 ? known : noted(known, `Constraints: ${JSON.stringify(lost)}.`);
  }

  #knowsFormat(schema: JsonObject): boolean {
    const { formats } = this.#rules;
    return (
      formats === undefined ||
      typesOf(schema).some((type) => formats.known[type]?.includes(String(schema.format)))
    );
  }
}

/** A tool with this root takes any of these sets of arguments: all of them become optional ones of one set. */
function withoutRootUnions(schema: JsonObject, rules: ProviderRules, root: JsonObject): JsonObject {
  const refused = rules.root.refused.filter((keyword) => schema[keyword] !== undefined);
  if (refused.length === 0) return schema;
  const plain: JsonObject = { ...schema };
  for (const keyword of refused) delete plain[keyword];
  const properties: JsonObject = isRecord(schema.properties) ? { ...schema.properties } : {};
  const required = new Set(namesOf(schema.required));
  for (const keyword of refused) {
    const given: readonly unknown[] =
      Array.isArray(schema[keyword]) && keyword !== 'enum' ? schema[keyword] : [];
    const branches = given
      .filter((branch) => isRecord(branch))
      .map((branch) => withoutRootUnions(dereferenced(branch, root), rules, root));
    for (const branch of branches) {
      for (const [name, property] of Object.entries(isRecord(branch.properties) ? branch.properties : {})) {
        const known = properties[name];
        if (known === undefined || sameJson(known, property)) properties[name] = property;
        else
          properties[name] = {
            anyOf: [...(isRecord(known) && Array.isArray(known.anyOf) ? known.anyOf : [known]), property],
          };
      }
    }
    const lists = branches.map((branch) => namesOf(branch.required));
    const [first = [], ...others] = lists;
    const always =
      keyword === 'allOf'
        ? lists.flat()
        : first.filter((name) => others.every((list) => list.includes(name)));
    for (const name of always) required.add(name);
  }
  const words = refused.map((keyword) => `${keyword}: ${JSON.stringify(schema[keyword])}`).join('; ');
  const whole = { ...plain, properties, ...(required.size === 0 ? {} : { required: [...required] }) };
  return noted(whole, `The arguments together also have to fit ${words}.`);
}

/** Without references, `const`, `oneOf`, `allOf`, lists of types and exclusive bounds, in terms of what is left. */
function simplified(given: JsonObject, root: JsonObject): JsonObject {
  let schema = dereferenced(given, root);
  if (Array.isArray(schema.allOf)) {
    const { allOf, ...rest } = schema;
    const parts: readonly unknown[] = Array.isArray(allOf) ? allOf : [];
    schema = parts
      .filter((part) => isRecord(part))
      .reduce<JsonObject>((merged, part) => mergeAll(merged, dereferenced(part, root)), rest);
  }
  if (schema.const !== undefined) {
    const { const: value, ...rest } = schema;
    schema = { ...rest, enum: [value] };
  }
  if (Array.isArray(schema.oneOf)) {
    const { oneOf, anyOf: _, ...rest } = schema;
    schema = { ...rest, anyOf: oneOf };
  }
  if (Array.isArray(schema.anyOf)) schema = withoutNullBranch(schema, schema.anyOf, root);
  if (Array.isArray(schema.type)) {
    const { type: _, ...rest } = schema;
    const types = typesOf(schema).filter((type) => type !== 'null');
    const nullable = types.length < typesOf(schema).length ? { nullable: true } : {};
    const [only] = types;
    schema =
      types.length === 1
        ? { ...rest, type: only, ...nullable }
        : { ...rest, ...nullable, anyOf: types.map((type) => ({ type })) };
  }
  return withInclusiveBounds(schema);
}

function withoutNullBranch(schema: JsonObject, branches: readonly unknown[], root: JsonObject): JsonObject {
  const { anyOf: _, ...rest } = schema;
  const others = branches.filter((branch) => !(isRecord(branch) && branch.type === 'null'));
  const nullable = others.length < branches.length ? { nullable: true } : {};
  const [only] = others;
  if (others.length === 1 && isRecord(only)) return simplified({ ...only, ...rest, ...nullable }, root);
  return { ...rest, ...nullable, anyOf: others };
}

function withInclusiveBounds(schema: JsonObject): JsonObject {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = schema;
  if (schema.type !== 'integer') return schema;
  const minimum = typeof exclusiveMinimum === 'number' ? { minimum: Math.floor(exclusiveMinimum) + 1 } : {};
  const maximum = typeof exclusiveMaximum === 'number' ? { maximum: Math.ceil(exclusiveMaximum) - 1 } : {};
  return { ...rest, ...minimum, ...maximum };
}

function mergeAll(one: JsonObject, other: JsonObject): JsonObject {
  const both: JsonObject = { ...one, ...other };
  if (isRecord(one.properties) && isRecord(other.properties))
    both.properties = { ...one.properties, ...other.properties };
  if (one.required !== undefined && other.required !== undefined)
    both.required = [...new Set([...namesOf(one.required), ...namesOf(other.required)])];
  return both;
}

function dereferenced(schema: JsonObject, root: JsonObject): JsonObject {
  let current = schema;
  for (let step = 0; step < MAX_DEPTH && typeof current.$ref === 'string'; step += 1) {
    const { $ref, ...beside } = current;
    const target = localTarget(root, String($ref));
    current = { ...(isRecord(target) ? target : {}), ...beside };
  }
  return current;
}

function isAnything(schema: JsonObject): boolean {
  return (
    schema.type === undefined &&
    schema.enum === undefined &&
    schema.anyOf === undefined &&
    schema.properties === undefined
  );
}

/** A map, or an object of which nothing is said. */
function isOpenObject(schema: JsonObject, depth: number): boolean {
  if (depth === 0 || schema.type !== 'object') return false;
  return !isRecord(schema.properties) || Object.keys(schema.properties).length === 0;
}

/** What the provider has no type for is written as JSON in a string. */
function asText(schema: JsonObject): FittedSchema {
  const { title, description, nullable: _, ...rest } = schema;
  const meant =
    Object.keys(withoutDefinitions(rest)).length === 0
      ? ''
      : `, of the JSON Schema ${JSON.stringify(withoutDefinitions(rest))}`;
  const words = `Write it as JSON text${meant}.`;
  const fitted = noted(
    {
      type: 'string',
      ...(title === undefined ? {} : { title }),
      ...(description === undefined ? {} : { description }),
    },
    words,
  );
  return { schema: fitted, restore: parsed };
}

function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function accepts(schema: JsonObject, value: unknown): boolean {
  if (Array.isArray(schema.enum)) return schema.enum.includes(value);
  switch (schema.type) {
    case 'string':
      return typeof value === 'string';
    case 'number':
    case 'integer':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isRecord(value) && namesOf(schema.required).every((name) => Object.hasOwn(value, name));
    default:
      return true;
  }
}

const MAX_NOTE = 2_000;

function noted(schema: JsonObject, words: string): JsonObject {
  const note = words.length > MAX_NOTE ? `${words.slice(0, MAX_NOTE)}...` : words;
  const { description } = schema;
  return {
    ...schema,
    description: typeof description === 'string' && description !== '' ? `${description} ${note}` : note,
  };
}

/** A valid name that stands for one original name, whatever else is listed. */
export function fittedName(name: string, max: number): string {
  // FNV-1a: short, and the same everywhere.
  let hash = 0x811c9dc5;
  for (const character of name) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  const suffix = `_${hash.toString(36)}`;
  const plain = name.replaceAll(/[^a-zA-Z0-9_]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');
  return `${plain.slice(0, max - suffix.length)}${suffix}`;
}

function withoutWords({ title: _, description: __, ...schema }: JsonObject): JsonObject {
  return schema;
}

function withoutDefinitions(schema: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !SCHEMA_WORDS.has(keyword)));
}

function namesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function sameJson(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
