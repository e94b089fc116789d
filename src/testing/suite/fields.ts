/** Reads the fields of a test file, and reports what is wrong with the place where it stands. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { milliseconds } from '../../protocol/duration.js';
import { McpError } from '../../protocol/errors.js';

/** A test file that cannot be used. Nothing was sent to any server. */
export class SuiteError extends McpError<'suite'> {
  constructor(message: string, options?: { cause?: unknown }) {
    super('suite', message, options);
  }
}

export class SuiteFields {
  readonly at: string;
  readonly #object: JsonObject;

  constructor(value: unknown, at: string) {
    if (!isRecord(value)) throw new SuiteError(`${at} must be an object`);
    this.#object = value;
    this.at = at;
  }

  /** Refuses fields that are not known: a misspelt one would be a test that does not test. */
  known(...groups: readonly (readonly string[])[]): this {
    const names = new Set(groups.flat());
    for (const name of Object.keys(this.#object)) {
      if (names.has(name)) continue;
      const [close] = [...names]
        .filter((known) => distance(known, name) <= 2)
        .toSorted((one, other) => distance(one, name) - distance(other, name));
      const hint = close === undefined ? `known: ${[...names].join(', ')}` : `did you mean "${close}"?`;
      throw new SuiteError(`${this.place(name)} is not known; ${hint}`);
    }
    return this;
  }

  place(name: string): string {
    return this.at === '' ? name : `${this.at}.${name}`;
  }

  has(name: string): boolean {
    return this.#object[name] !== undefined;
  }

  get(name: string): unknown {
    return this.#object[name];
  }

  text(name: string): string | undefined {
    return this.#read(name, 'text', (value): value is string => typeof value === 'string');
  }

  boolean(name: string): boolean | undefined {
    return this.#read(name, 'true or false', (value): value is boolean => typeof value === 'boolean');
  }

  count(name: string): number | undefined {
    return this.#read(
      name,
      'a whole number',
      (value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= 0,
    );
  }

  /** In milliseconds: a number, or text such as `30s`. */
  duration(name: string): number | undefined {
    const value = this.#object[name];
    if (value === undefined) return undefined;
    try {
      const given = typeof value === 'number' || typeof value === 'string' ? milliseconds(value) : 0;
      if (given > 0) return given;
    } catch {
      // Reported below, with the place.
    }
    throw new SuiteError(`${this.place(name)} must be a number of milliseconds, or text such as "30s"`);
  }

  object(name: string): JsonObject | undefined {
    return this.#read(name, 'an object', isRecord);
  }

  /** One text, several between commas, or a list of them. */
  texts(name: string): string[] {
    const value = this.#object[name];
    if (value === undefined) return [];
    if (typeof value === 'string')
      return value
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '');
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
    throw new SuiteError(`${this.place(name)} must be text or a list of texts`);
  }

  /** An object of texts; numbers and booleans are what people write for ports and switches. */
  textMap(name: string): Record<string, string> {
    const value = this.object(name) ?? {};
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => {
        if (typeof item === 'object' || item === undefined)
          throw new SuiteError(`${this.place(name)}.${key} must be text`);
        return [key, String(item)];
      }),
    );
  }

  #read<T>(name: string, what: string, is: (value: unknown) => value is T): T | undefined {
    const value = this.#object[name];
    if (value === undefined || value === null) return undefined;
    if (is(value)) return value;
    throw new SuiteError(`${this.place(name)} must be ${what}`);
  }
}

/** How many letters to change, add or remove; words of very different length are far apart. */
function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (const [j, candidate] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter.toLowerCase() === candidate.toLowerCase() ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
