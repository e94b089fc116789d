/** Reads the JSON Schema of a tool as far as it is needed to convert an argument. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { localTarget } from '../../protocol/schema/references.js';

const COMBINATORS = ['anyOf', 'oneOf', 'allOf'] as const;
/** References may go in circles. */
const MAX_DEPTH = 20;

/** The root goes along, because references start there. */
interface Located {
  readonly schema: JsonObject;
  readonly root: JsonObject;
}

const ROOTS = new WeakMap<JsonObject, JsonObject>();

/** The schema of a property, wherever combinators and references have put it. */
export function propertySchema(schema: unknown, name: string): unknown {
  for (const { schema: part, root } of parts(schema)) {
    const { properties } = part;
    const found = isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (isRecord(found)) {
      ROOTS.set(found, root);
      return found;
    }
  }
  return undefined;
}

/** The schema of a list's items. */
export function itemSchema(schema: unknown): unknown {
  for (const { schema: part, root } of parts(schema)) {
    if (!isRecord(part.items)) continue;
    ROOTS.set(part.items, root);
    return part.items;
  }
  return undefined;
}

/** The types that a value may have; empty when the schema does not say. */
export function typesOf(schema: unknown): ReadonlySet<string> {
  const types = new Set<string>();
  for (const { schema: part } of parts(schema)) {
    for (const type of Array.isArray(part.type) ? part.type : [part.type]) {
      if (typeof type === 'string') types.add(type);
    }
    if (part.type === undefined) for (const choice of ownChoices(part)) types.add(typeName(choice));
  }
  return types;
}

/** The values of enumerations. */
export function choicesOf(schema: unknown): readonly unknown[] {
  return parts(schema).flatMap(({ schema: part }) => ownChoices(part));
}

export function acceptsArray(schema: unknown): boolean {
  const types = typesOf(schema);
  return types.size === 0 || types.has('array');
}

function ownChoices(part: JsonObject): readonly unknown[] {
  if (Array.isArray(part.enum)) return part.enum;
  return part.const === undefined ? [] : [part.const];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function parts(schema: unknown): Located[] {
  if (!isRecord(schema)) return [];
  return collect(schema, ROOTS.get(schema) ?? schema, 0);
}

function collect(schema: JsonObject, root: JsonObject, depth: number): Located[] {
  if (depth > MAX_DEPTH) return [];
  const inner = COMBINATORS.flatMap((combinator) => {
    const members = schema[combinator];
    return Array.isArray(members) ? members.filter(isRecord) : [];
  });
  const referred = typeof schema.$ref === 'string' ? localTarget(root, schema.$ref) : undefined;
  if (isRecord(referred)) inner.push(referred);
  return [{ schema, root }, ...inner.flatMap((member) => collect(member, root, depth + 1))];
}
