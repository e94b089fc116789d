/** A schema as handlers give it (Standard Schema or JSON Schema), ready to be shown and to validate. */

import { isRecord } from '../../jsonrpc/message.js';
import { lazily } from '../lazily.js';
import type { JsonSchema } from '../model/base.js';
import { dialectOf, type Issue, type JsonValidator } from './dialect.js';
import type { AnySchema } from './infer.js';
import {
  assertDescribable,
  describeStandardSchema,
  isStandardSchema,
  type StandardIssue,
  type StandardSchema,
} from './standard-schema.js';

export type Checked =
  | { readonly value: unknown; readonly issues?: undefined }
  | { readonly issues: readonly Issue[] };

export interface Schema {
  /** What the other side is shown: a JSON Schema of the user unchanged, or the library's own description. */
  readonly json: JsonSchema;
  /** Synchronous whenever the validator is ready and synchronous itself. */
  check(value: unknown): Checked | Promise<Checked>;
  /** Begins to load what checking needs, so that the first check need not wait for it. */
  prepare(): void;
}

/** Refuses at once what can be seen to be unusable: the author is still there to read why. */
export function createSchema(source: AnySchema, direction: 'input' | 'output'): Schema {
  if (isStandardSchema(source)) {
    assertDescribable(source);
    return new StandardSchemaAdapter(source, direction);
  }
  if (!isRecord(source))
    throw new TypeError('A schema is a Standard Schema (zod, valibot, arktype) or a JSON Schema object');
  dialectOf(source);
  return new JsonSchemaAdapter(source as JsonSchema);
}

export type SchemaChecker = Pick<Schema, 'check'>;

/** For values that are only checked: the library need not be able to describe its schema. */
export function createChecker(source: AnySchema): SchemaChecker {
  return isStandardSchema(source)
    ? new StandardSchemaAdapter(source, 'input')
    : createSchema(source, 'input');
}

class StandardSchemaAdapter implements Schema {
  readonly #source: StandardSchema;
  readonly #direction: 'input' | 'output';
  #json: JsonSchema | undefined;

  constructor(source: StandardSchema, direction: 'input' | 'output') {
    this.#source = source;
    this.#direction = direction;
  }

  /** Described on first use: a thousand tools should not cost a thousand conversions at start. */
  get json(): JsonSchema {
    this.#json ??= describeStandardSchema(this.#source, this.#direction);
    return this.#json;
  }

  check(value: unknown): Checked | Promise<Checked> {
    const result = this.#source['~standard'].validate(value);
    return result instanceof Promise ? result.then(fromStandard) : fromStandard(result);
  }

  /** The library is there already. */
  prepare(): void {}
}

function fromStandard(result: {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[] | undefined;
}): Checked {
  if (result.issues === undefined) return { value: result.value };
  return { issues: result.issues.map(describe) };
}

function describe(issue: StandardIssue): Issue {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.');
  return { path, message: alternatives(issue) ?? issue.message };
}

const MAX_ALTERNATIVES = 8;

/** Of a union, zod says only that the input is invalid, and valibot its types: what each member lacks is inside. */
function alternatives(issue: StandardIssue): string | undefined {
  const errors: unknown = Reflect.get(issue, 'errors');
  const issues: unknown = Reflect.get(issue, 'issues');
  const lists: readonly unknown[] = Array.isArray(errors) ? errors : Array.isArray(issues) ? issues : [];
  if (lists.length === 0) return undefined;
  const texts = lists.map((list: unknown) =>
    describeIssues((Array.isArray(list) ? list : [list]).filter(isIssue).map(describe)),
  );
  const known = [...new Set(texts)].filter((text) => text !== '').slice(0, MAX_ALTERNATIVES);
  return known.length === 0 ? undefined : `fits none of its alternatives (${known.join(' | ')})`;
}

function isIssue(value: unknown): value is StandardIssue {
  return isRecord(value) && typeof value.message === 'string';
}

type Validation = typeof import('./json-schema.js');

const loadValidation = lazily(() => import('./json-schema.js'));

class JsonSchemaAdapter implements Schema {
  readonly json: JsonSchema;
  #validator: JsonValidator | undefined;
  #compiling: Promise<JsonValidator> | undefined;
  #fill: ((value: unknown) => unknown) | undefined;

  constructor(json: JsonSchema) {
    this.json = json;
  }

  check(value: unknown): Checked | Promise<Checked> {
    if (this.#validator !== undefined) return this.#checkWith(this.#validator, value);
    const loaded = loadValidation();
    if (loaded instanceof Promise) return loaded.then(() => this.check(value));
    this.#compiling ??= this.#compile(loaded);
    return this.#compiling.then((validator) => {
      this.#validator = validator;
      return this.#checkWith(validator, value);
    });
  }

  async #compile({ compileJsonSchema, loadDefaults }: Validation): Promise<JsonValidator> {
    const validator = await compileJsonSchema(this.json);
    this.#fill = await loadDefaults(this.json);
    return validator;
  }

  #checkWith(validator: JsonValidator, given: unknown): Checked {
    const value = this.#fill === undefined ? given : this.#fill(given);
    const issues = validator(value);
    return issues === undefined ? { value } : { issues };
  }

  prepare(): void {
    // The check of the first value reports failures.
    this.#preload().catch(() => {});
  }

  async #preload(): Promise<void> {
    const { preloadValidator } = await loadValidation();
    preloadValidator(this.json);
  }
}

/** `city: is required; days: must be <= 7` */
export function describeIssues(issues: readonly Issue[]): string {
  return issues
    .map((issue) => (issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`))
    .join('; ');
}

/**
 * Names a value may have at its top level, or undefined when the schema leaves that open
 * (a keyword that can admit more, or no `properties` at all).
 */
export function closedProperties(schema: JsonSchema): ReadonlySet<string> | undefined {
  if (!isRecord(schema.properties)) return undefined;
  return OPENING_KEYWORDS.some((keyword) => keyword in schema)
    ? undefined
    : new Set(Object.keys(schema.properties));
}

const OPENING_KEYWORDS = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  '$ref',
  '$dynamicRef',
  'dependentSchemas',
] as const;
