/**
 * Fills in the defaults of a JSON Schema before a value is checked. Values are never changed in place: they may be a
 * message that others read too. Alternatives (`anyOf`, `oneOf`) are left alone, because which one is meant is not known.
 */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import type { JsonSchema } from '../model/base.js';
import { createResolver, type ReferenceResolver } from './references.js';

type Fill = (value: unknown) => unknown;

/** Nothing, for a schema without defaults. */
export function compileDefaults(schema: JsonSchema): Fill | undefined {
  return hasDefault(schema) ? new Defaults(schema).of(schema) : undefined;
}

function hasDefault(schema: unknown): boolean {
  const stack: unknown[] = [schema];
  const seen = new Set<unknown>();
  while (stack.length > 0) {
    const part = stack.pop();
    if (typeof part !== 'object' || part === null || seen.has(part)) continue;
    seen.add(part);
    if (isRecord(part) && part.default !== undefined) return true;
    stack.push(...Object.values(part));
  }
  return false;
}

interface Rule {
  readonly name: string;
  readonly fill: Fill | undefined;
  readonly value: unknown;
}

class Defaults {
  readonly #resolve: ReferenceResolver;
  /** By schema: references may lead in circles, so a part that is being compiled is found here already. */
  readonly #known = new Map<object, Fill | undefined>();

  constructor(root: JsonSchema) {
    this.#resolve = createResolver(root);
  }

  of(schema: unknown): Fill | undefined {
    if (!isRecord(schema)) return undefined;
    if (this.#known.has(schema)) return this.#known.get(schema);
    let compiled: Fill | undefined;
    this.#known.set(schema, (value) => (compiled === undefined ? value : compiled(value)));
    compiled = joined([
      typeof schema.$ref === 'string' ? this.of(this.#resolve(schema.$ref)) : undefined,
      ...(Array.isArray(schema.allOf) ? schema.allOf.map((member) => this.of(member)) : []),
      this.#properties(schema.properties),
      this.#items(schema.items),
    ]);
    this.#known.set(schema, compiled);
    return compiled;
  }

  #properties(properties: unknown): Fill | undefined {
    if (!isRecord(properties)) return undefined;
    const rules = Object.entries(properties)
      .map(([name, schema]): Rule => {
        return { name, fill: this.of(schema), value: isRecord(schema) ? schema.default : undefined };
      })
      .filter(({ fill, value }) => fill !== undefined || value !== undefined);
    if (rules.length === 0) return undefined;
    return (value) => (isRecord(value) ? filled(value, rules) : value);
  }

  #items(items: unknown): Fill | undefined {
    const fill = this.of(items);
    if (fill === undefined) return undefined;
    return (value) => (Array.isArray(value) ? value.map(fill) : value);
  }
}

function filled(value: JsonObject, rules: readonly Rule[]): JsonObject {
  let copy: JsonObject | undefined;
  for (const { name, fill, value: preset } of rules) {
    const own = Object.hasOwn(value, name) ? value[name] : undefined;
    const given = own === undefined && preset !== undefined ? structuredClone(preset) : own;
    const full = given === undefined || fill === undefined ? given : fill(given);
    if (full === own) continue;
    copy ??= { ...value };
    // Not an assignment: a property may be called `__proto__`.
    Object.defineProperty(copy, name, { value: full, enumerable: true, configurable: true, writable: true });
  }
  return copy ?? value;
}

function joined(fills: readonly (Fill | undefined)[]): Fill | undefined {
  const some = fills.filter((fill) => fill !== undefined);
  const [only, ...others] = some;
  if (only === undefined || others.length === 0) return only;
  return (value) => some.reduce((current, fill) => fill(current), value);
}
