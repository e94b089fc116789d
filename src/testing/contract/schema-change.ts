/**
 * How a schema differs from the one before: where it accepts less, where it accepts more, and where only
 * words changed. An unclear change counts as both: a change that is not understood may break a caller.
 */

import { canonicalText } from '../../chain/lock/surface.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { localTarget } from '../../protocol/schema/references.js';

export interface SchemaChange {
  readonly path: string;
  readonly what: string;
  /** `both`: accepts less of one thing and more of another, or the difference is not understood. */
  readonly effect: 'narrower' | 'wider' | 'both' | 'words';
}

const WORDS: ReadonlySet<string> = new Set([
  'title',
  'description',
  'default',
  'examples',
  '$comment',
  'example',
]);
/** Names of definitions say nothing; what they stand for is compared where it is used. */
const STRUCTURE: ReadonlySet<string> = new Set(['$schema', '$id', '$defs', 'definitions', '$ref', '$anchor']);
/** A larger value accepts less. */
const LOWER_BOUNDS = ['minimum', 'exclusiveMinimum', 'minLength', 'minItems', 'minProperties', 'minContains'];
const UPPER_BOUNDS = ['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems', 'maxProperties', 'maxContains'];
/** Present or changed: accepts something else; absent: accepts all. */
const CONSTRAINTS = ['pattern', 'format', 'multipleOf', 'uniqueItems', 'const', 'not', 'contentEncoding'];
const COMPARED: ReadonlySet<string> = new Set([
  ...LOWER_BOUNDS,
  ...UPPER_BOUNDS,
  ...CONSTRAINTS,
  'type',
  'enum',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'prefixItems',
  'anyOf',
  'oneOf',
  'allOf',
]);
const MAX_DEPTH = 64;

export function compareSchemas(before: unknown, after: unknown): SchemaChange[] {
  const comparison = new Comparison(before, after);
  comparison.compare(before, after, '', 0);
  return comparison.changes;
}

class Comparison {
  readonly changes: SchemaChange[] = [];
  readonly #before: unknown;
  readonly #after: unknown;
  /** Pairs that are being compared: a recursive schema meets itself again. */
  readonly #met = new Map<unknown, Set<unknown>>();

  constructor(before: unknown, after: unknown) {
    this.#before = before;
    this.#after = after;
  }

  compare(givenBefore: unknown, givenAfter: unknown, path: string, depth: number): void {
    if (sameJson(givenBefore, givenAfter) && sameJson(definitions(this.#before), definitions(this.#after)))
      return;
    const before = resolved(asSchema(givenBefore), this.#before);
    const after = resolved(asSchema(givenAfter), this.#after);
    const met = this.#met.get(before) ?? new Set();
    if (met.has(after)) return;
    this.#met.set(before, met.add(after));
    if (depth > MAX_DEPTH) {
      if (!sameJson(before, after)) this.#note(path, 'changed deep inside', 'both');
      return;
    }
    this.#words(before, after, path);
    this.#types(before, after, path);
    this.#values(before, after, path);
    this.#bounds(before, after, path);
    this.#constraints(before, after, path);
    this.#properties(before, after, path, depth);
    this.#items(before, after, path, depth);
    for (const keyword of ['anyOf', 'oneOf'] as const) this.#branches(keyword, before, after, path, depth);
    this.#rest(before, after, path);
  }

  #note(path: string, what: string, effect: SchemaChange['effect']): void {
    this.changes.push({ path, what, effect });
  }

  #words(before: JsonObject, after: JsonObject, path: string): void {
    for (const word of WORDS) {
      if (!sameJson(before[word], after[word])) this.#note(path, `${word} changed`, 'words');
    }
  }

  #types(before: JsonObject, after: JsonObject, path: string): void {
    const [old, now] = [typesOf(before), typesOf(after)];
    if (sameJson([...old].sort(), [...now].sort())) return;
    const covers = (types: ReadonlySet<string>, type: string): boolean =>
      types.size === 0 || types.has(type) || (type === 'integer' && types.has('number'));
    const lost = old.size === 0 ? now.size > 0 : [...old].some((type) => !covers(now, type));
    const gained = now.size === 0 ? old.size > 0 : [...now].some((type) => !covers(old, type));
    const spelled = (types: ReadonlySet<string>): string =>
      types.size === 0 ? 'any type' : [...types].join(' or ');
    const what = `type changed from ${spelled(old)} to ${spelled(now)}`;
    if (lost || gained) this.#note(path, what, lost && gained ? 'both' : lost ? 'narrower' : 'wider');
  }

  #values(before: JsonObject, after: JsonObject, path: string): void {
    const [old, now] = [before.enum, after.enum];
    if (sameJson(old, now)) return;
    if (!Array.isArray(old)) this.#note(path, 'only listed values are accepted now', 'narrower');
    else if (!Array.isArray(now)) this.#note(path, 'values are no longer listed', 'wider');
    else {
      const has = (values: readonly unknown[], value: unknown): boolean =>
        values.some((other) => sameJson(other, value));
      const lost = old.filter((value) => !has(now, value));
      const gained = now.filter((value) => !has(old, value));
      if (lost.length > 0) this.#note(path, `values removed: ${spelledValues(lost)}`, 'narrower');
      if (gained.length > 0) this.#note(path, `values added: ${spelledValues(gained)}`, 'wider');
    }
  }

  #bounds(before: JsonObject, after: JsonObject, path: string): void {
    for (const [keywords, sign] of [
      [LOWER_BOUNDS, 1],
      [UPPER_BOUNDS, -1],
    ] as const) {
      for (const keyword of keywords) {
        const [old, now] = [boundOf(before[keyword]), boundOf(after[keyword])];
        if (sameJson(old, now)) continue;
        const what = `${keyword} changed from ${spelledValue(old)} to ${spelledValue(now)}`;
        if (now === undefined) this.#note(path, what, 'wider');
        else if (old === undefined) this.#note(path, what, 'narrower');
        else if (typeof old !== 'number' || typeof now !== 'number') this.#note(path, what, 'both');
        else this.#note(path, what, (now - old) * sign > 0 ? 'narrower' : 'wider');
      }
    }
  }

  #constraints(before: JsonObject, after: JsonObject, path: string): void {
    for (const keyword of CONSTRAINTS) {
      const [old, now] = [before[keyword], after[keyword]];
      if (sameJson(old, now)) continue;
      if (now === undefined) this.#note(path, `${keyword} removed`, 'wider');
      else
        this.#note(
          path,
          `${keyword} ${old === undefined ? 'added' : 'changed'}`,
          old === undefined ? 'narrower' : 'both',
        );
    }
  }

  #properties(before: JsonObject, after: JsonObject, path: string, depth: number): void {
    const [old, now] = [recordOf(before.properties), recordOf(after.properties)];
    const [wasRequired, isRequired] = [namesOf(before.required), namesOf(after.required)];
    for (const name of new Set([...Object.keys(old), ...Object.keys(now), ...wasRequired, ...isRequired])) {
      const place = `${path}.${name}`;
      const [had, has] = [Object.hasOwn(old, name), Object.hasOwn(now, name)];
      if (had && !has) this.#note(place, 'property removed', 'both');
      else if (!had && has) this.#note(place, 'property added', 'wider');
      else if (had && has) this.compare(old[name], now[name], place, depth + 1);
      if (!wasRequired.has(name) && isRequired.has(name)) this.#note(place, 'is required now', 'narrower');
      else if (wasRequired.has(name) && !isRequired.has(name) && has)
        this.#note(place, 'is optional now', 'wider');
    }
    const [open, opened] = [before.additionalProperties ?? true, after.additionalProperties ?? true];
    if (sameJson(open, opened)) return;
    if (opened === false) this.#note(path, 'other properties are refused now', 'narrower');
    else if (open === false) this.#note(path, 'other properties are accepted now', 'wider');
    else this.compare(open, opened, `${path}.*`, depth + 1);
  }

  #items(before: JsonObject, after: JsonObject, path: string, depth: number): void {
    const [old, now] = [before.items ?? true, after.items ?? true];
    if (!sameJson(old, now)) this.compare(old, now, `${path}[]`, depth + 1);
    if (!sameJson(before.prefixItems, after.prefixItems)) this.#note(path, 'prefixItems changed', 'both');
    if (!sameJson(before.allOf, after.allOf)) this.#note(path, 'allOf changed', 'both');
  }

  /** A branch that is still there under another number is the same branch. */
  #branches(
    keyword: 'anyOf' | 'oneOf',
    before: JsonObject,
    after: JsonObject,
    path: string,
    depth: number,
  ): void {
    const [old, now] = [before[keyword], after[keyword]];
    if (sameJson(old, now)) return;
    if (!Array.isArray(old)) this.#note(path, `${keyword} added`, 'narrower');
    else if (!Array.isArray(now)) this.#note(path, `${keyword} removed`, 'wider');
    else {
      const lost = old.filter((branch: unknown) => !now.some((other) => sameJson(branch, other)));
      const gained = now.filter((branch: unknown) => !old.some((other) => sameJson(branch, other)));
      const pairs = Math.min(lost.length, gained.length);
      for (let index = 0; index < pairs; index += 1)
        this.compare(lost[index], gained[index], `${path}<${keyword} ${index + 1}>`, depth + 1);
      if (lost.length > pairs) this.#note(path, `an alternative of ${keyword} was removed`, 'narrower');
      if (gained.length > pairs) this.#note(path, `an alternative was added to ${keyword}`, 'wider');
    }
  }

  /** Keywords of which nothing is known here. */
  #rest(before: JsonObject, after: JsonObject, path: string): void {
    for (const keyword of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (COMPARED.has(keyword) || WORDS.has(keyword) || STRUCTURE.has(keyword)) continue;
      if (!sameJson(before[keyword], after[keyword])) this.#note(path, `${keyword} changed`, 'both');
    }
  }
}

function asSchema(value: unknown): JsonObject {
  if (value === false) return { not: {} };
  return isRecord(value) ? value : {};
}

/** What a local reference stands for, with what is written beside it. */
function resolved(schema: JsonObject, root: unknown): JsonObject {
  let current = schema;
  for (let step = 0; step < MAX_DEPTH && typeof current.$ref === 'string'; step += 1) {
    const { $ref, ...beside } = current;
    const target = localTarget(root, $ref);
    if (!isRecord(target)) return current;
    if (Object.keys(beside).length === 0) current = target;
    else current = { ...target, ...beside };
  }
  return current;
}

function definitions(root: unknown): unknown {
  return isRecord(root) ? [root.$defs, root.definitions] : undefined;
}

function typesOf({ type }: JsonObject): Set<string> {
  if (typeof type === 'string') return new Set([type]);
  return new Set(Array.isArray(type) ? type.map(String) : []);
}

function recordOf(value: unknown): JsonObject {
  return isRecord(value) ? value : {};
}

function namesOf(value: unknown): ReadonlySet<string> {
  return new Set(Array.isArray(value) ? value.map(String) : []);
}

function spelledValues(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
}

function spelledValue(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}

function sameJson(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  return canonicalText(one) === canonicalText(other);
}

/** The limits of the number type are none: some libraries write them at every integer, others do not. */
function boundOf(bound: unknown): unknown {
  return typeof bound === 'number' && Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
}
