/**
 * How large a schema is with its references written out. Thirty definitions that each refer twice to the next are a small
 * schema and a thousand million checks; a validator would not come back.
 */

import { createResolver, REFERENCE_KEYWORDS, type ReferenceResolver } from './references.js';

/** Keywords that hold values and no schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
/** They are reached by reference alone. */
const DEFINITIONS: ReadonlySet<string> = new Set(['$defs', 'definitions']);

/** The number of subschemas, counted along every path up to `limit`; one that leads back to itself counts once. */
export function unrolledSize(schema: unknown, limit: number): number {
  const resolve = createResolver(schema);
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const sizeOf = (part: unknown, depth: number): number => {
    if (typeof part !== 'object' || part === null || depth > MAX_DEPTH) return 0;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    if (open.has(part)) return 1;
    open.add(part);
    let size = 1;
    for (const child of childrenOf(part, resolve)) {
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

function childrenOf(part: object, resolve: ReferenceResolver): unknown[] {
  if (Array.isArray(part)) return part;
  return Object.entries(part).flatMap(([key, value]) => {
    if (VALUES.has(key) || DEFINITIONS.has(key)) return [];
    return REFERENCE_KEYWORDS.includes(key) && typeof value === 'string' ? [resolve(value)] : [value];
  });
}
