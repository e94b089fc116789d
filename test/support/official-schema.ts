/**
 * The official JSON Schema of each revision. They lie beside the checkout where we work and are not part of the
 * package, so tests that need them are registered only when they are there.
 */

import { existsSync, readFileSync } from 'node:fs';
import { Ajv, type AnySchemaObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.js';
import { VERSIONS } from './wire-peer.js';

const fileOf = (version: string): URL => new URL(`../../../shared/schema/${version}.json`, import.meta.url);

export type Direction = 'ClientRequest' | 'ClientNotification' | 'ServerRequest' | 'ServerNotification';

export class OfficialSchema {
  readonly version: string;
  readonly #definitions: Readonly<Record<string, AnySchemaObject>>;
  readonly #root: string;
  readonly #ajv: Ajv;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(version: string) {
    this.version = version;
    const document: AnySchemaObject = JSON.parse(readFileSync(fileOf(version), 'utf8'));
    this.#root = document.$defs === undefined ? 'definitions' : '$defs';
    this.#definitions = document[this.#root];
    const options = { strict: false, logger: false, validateFormats: false } as const;
    this.#ajv = this.#root === '$defs' ? new Ajv2020(options) : new Ajv(options);
    this.#ajv.addSchema(document, 'official');
  }

  has(definition: string): boolean {
    return Object.hasOwn(this.#definitions, definition);
  }

  /** What is wrong with the value as an instance of this definition; empty when nothing is. */
  problems(definition: string, value: unknown): string[] {
    if (!this.has(definition)) return [`${this.version} has no ${definition}`];
    let validate = this.#validators.get(definition);
    if (validate === undefined) {
      validate = this.#ajv.compile({ $ref: `official#/${this.#root}/${definition}` });
      this.#validators.set(definition, validate);
    }
    // Through JSON, because that is what a peer of this revision gets.
    if (validate(JSON.parse(JSON.stringify(value)))) return [];
    return (validate.errors ?? []).map((error) => `${error.instancePath || '/'} ${error.message}`);
  }

  /** The fields that a definition spells out, and those of its variants. */
  fields(definition: string): Set<string> {
    return new Set(
      this.#variants(this.#definitions[definition] ?? {}).flatMap((variant) =>
        Object.keys(variant.properties ?? {}),
      ),
    );
  }

  /** The methods of a union such as `ClientRequest`; a union of one is spelled without `anyOf`. */
  methods(direction: Direction): Set<string> {
    const union = this.#definitions[direction];
    if (union === undefined) return new Set();
    return new Set(this.#variants(union).map((variant): string => variant.properties.method.const));
  }

  #variants(schema: AnySchemaObject): AnySchemaObject[] {
    if (typeof schema.$ref === 'string')
      return this.#variants(this.#definitions[schema.$ref.split('/').at(-1) ?? ''] ?? {});
    const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? [])] as AnySchemaObject[];
    const own = schema.properties === undefined ? [] : [schema];
    return [...own, ...parts.flatMap((part) => this.#variants(part))];
  }
}

export const OFFICIAL_SCHEMAS: readonly OfficialSchema[] = VERSIONS.filter((version) =>
  existsSync(fileOf(version)),
).map((version) => new OfficialSchema(version));

function officialSchema(version: string): OfficialSchema | undefined {
  return OFFICIAL_SCHEMAS.find((schema) => schema.version === version);
}

/** Fails when the official schema of the revision is there and does not accept the value. */
export function expectOfficial({ version }: { version: string }, definition: string, value: unknown): void {
  expect(officialSchema(version)?.problems(definition, value) ?? []).toEqual([]);
}

/** Fails when the object has a field that the official definition does not name. */
export function expectNoExtras(
  { version }: { version: string },
  definition: string,
  value: JsonObject,
): void {
  const fields = officialSchema(version)?.fields(definition);
  if (fields === undefined) return;
  expect(Object.keys(value).filter((key) => !fields.has(key))).toEqual([]);
}
