/**
 * References inside a schema, rewritten for the form library, which follows JSON pointers only: anchors, dynamic
 * references and embedded identifiers become pointers. What leads nowhere is reported: such a schema has no form.
 */

import { isObject } from '../components/json-value.js';

type Schema = Readonly<Record<string, unknown>>;

export interface Resolved {
  readonly schema: unknown;
  /** Why there can be no form; the first few reasons. */
  readonly problems: readonly string[];
}

const MAX_DEPTH = 200;
const MAX_PROBLEMS = 5;
/** Values, not schemas: a `$ref` in an example is text. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);
/** Their names are of the server's choosing, and no keywords. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
]);

interface Place {
  readonly schema: Schema;
  readonly pointer: string;
  /** The identifier that relative references are resolved against. */
  readonly base: string;
}

const ROOT = 'plumb:/schema';

export function resolveReferences(root: unknown): Resolved {
  if (!isObject(root)) return { schema: root, problems: [] };
  const places: Place[] = [];
  const problems = new Set<string>();
  if (!collect(root, '#', ROOT, 0, places)) problems.add('it is nested too deeply');
  const named = namesOf(places);
  const targets = new Map(places.map(({ pointer, schema }) => [pointer, schema]));
  const baseOf = new Map(places.map(({ schema, base }) => [schema, base]));
  const pointerOf = (schema: Schema): string | undefined => {
    const reference = referenceIn(schema);
    if (reference === undefined) return undefined;
    return named.get(absolute(reference, baseOf.get(schema) ?? ROOT)) ?? localPointer(reference);
  };
  for (const { schema } of places) {
    const problem = problemWith(schema, pointerOf, targets, root);
    if (problem !== undefined && problems.size < MAX_PROBLEMS) problems.add(problem);
  }
  if (problems.size > 0) return { schema: root, problems: [...problems] };
  return { schema: rewrite(root, pointerOf), problems: [] };
}

function referenceIn(schema: Schema): string | undefined {
  const { $ref, $dynamicRef, $recursiveRef } = schema;
  return [$ref, $dynamicRef, $recursiveRef].find((each) => typeof each === 'string') as string | undefined;
}

/** Every schema in the document, with its place. False when it goes too deep. */
function collect(
  value: unknown,
  pointer: string,
  base: string,
  depth: number,
  places: Place[],
  isMap = false,
): boolean {
  if (depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    return value.every((item, index) => collect(item, `${pointer}/${index}`, base, depth + 1, places));
  }
  if (!isObject(value)) return true;
  const own = !isMap && typeof value.$id === 'string' ? absolute(value.$id, base) : base;
  if (!isMap) places.push({ schema: value, pointer, base: own });
  return Object.entries(value).every(([name, each]) => {
    if (!isMap && DATA.has(name)) return true;
    return collect(each, `${pointer}/${escaped(name)}`, own, depth + 1, places, !isMap && MAPS.has(name));
  });
}

/** Anchors and identifiers, by their whole address. Of dynamic anchors with one name the outermost counts. */
function namesOf(places: readonly Place[]): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const dynamic = new Map<string, string>();
  for (const { schema, pointer, base } of places) {
    const plain = base.split('#', 1)[0] ?? base;
    if (pointer === '#' || typeof schema.$id === 'string') names.set(plain, pointer);
    if (typeof schema.$anchor === 'string') names.set(`${plain}#${schema.$anchor}`, pointer);
    if (typeof schema.$dynamicAnchor === 'string') {
      const first = dynamic.get(schema.$dynamicAnchor) ?? pointer;
      dynamic.set(schema.$dynamicAnchor, first);
      names.set(`${plain}#${schema.$dynamicAnchor}`, first);
    }
  }
  return names;
}

function absolute(reference: string, base: string): string {
  try {
    return new URL(reference, base).href.replace(/#$/, '');
  } catch {
    return reference;
  }
}

function localPointer(reference: string): string | undefined {
  if (reference === '#') return '#';
  return reference.startsWith('#/') ? reference : undefined;
}

function problemWith(
  schema: Schema,
  pointerOf: (schema: Schema) => string | undefined,
  targets: ReadonlyMap<string, Schema>,
  root: Schema,
): string | undefined {
  const reference = referenceIn(schema);
  if (reference === undefined) return undefined;
  const seen = new Set<Schema>();
  for (let current = schema; ; ) {
    if (seen.has(current)) return `the reference ${quoted(reference)} leads only to itself`;
    seen.add(current);
    const named = referenceIn(current);
    if (named === undefined) return undefined;
    const pointer = pointerOf(current);
    if (pointer === undefined) {
      return /^[a-z][a-z\d+.-]*:/i.test(named)
        ? `the reference ${quoted(named)} leads to another document, which is not fetched`
        : `the reference ${quoted(named)} does not lead anywhere`;
    }
    const found = pointer === '#' ? root : (targets.get(decoded(pointer)) ?? booleanAt(root, pointer));
    if (found === undefined) return `the reference ${quoted(named)} does not lead anywhere`;
    current = found;
  }
}

/** `true` and `false` are schemas too, without a place of their own. */
function booleanAt(root: Schema, pointer: string): Schema | undefined {
  let current: unknown = root;
  for (const step of pointer.split('/').slice(1)) {
    const name = unescaped(step);
    if (Array.isArray(current)) current = current[Number(name)];
    else current = isObject(current) && Object.hasOwn(current, name) ? current[name] : undefined;
  }
  if (typeof current === 'boolean') return {};
  return isObject(current) ? current : undefined;
}

function rewrite(value: unknown, pointerOf: (schema: Schema) => string | undefined, isMap = false): unknown {
  if (Array.isArray(value)) return value.map((item) => rewrite(item, pointerOf));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    !isMap && DATA.has(name) ? each : rewrite(each, pointerOf, !isMap && MAPS.has(name)),
  ]);
  const copy = Object.fromEntries(entries) as Record<string, unknown>;
  if (isMap) return copy;
  const pointer = pointerOf(value);
  if (pointer !== undefined) {
    copy.$ref = pointer;
    delete copy.$dynamicRef;
    delete copy.$recursiveRef;
  }
  // Every reference is a pointer from the root now; an identifier would change what it points to.
  for (const word of ['$id', '$anchor', '$dynamicAnchor']) {
    if (typeof copy[word] === 'string') delete copy[word];
  }
  return copy;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function unescaped(step: string): string {
  let name = step;
  try {
    name = decodeURIComponent(step);
  } catch {
    // The server wrote it; it is compared as it is.
  }
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

function decoded(pointer: string): string {
  return pointer
    .split('/')
    .map((step) => escaped(unescaped(step)))
    .join('/');
}

function quoted(text: string): string {
  return `“${text.length > 80 ? `${text.slice(0, 80)}…` : text}”`;
}
