/**
 * How large a schema is with its references written out. Thirty definitions that each refer twice to the next are a small
 * schema and a thousand million checks; a validator would not come back.
 */

import { isRecord } from '../../jsonrpc/message.js';

/** Keywords that hold values and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
/** They are reached by reference alone. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/** The number of subschemas, counted along every path up to `limit`; one that leads back to itself counts once. */
export function unrolledSize(schema: unknown, limit: number): number {
  const named = namedParts(schema);
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const sizeOf = (part: unknown, depth: number): number => {
    if (typeof part !== 'object' || part === null || depth > MAX_DEPTH) return 0;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (open.has(part)) return 1;
    open.add(part);
    let size = 1;
    for (const child of childrenOf(part, schema, named)) {
      size += sizeOf(child, depth + 1);
      if (size > limit) break;
    }
    open.delete(part);
    sizes.set(part, size);
    return size;
  };
  return sizeOf(schema, 0);
}

/** Deeper than this no message is; the stack must not end first. */
const MAX_DEPTH = 2_000;

function childrenOf(part: object, root: unknown, named: ReadonlyMap<string, unknown>): unknown[] {
  if (Array.isArray(part)) return part;
  return Object.entries(part).flatMap(([key, value]) => {
    if (VALUES.has(key) || DEFINITIONS.has(key)) return [];
    const isReference = key === '$ref' || key === '$dynamicRef' || key === '$recursiveRef';
    return isReference && typeof value === 'string' ? [referred(value, root, named)] : [value];
  });
}

function referred(reference: string, root: unknown, named: ReadonlyMap<string, unknown>): unknown {
  const hash = reference.indexOf('#');
  const base = hash < 0 ? reference : reference.slice(0, hash);
  const fragment = hash < 0 ? '' : reference.slice(hash + 1);
  const start = base === '' ? root : named.get(base);
  if (fragment === '') return start;
  if (!fragment.startsWith('/')) return named.get(`#${fragment}`);
  return fragment
    .slice(1)
    .split('/')
    .reduce<unknown>((current, step) => {
      const key = unescaped(step);
      return typeof current === 'object' && current !== null && Object.hasOwn(current, key)
        ? Reflect.get(current, key)
        : undefined;
    }, start);
}

function unescaped(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return step;
  }
}

/** Parts that can be referred to by `$id`, `$anchor` and `$dynamicAnchor`. */
function namedParts(schema: unknown): ReadonlyMap<string, unknown> {
  const named = new Map<string, unknown>();
  const stack: unknown[] = [schema];
  while (stack.length > 0) {
    const part = stack.pop();
    if (typeof part !== 'object' || part === null) continue;
    if (isRecord(part)) {
      if (typeof part.$id === 'string') named.set(part.$id.replace(/#$/, ''), part);
      for (const anchor of [part.$anchor, part.$dynamicAnchor])
        if (typeof anchor === 'string') named.set(`#${anchor}`, part);
    }
    for (const child of Object.values(part)) stack.push(child);
  }
  return named;
}
