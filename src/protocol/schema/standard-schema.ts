/** The part of the Standard Schema interface that Plumb uses. zod, valibot and arktype schemas satisfy it. */

import type { JsonSchema } from '../model/base.js';
import { leanDescription } from './lean.js';

/** A schema in the form that libraries agreed on (standardschema.dev). */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    /** Standard JSON Schema: present where the library can describe itself. */
    readonly jsonSchema?: {
      readonly input: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
      readonly output: (options: { readonly target: 'draft-2020-12' }) => Record<string, unknown>;
    };
  };
}

export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

export function isStandardSchema(value: unknown): value is StandardSchema {
  // arktype schemas are functions with properties, the others are objects.
  return (
    ((typeof value === 'object' && value !== null) || typeof value === 'function') &&
    '~standard' in value &&
    typeof value['~standard'] === 'object'
  );
}

type Description = NonNullable<StandardSchema['~standard']['jsonSchema']>;

/**
 * Adds a JSON Schema to a schema whose library cannot describe it: zod 3, zod/mini, zod before 4.2, valibot.
 * `jsonSchema` is that description, or the library's converter.
 */
export function withJsonSchema<Input, Output>(
  schema: StandardSchema<Input, Output>,
  jsonSchema: object | ((schema: never) => object),
): StandardSchema<Input, Output> {
  const describe = (): Record<string, unknown> => ({
    ...(typeof jsonSchema === 'function' ? jsonSchema(schema as never) : jsonSchema),
  });
  return { '~standard': { ...schema['~standard'], jsonSchema: { input: describe, output: describe } } };
}

/** What to do about a schema of this library that comes without a description. */
const CONVERTERS: Readonly<Record<string, string>> = {
  zod:
    'use zod 4.2 or newer, or add the description with withJsonSchema from "plumb-mcp/server": ' +
    'withJsonSchema(schema, z.toJSONSchema) for zod/mini and zod 4, ' +
    'withJsonSchema(schema, zodToJsonSchema) with "zod-to-json-schema" for zod 3',
  valibot: 'wrap it: toStandardJsonSchema(schema) from "@valibot/to-json-schema"',
  arktype: 'use arktype 2.1.28 or newer',
};

/** The schema's own description, or the error that explains what to do about a library without one. */
export function assertDescribable(schema: StandardSchema): Description {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) return jsonSchema;
  const hint =
    CONVERTERS[vendor] ??
    'use a version of the library with Standard JSON Schema, or add the description: withJsonSchema(schema, jsonSchema)';
  throw new TypeError(`This ${vendor} schema cannot describe itself as JSON Schema; ${hint}`);
}

/** The JSON Schema that the library gives for its own schema. */
export function describeStandardSchema(schema: StandardSchema, direction: 'input' | 'output'): JsonSchema {
  try {
    return leanDescription(assertDescribable(schema)[direction]({ target: 'draft-2020-12' }));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const path = undescribedPart(schema, direction, 0);
    const place = path === '' ? '' : `${path}: `;
    throw new TypeError(`${place}${reason}; use a type that JSON has, such as a string that you transform`, {
      cause: error,
    });
  }
}

const MAX_DEPTH = 20;

/** Where the part is that has no description. Libraries do not say; their parts can be tried one by one. */
function undescribedPart(schema: StandardSchema, direction: 'input' | 'output', depth: number): string {
  if (depth > MAX_DEPTH) return '';
  for (const [name, part] of partsOf(schema)) {
    if (!isStandardSchema(part) || isDescribed(part, direction)) continue;
    const inside = undescribedPart(part, direction, depth + 1);
    return name === '' || inside === '' ? name + inside : `${name}.${inside}`;
  }
  return '';
}

function isDescribed(schema: StandardSchema, direction: 'input' | 'output'): boolean {
  try {
    return schema['~standard'].jsonSchema?.[direction]({ target: 'draft-2020-12' }) !== undefined;
  } catch {
    return false;
  }
}

/** The parts of a zod schema, by its definition: fields, items, members, and what is wrapped. */
function partsOf(schema: object): [string, unknown][] {
  const def: unknown = Reflect.get(schema, 'def');
  if (typeof def !== 'object' || def === null) return [];
  const { shape, element, options, items, innerType, valueType } = def as Readonly<Record<string, unknown>>;
  return [
    ...(typeof shape === 'object' && shape !== null ? Object.entries(shape) : []),
    ...[options, items].flatMap((list): [string, unknown][] =>
      Array.isArray(list) ? list.map((part: unknown, index) => [`[${index}]`, part]) : [],
    ),
    ['[]', element],
    ['{}', valueType],
    ['', innerType],
  ];
}
