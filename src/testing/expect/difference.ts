/** Where two values differ, by path. */

import { isRecord } from '../../jsonrpc/message.js';
import { shown } from './problem.js';

export interface ValueDifference {
  readonly path: string;
  /** Absent where the other has something new. */
  readonly expected?: unknown;
  readonly actual?: unknown;
}

const MAX_DIFFERENCES = 50;

/** `partial` ignores fields that only the actual value has; lists are compared item by item. */
export function differences(
  expected: unknown,
  actual: unknown,
  mode: 'exact' | 'partial',
): ValueDifference[] {
  const found: ValueDifference[] = [];
  const compare = (want: unknown, have: unknown, path: string): void => {
    if (found.length >= MAX_DIFFERENCES || Object.is(want, have)) return;
    if (Array.isArray(want) && Array.isArray(have)) {
      const length = mode === 'partial' ? want.length : Math.max(want.length, have.length);
      for (let index = 0; index < length; index += 1) pair(want, have, index, `${path}[${index}]`);
      return;
    }
    if (isRecord(want) && isRecord(have)) {
      const keys = new Set([...Object.keys(want), ...(mode === 'partial' ? [] : Object.keys(have))]);
      for (const key of keys) pair(want, have, key, path === '' ? key : `${path}.${key}`);
      return;
    }
    found.push({ path, expected: want, actual: have });
  };
  const pair = (want: object, have: object, key: string | number, path: string): void => {
    const before: unknown = Reflect.get(want, key);
    const after: unknown = Object.hasOwn(have, key) ? Reflect.get(have, key) : undefined;
    if (before === undefined && after === undefined) return;
    if (before === undefined) found.push({ path, actual: after });
    else if (after === undefined) found.push({ path, expected: before });
    else compare(before, after, path);
  };
  compare(expected, actual, '');
  return found;
}

/** `-` for what was expected and `+` for what came, by path. */
export function describeDifferences(list: readonly ValueDifference[]): string {
  return list
    .flatMap(({ path, expected, actual }) => [
      ...(expected === undefined ? [] : [`- ${path || '(value)'}: ${shown(expected)}`]),
      ...(actual === undefined ? [] : [`+ ${path || '(value)'}: ${shown(actual)}`]),
    ])
    .join('\n');
}

/** The value with the keys of all objects in order, so that its text is always the same. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .toSorted()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}
