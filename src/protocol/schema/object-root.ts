/**
 * Arguments of a tool are an object, and the schema that is listed has to say so at its root (Tools, data types).
 * Unions describe themselves by their members alone; this writes down what they have in common.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { JsonSchema, ObjectSchema } from '../model/base.js';
import { createResolver, type ReferenceResolver } from './references.js';
import type { SchemaProblem } from './schema-problem.js';

export type ObjectRoot =
  | { readonly ok: true; readonly schema: ObjectSchema }
  | ({ readonly ok: false } & SchemaProblem);

const UNIONS = ['oneOf', 'anyOf', 'allOf'] as const;
/** References may lead in circles. */
const MAX_DEPTH = 20;

export function objectRoot(schema: JsonSchema): ObjectRoot {
  if (isObjectSchema(schema)) return { ok: true, schema };
  const problem = whyNoObject(schema, createResolver(schema), '', 0);
  if (problem !== undefined) return { ok: false, ...problem };
  return { ok: true, schema: { ...exclusive(schema), type: 'object' } };
}

function isObjectSchema(schema: JsonSchema): schema is ObjectSchema {
  return schema.type === 'object';
}

function whyNoObject(
  schema: unknown,
  resolve: ReferenceResolver,
  path: string,
  depth: number,
): SchemaProblem | undefined {
  const problem = { path, message: 'must have type "object", because arguments have names' };
  if (!isRecord(schema) || depth > MAX_DEPTH) return problem;
  if (schema.type !== undefined) return schema.type === 'object' ? undefined : problem;
  if (typeof schema.$ref === 'string')
    return whyNoObject(resolve(schema.$ref), resolve, path === '' ? '$ref' : `${path}.$ref`, depth + 1);
  for (const keyword of UNIONS) {
    const members = schema[keyword];
    if (!Array.isArray(members) || members.length === 0) continue;
    const start = path === '' ? keyword : `${path}.${keyword}`;
    const problems = members.map((member: unknown, index) =>
      whyNoObject(member, resolve, `${start}[${index}]`, depth + 1),
    );
    // All members of a union have to be objects; one part of an intersection is enough.
    const first = problems.find((each) => each !== undefined);
    return keyword === 'allOf' && problems.includes(undefined) ? undefined : first;
  }
  return problem;
}

/** Members that differ in the value of a property exclude each other, and `oneOf` says so to readers. */
function exclusive(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema;
  if (!Array.isArray(anyOf) || 'oneOf' in schema || !isDiscriminated(anyOf)) return schema;
  return { ...rest, oneOf: anyOf };
}

function isDiscriminated(members: readonly unknown[]): boolean {
  const [first] = members;
  if (!isRecord(first) || !isRecord(first.properties)) return false;
  return Object.keys(first.properties).some((name) => {
    const values = members.map((member) => tagOf(member, name));
    return values.every((value) => value !== undefined) && new Set(values).size === values.length;
  });
}

/** The one value that a member requires of this property. */
function tagOf(member: unknown, name: string): unknown {
  if (!isRecord(member) || !isRecord(member.properties)) return undefined;
  if (!Array.isArray(member.required) || !member.required.includes(name)) return undefined;
  const property: unknown = Object.hasOwn(member.properties, name) ? member.properties[name] : undefined;
  const value = isRecord(property) ? (property as JsonObject).const : undefined;
  return typeof value === 'object' ? undefined : value;
}
