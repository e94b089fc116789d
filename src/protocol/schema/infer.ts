/** TypeScript types of values, from the schema they are checked against. */

import type { StandardSchema } from './standard-schema.js';

/** A JSON Schema written as a literal; anything readable as an object works, `as const` gives exact types. */
export type JsonSchemaLiteral = { readonly [key: string]: unknown };

/** A schema of zod, valibot, arktype or another Standard Schema library, or a JSON Schema literal. */
export type AnySchema = StandardSchema | JsonSchemaLiteral;

/** What a handler receives after validation, defaults included. */
export type InferOutput<S> =
  S extends StandardSchema<infer _Input, infer Output>
    ? Output
    : S extends JsonSchemaLiteral
      ? FromJsonSchema<S, 'output'>
      : never;

/** What has to be given so that validation accepts it. */
export type InferInput<S> =
  S extends StandardSchema<infer Input, infer _Output>
    ? Input
    : S extends JsonSchemaLiteral
      ? FromJsonSchema<S, 'input'>
      : never;

/** Properties with a default are there after validation, and need not be there before. */
type Side = 'input' | 'output';

/**
 * The type of a JSON Schema literal: `type` (one or several), `properties`, `required`, `default`,
 * `additionalProperties`, `items`, `prefixItems`, `enum`, `const`, `allOf`, `anyOf`, `oneOf`, and `$ref` into `$defs`.
 * What it does not know becomes `unknown`.
 */
export type FromJsonSchema<S, On extends Side = 'output', Root = S> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly $ref: infer Reference }
      ? FromJsonSchema<Referred<Reference, Root>, On, Root>
      : S extends { readonly const: infer Value }
        ? Mutable<Value>
        : S extends { readonly enum: readonly (infer Value)[] }
          ? Mutable<Value>
          : Combined<S, On, Root>;

/** Keywords that combine schemas add to what stands beside them. */
type Combined<S, On extends Side, Root> = S extends
  | { readonly allOf: readonly unknown[] }
  | { readonly anyOf: readonly unknown[] }
  | { readonly oneOf: readonly unknown[] }
  ? Joined<FromOwn<S, On, Root>, FromAll<S, On, Root>, FromSome<S, Root>>
  : FromOwn<S, On, Root>;

/** An open object says nothing that its members do not say better. */
type Joined<Own, All, Some> = unknown extends Own
  ? Simplified<All & Some>
  : string extends keyof Own
    ? unknown extends All & Some
      ? Own
      : Simplified<All & Some>
    : Simplified<Own & All & Some>;

type FromAll<S, On extends Side, Root> = S extends { readonly allOf: infer Members }
  ? Intersection<Members, On, Root>
  : unknown;

type Intersection<Members, On extends Side, Root> = Members extends readonly [infer First, ...infer Rest]
  ? FromJsonSchema<First, On, Root> & Intersection<Rest, On, Root>
  : unknown;

/** Defaults of one alternative are not filled in: which of them a value is meant to be is not known by then. */
type FromSome<S, Root> = (S extends { readonly anyOf: readonly (infer Member)[] }
  ? Each<Member, Root>
  : unknown) &
  (S extends { readonly oneOf: readonly (infer Member)[] } ? Each<Member, Root> : unknown);

type Each<Member, Root> = Member extends unknown ? FromJsonSchema<Member, 'input', Root> : never;

type FromOwn<S, On extends Side, Root> = S extends { readonly type: infer Type }
  ? Type extends readonly (infer One)[]
    ? FromType<One, S, On, Root>
    : FromType<Type, S, On, Root>
  : S extends { readonly properties: unknown }
    ? FromObject<S, On, Root>
    : S extends { readonly prefixItems: unknown }
      ? FromArray<S, On, Root>
      : unknown;

type FromType<Type, S, On extends Side, Root> = Type extends 'string'
  ? string
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'null'
        ? null
        : Type extends 'array'
          ? FromArray<S, On, Root>
          : Type extends 'object'
            ? FromObject<S, On, Root>
            : // A schema that is no literal has a type like any string; its properties still say something.
              S extends { readonly properties: unknown }
              ? FromObject<S, On, Root>
              : unknown;

type FromArray<S, On extends Side, Root> = S extends { readonly prefixItems: infer Prefix }
  ? S extends { readonly items: false }
    ? Tuple<Prefix, S, On, Root>
    : [
        ...Tuple<Prefix, S, On, Root>,
        ...(S extends { readonly items: infer Items } ? FromJsonSchema<Items, On, Root> : unknown)[],
      ]
  : S extends { readonly items: infer Items }
    ? FromJsonSchema<Items, On, Root>[]
    : unknown[];

/** An array may end early, unless `minItems` is the length of the prefix. */
type Tuple<Prefix, S, On extends Side, Root> = Prefix extends readonly unknown[]
  ? S extends { readonly minItems: Prefix['length'] }
    ? Elements<Prefix, On, Root>
    : Partial<Elements<Prefix, On, Root>>
  : [];

type Elements<Prefix, On extends Side, Root> = Prefix extends readonly [infer First, ...infer Rest]
  ? [FromJsonSchema<First, On, Root>, ...Elements<Rest, On, Root>]
  : [];

type FromObject<S, On extends Side, Root> = S extends { readonly properties: infer Properties }
  ? WithOthers<FromProperties<Properties, PresentKeys<S, Properties, On>, On, Root>, S, On, Root>
  : S extends { readonly additionalProperties: infer Others }
    ? { [key: string]: FromJsonSchema<Others, On, Root> }
    : { [key: string]: unknown };

/** The type of a property by an index has to hold for the named ones too. */
type WithOthers<Named, S, On extends Side, Root> = S extends { readonly additionalProperties: infer Others }
  ? Others extends false
    ? Named
    : Others extends true
      ? Named & { [key: string]: unknown }
      : Named & { [key: string]: FromJsonSchema<Others, On, Root> | Named[keyof Named] }
  : Named;

type PresentKeys<S, Properties, On extends Side> =
  | (S extends { readonly required: readonly (infer Key)[] } ? Key : never)
  | (On extends 'output'
      ? {
          [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown } ? Key : never;
        }[keyof Properties]
      : never);

type FromProperties<Properties, Present, On extends Side, Root> = Simplified<
  {
    -readonly [Key in keyof Properties as Key extends Present ? Key : never]: FromJsonSchema<
      Properties[Key],
      On,
      Root
    >;
  } & {
    -readonly [Key in keyof Properties as Key extends Present ? never : Key]?: FromJsonSchema<
      Properties[Key],
      On,
      Root
    >;
  }
>;

/** `#` is the schema as a whole, `#/$defs/name` one of its parts. */
type Referred<Reference, Root> = Reference extends '#'
  ? Root
  : Reference extends `#/${infer Keyword}/${infer Name}`
    ? Keyword extends keyof Root
      ? Name extends keyof Root[Keyword]
        ? Root[Keyword][Name]
        : unknown
      : unknown
    : unknown;

/** One object type for an intersection of them; others stay as they are. */
type Simplified<T> = T extends readonly unknown[] | string | number | boolean | null
  ? T
  : T extends object
    ? { [Key in keyof T]: T[Key] }
    : T;

type Mutable<T> = T extends readonly unknown[] | { readonly [key: string]: unknown }
  ? { -readonly [Key in keyof T]: Mutable<T[Key]> }
  : T;
