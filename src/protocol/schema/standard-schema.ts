/** The part of the Standard Schema interface that Plumb uses. zod, valibot and arktype schemas satisfy it. */

import type { JsonSchema } from '../model/base.js';

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

/** The schema's own description, or the error that explains what to do about a library without one. */
export function assertDescribable(schema: StandardSchema): Description {
  const { vendor, jsonSchema } = schema['~standard'];
  if (jsonSchema !== undefined) return jsonSchema;
  const hint =
    vendor === 'valibot'
      ? 'wrap it: toStandardJsonSchema(schema) from "@valibot/to-json-schema"'
      : 'upgrade the library to a version with Standard JSON Schema support, or pass a plain JSON Schema';
  throw new TypeError(`This ${vendor} schema cannot describe itself as JSON Schema; ${hint}`);
}

/** The JSON Schema that the library gives for its own schema. */
export function describeStandardSchema(schema: StandardSchema, direction: 'input' | 'output'): JsonSchema {
  return assertDescribable(schema)[direction]({ target: 'draft-2020-12' }) as JsonSchema;
}
