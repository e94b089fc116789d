/** Values captured by one step and used by later ones as `${name}`. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { parsePath } from '../expect/json-path.js';
import { plainValue } from '../expect/subject.js';

const REFERENCE = /\$\{([A-Za-z_]\w*)\}/g;

export class CapturedValues {
  readonly #values = new Map<string, unknown>();
  /** Names that some step captures: to use one without a value is a mistake. */
  readonly #expected: ReadonlySet<string>;

  constructor(initial: JsonObject, expected: Iterable<string>) {
    for (const [name, value] of Object.entries(initial)) this.#values.set(name, value);
    this.#expected = new Set(expected);
  }

  /** Returns what is missing. */
  capture(wanted: ReadonlyMap<string, string>, result: unknown): string[] {
    const missing: string[] = [];
    for (const [name, path] of wanted) {
      const parsed = parsePath(path);
      const places = [result, plainValue(result)]
        .map((root) => parsed.places(root))
        .find((found) => found.length > 0);
      if (places === undefined) missing.push(`there is nothing at ${path} to capture as ${name}`);
      else this.#values.set(name, parsed.isPlural ? places.map(({ value }) => value) : places[0]?.value);
    }
    return missing;
  }

  /** A text that is one reference becomes the value itself; references within a text become text. */
  fill(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (!isRecord(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.fill(item)]));
  }

  fillObject(value: JsonObject): JsonObject {
    const filled = this.fill(value);
    return isRecord(filled) ? filled : {};
  }

  #text(text: string): unknown {
    const [, whole] = /^\$\{([A-Za-z_]\w*)\}$/.exec(text) ?? [];
    if (whole !== undefined && this.#knows(whole)) return this.#values.get(whole);
    return text.replaceAll(REFERENCE, (reference, name: string) => {
      if (!this.#knows(name)) return reference;
      const value = this.#values.get(name);
      return typeof value === 'string' ? value : JSON.stringify(value);
    });
  }

  #knows(name: string): boolean {
    if (this.#values.has(name)) return true;
    if (this.#expected.has(name))
      throw new TypeError(`\${${name}} has no value: the step that captures it has not passed`);
    return false;
  }
}

/** Whether the value refers to something that a step captures. */
export function refersTo(value: unknown, names: ReadonlySet<string>): boolean {
  if (names.size === 0) return false;
  const text = JSON.stringify(value) ?? '';
  return [...text.matchAll(REFERENCE)].some(([, name]) => name !== undefined && names.has(name));
}
