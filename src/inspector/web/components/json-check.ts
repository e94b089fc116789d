/** What a JSON text has that its schema does not allow, and where in the text. */

import { checkAgainst } from '../form/form-validator.js';
import { isObject, parseJson } from './json-value.js';

export interface JsonMistake {
  readonly from: number;
  readonly to: number;
  readonly message: string;
}

const MAX_MISTAKES = 20;

export function checkJson(text: string, schema: unknown): JsonMistake[] {
  if (!isObject(schema)) return [];
  const parsed = parseJson(text);
  if (!parsed.ok) return [];
  const verdict = checkAgainst(schema, parsed.value);
  if (!verdict.ok) return [];
  const places = positionsOf(text);
  return verdict.errors.slice(0, MAX_MISTAKES).map(({ path, stack }) => {
    const place = nearest(places, path);
    return { ...place, message: stack };
  });
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** A value that is missing is reported at the one that should hold it. */
function nearest(places: ReadonlyMap<string, Range>, path: readonly string[]): Range {
  for (let length = path.length; length >= 0; length -= 1) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    // The whole text underlined would hide the rest: the opening bracket is enough.
    if (place !== undefined)
      return length === path.length && length > 0 ? place : { from: place.from, to: place.from + 1 };
  }
  return { from: 0, to: 1 };
}

/** Where each value of a valid JSON text stands, by its path. */
function positionsOf(text: string): ReadonlyMap<string, Range> {
  const places = new Map<string, Range>();
  let at = 0;
  const blank = (): void => {
    while (/\s/.test(text[at] ?? '')) at += 1;
  };
  const string = (): string => {
    const from = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
    at += 1;
    return String(JSON.parse(text.slice(from, at)));
  };
  const value = (path: readonly string[]): void => {
    blank();
    const from = at;
    const opening = text[at];
    if (opening === '"') string();
    else if (opening === '{' || opening === '[') {
      at += 1;
      for (let index = 0; ; index += 1) {
        blank();
        if (at >= text.length || text[at] === '}' || text[at] === ']') break;
        if (text[at] === ',') {
          at += 1;
          blank();
        }
        if (opening === '[') value([...path, String(index)]);
        else {
          const name = string();
          blank();
          at += 1;
          value([...path, name]);
        }
      }
      at += 1;
    } else while (at < text.length && /[^\s,\]}]/.test(text[at] ?? '')) at += 1;
    places.set(JSON.stringify(path), { from, to: at });
  };
  value([]);
  return places;
}
