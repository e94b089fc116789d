/** Places in a value: `content[0].text`, `$.items[*].id`, `$..name`, `['a key']`. */

import { isRecord } from '../../jsonrpc/message.js';

type Key = string | number;

type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'every' }
  | { readonly kind: 'anywhere'; readonly key: string };

class PathError extends Error {
  override readonly name = 'PathError';
}

export interface PathPlace {
  readonly keys: readonly Key[];
  readonly value: unknown;
}

export interface JsonPath {
  /** Whether it can name more than one place. */
  readonly isPlural: boolean;
  places(root: unknown): PathPlace[];
}

const PART =
  /\.\.(?<deep>[^.[\]*]+|\*)|\.?\[(?:'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<index>-?\d+)|(?<star>\*))\]|\.?(?<name>[^.[\]]+)/y;

export function parsePath(source: string): JsonPath {
  const steps: Step[] = [];
  const text = source.startsWith('$') ? source.slice(1) : source;
  let at = 0;
  while (at < text.length) {
    PART.lastIndex = at;
    const match = PART.exec(text);
    if (match === null)
      throw new PathError(`${JSON.stringify(source)} is not a path such as $.items[0].name`);
    const { deep, single, double, index, star, name } = match.groups ?? {};
    if (deep !== undefined) steps.push({ kind: 'anywhere', key: deep });
    else if (star !== undefined || name === '*') steps.push({ kind: 'every' });
    else steps.push({ kind: 'key', key: single ?? double ?? index ?? name ?? '' });
    at = PART.lastIndex;
  }
  return {
    isPlural: steps.some(({ kind }) => kind !== 'key'),
    places: (root) =>
      steps.reduce<PathPlace[]>(
        (found, step) => found.flatMap((place) => follow(place, step)),
        [{ keys: [], value: root }],
      ),
  };
}

function follow(place: PathPlace, step: Step): PathPlace[] {
  switch (step.kind) {
    case 'key':
      return childOf(place, step.key);
    case 'every':
      return childrenOf(place);
    case 'anywhere':
      return anywhere(place, step.key);
  }
}

function childOf({ keys, value }: PathPlace, key: string): PathPlace[] {
  if (key === 'length' && (Array.isArray(value) || typeof value === 'string'))
    return [{ keys: [...keys, key], value: value.length }];
  if (Array.isArray(value)) {
    const given = Number(key);
    const index = given < 0 ? value.length + given : given;
    return Number.isInteger(index) && index >= 0 && index < value.length
      ? [{ keys: [...keys, index], value: value[index] }]
      : [];
  }
  return isRecord(value) && Object.hasOwn(value, key) ? [{ keys: [...keys, key], value: value[key] }] : [];
}

function childrenOf({ keys, value }: PathPlace): PathPlace[] {
  if (Array.isArray(value)) return value.map((item, index) => ({ keys: [...keys, index], value: item }));
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([key, child]) => ({ keys: [...keys, key], value: child }));
}

function anywhere(place: PathPlace, key: string): PathPlace[] {
  const own = key === '*' ? childrenOf(place) : childOf(place, key);
  return [...own, ...childrenOf(place).flatMap((child) => anywhere(child, key))];
}

/** A copy without these places. A bare name is left out wherever it stands. */
export function omit(value: unknown, paths: readonly string[]): unknown {
  const gone = new Set(
    paths
      .flatMap((path) => parsePath(/^[\w-]+$/.test(path) ? `$..${path}` : path).places(value))
      .map(({ keys }) => JSON.stringify(keys)),
  );
  const copy = (part: unknown, at: readonly Key[]): unknown => {
    const stays = (key: Key): boolean => !gone.has(JSON.stringify([...at, key]));
    if (Array.isArray(part))
      return part.flatMap((item, index) => (stays(index) ? [copy(item, [...at, index])] : []));
    if (!isRecord(part)) return part;
    return Object.fromEntries(
      Object.entries(part).flatMap(([key, child]) => (stays(key) ? [[key, copy(child, [...at, key])]] : [])),
    );
  };
  return copy(value, []);
}

/** A copy with these places alone, in the shape of the value. */
export function pick(value: unknown, paths: readonly string[]): unknown {
  const picked: { [key: string]: unknown } = {};
  for (const path of paths) for (const place of parsePath(path).places(value)) put(picked, place);
  return picked;
}

function put(root: object, { keys, value }: PathPlace): void {
  let holder: object = root;
  for (const [index, key] of keys.entries()) {
    if (index === keys.length - 1) {
      define(holder, key, value);
      return;
    }
    const existing: unknown = Object.hasOwn(holder, key) ? Reflect.get(holder, key) : undefined;
    const next =
      typeof existing === 'object' && existing !== null
        ? existing
        : typeof keys[index + 1] === 'number'
          ? []
          : {};
    if (next !== existing) define(holder, key, next);
    holder = next;
  }
}

/** Also for a key such as `__proto__`, which an assignment would take for something else. */
function define(holder: object, key: Key, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}
