/** TypeScript types of values, from the schema they are checked against. */

import type { StandardSchema } from './standard-schema.js';

/** A JSON Schema written as a literal; anything readable as an object works, `as const` gives exact types. */
export type JsonSchemaLiteral = { readonly [key: string]: unknown };

export type AnySchema = StandardSchema | JsonSchemaLiteral;

/** What a handler receives after validation. */
export type InferOutput<S> =
  S extends StandardSchema<infer _Input, infer Output>
    ? Output
    : S extends JsonSchemaLiteral
      ? FromJsonSchema<S>
      : never;

/** What has to be given so that validation accepts it. */
export type InferInput<S> =
  S extends StandardSchema<infer Input, infer _Output>
    ? Input
    : S extends JsonSchemaLiteral
      ? FromJsonSchema<S>
      : never;

/** Follows the common keywords; what it does not know becomes `unknown`. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly oneOf: readonly { readonly const: infer Value }[] }
      ? Value
      : S extends { readonly anyOf: readonly { readonly const: infer Value }[] }
        ? Value
        : S extends { readonly type: 'string' }
          ? string
          : S extends { readonly type: 'number' | 'integer' }
            ? number
            : S extends { readonly type: 'boolean' }
              ? boolean
              : S extends { readonly type: 'null' }
                ? null
                : S extends { readonly type: 'array'; readonly items: infer Items }
                  ? FromJsonSchema<Items>[]
                  : S extends { readonly type: 'array' }
                    ? unknown[]
                    : S extends { readonly properties: infer Properties }
                      ? FromProperties<Properties, RequiredKeys<S>>
                      : S extends { readonly type: 'object' }
                        ? { [key: string]: unknown }
                        : unknown;

type RequiredKeys<S> = S extends { readonly required: readonly (infer Key)[] } ? Key : never;

type FromProperties<Properties, Required> = Flatten<
  {
    -readonly [Key in keyof Properties as Key extends Required ? Key : never]: FromJsonSchema<
      Properties[Key]
    >;
  } & {
    -readonly [Key in keyof Properties as Key extends Required ? never : Key]?: FromJsonSchema<
      Properties[Key]
    >;
  }
>;

type Flatten<T> = { [Key in keyof T]: T[Key] };
