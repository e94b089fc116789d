/** Finds what `$ref` refers to within a schema. Nothing is ever fetched. */

import { isRecord } from '../../jsonrpc/message.js';

/** The part that a reference names, or undefined when there is none in this schema. */
export type ReferenceResolver = (reference: string) => unknown;

/** The keywords whose values are references. */
export const REFERENCE_KEYWORDS: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef'];

/** What a reference into the same document names (`#`, `#/$defs/address`); undefined for all others. */
export function localTarget(root: unknown, reference: string): unknown {
  if (reference === '#') return root;
  return reference.startsWith('#/') ? stepsFrom(root, reference.slice(2)) : undefined;
}

export function createResolver(root: unknown): ReferenceResolver {
  const named = namedParts(root);
  return (reference) => {
    const hash = reference.indexOf('#');
    const base = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? '' : reference.slice(hash + 1);
    const start = base === '' ? root : named.get(base);
    if (fragment === '') return start;
    if (!fragment.startsWith('/')) return named.get(`#${fragment}`);
    return stepsFrom(start, fragment.slice(1));
  };
}

function stepsFrom(start: unknown, pointer: string): unknown {
  return pointer.split('/').reduce<unknown>((current, step) => {
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
