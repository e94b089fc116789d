/** A list of named things that can be narrowed and changed without touching the original. */

export interface Named {
  readonly name: string;
}

export class Collection<T extends Named> implements Iterable<T> {
  readonly #items: readonly T[];

  constructor(items: readonly T[]) {
    this.#items = items;
  }

  get length(): number {
    return this.#items.length;
  }

  /** Those with one of these names; a name may end in `*`. */
  only(...names: readonly string[]): Collection<T> {
    return new Collection(this.#items.filter(({ name }) => isNamed(name, names)));
  }

  /** Those with none of these names; a name may end in `*`. */
  except(...names: readonly string[]): Collection<T> {
    return new Collection(this.#items.filter(({ name }) => !isNamed(name, names)));
  }

  map<R>(change: (item: T, index: number) => R): R[] {
    return this.#items.map(change);
  }

  filter(keep: (item: T) => boolean): Collection<T> {
    return new Collection(this.#items.filter(keep));
  }

  get(name: string): T | undefined {
    return this.#items.find((item) => item.name === name);
  }

  toArray(): T[] {
    return [...this.#items];
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#items.values();
  }
}

function isNamed(name: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  );
}
