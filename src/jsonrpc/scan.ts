/**
 * Finds parts of a message in its text, for those who pass it on without looking inside: an id is read, a value is cut
 * out, and everything between is skipped rather than decoded.
 *
 * Only plain texts are taken. Whatever could be read in two ways (a key that comes twice, or is spelled with
 * escapes), nests too deep or is no message gives `undefined`, and is then decoded like any other. What is
 * cut out is balanced and within the depth limit; its reader checks whether it is valid JSON in every detail.
 */

import { DEFAULT_DECODE_LIMITS } from './decode.js';
import { isRequestId, type RequestId } from './message.js';

export interface ScannedResult {
  readonly id: RequestId;
  /** The text of the result, an object. */
  readonly result: string;
}

/** The parts of a text that is a result and nothing else. */
export function scanResult(text: string): ScannedResult | undefined {
  if (!members.read(text, skipSpace(text, 0)) || skipSpace(text, members.end) !== text.length)
    return undefined;
  const id = members.get('id');
  const result = members.get('result');
  if (id === undefined || result === undefined || members.get('jsonrpc') !== '"2.0"') return undefined;
  if (members.has('method') || members.has('error') || result.charCodeAt(0) !== OPEN_OBJECT) return undefined;
  const requestId = parseId(id);
  return requestId === undefined ? undefined : { id: requestId, result };
}

/**
 * The text of `params` in a request that has been decoded without complaint. Its own keys are looked at too: a reader
 * that takes the first of two equal ones must not be handed what we, who take the last, have judged.
 */
export function scanParams(text: string): string | undefined {
  const params = members.read(text, skipSpace(text, 0)) ? members.get('params') : undefined;
  return params !== undefined && members.read(params, 0) ? params : undefined;
}

/** Messages and their params have a handful of members; what has more than these is decoded. */
const MOST_MEMBERS = 16;

/** Where the parts of a member stand among its places. */
const KEY = 0;
const KEY_END = 1;
const VALUE = 2;
const VALUE_END = 3;
const PLACES = 4;

/** The members of an object in a text, as places in it: only what is asked for is cut out. */
class Members {
  /** The place behind the object. */
  end = 0;
  #text = '';
  #count = 0;
  readonly #places = new Uint32Array(MOST_MEMBERS * PLACES);

  /** Reads the object that begins at `start`; false where it is better decoded. */
  read(text: string, start: number): boolean {
    this.#text = text;
    this.#count = 0;
    if (text.charCodeAt(start) !== OPEN_OBJECT) return false;
    let at = skipSpace(text, start + 1);
    if (text.charCodeAt(at) === CLOSE_OBJECT) {
      this.end = at + 1;
      return true;
    }
    for (;;) {
      if (text.charCodeAt(at) !== QUOTE) return false;
      const key = at + 1;
      const keyEnd = skipKey(text, key);
      if (keyEnd === -1) return false;
      at = skipSpace(text, keyEnd + 1);
      if (text.charCodeAt(at) !== COLON) return false;
      const value = skipSpace(text, at + 1);
      const valueEnd = skipValue(text, value);
      if (valueEnd === -1 || !this.#add(key, keyEnd, value, valueEnd)) return false;
      at = skipSpace(text, valueEnd);
      const next = text.charCodeAt(at);
      if (next === CLOSE_OBJECT) {
        this.end = at + 1;
        return true;
      }
      if (next !== COMMA) return false;
      at = skipSpace(text, at + 1);
    }
  }

  has(key: string): boolean {
    return this.#find(key) !== -1;
  }

  get(key: string): string | undefined {
    const found = this.#find(key);
    if (found === -1) return undefined;
    return this.#text.slice(this.#places[found + VALUE], this.#places[found + VALUE_END]);
  }

  /** Returns whether there was room for it and its key is new. */
  #add(key: number, keyEnd: number, value: number, valueEnd: number): boolean {
    const places = this.#places;
    const added = this.#count * PLACES;
    if (added === places.length) return false;
    for (let other = 0; other < added; other += PLACES) {
      if (this.#isKey(other, this.#text, key, keyEnd)) return false;
    }
    places[added + KEY] = key;
    places[added + KEY_END] = keyEnd;
    places[added + VALUE] = value;
    places[added + VALUE_END] = valueEnd;
    this.#count += 1;
    return true;
  }

  #find(key: string): number {
    const end = this.#count * PLACES;
    for (let member = 0; member < end; member += PLACES) {
      if (this.#isKey(member, key, 0, key.length)) return member;
    }
    return -1;
  }

  /** Whether the key of a member is what stands between two places of a text. */
  #isKey(member: number, text: string, start: number, end: number): boolean {
    const key = this.#places[member + KEY] ?? 0;
    const length = (this.#places[member + KEY_END] ?? 0) - key;
    if (length !== end - start) return false;
    let same = 0;
    while (same < length && this.#text.charCodeAt(key + same) === text.charCodeAt(start + same)) same += 1;
    return same === length;
  }
}

/** One for all texts, so that nothing is made for any of them: reading one is over before the next begins. */
const members = new Members();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const SPACE = 0x20;
const TAB = 0x09;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** The place of the quote behind a key; -1 when there is none, or when escapes could spell another key. */
function skipKey(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) return at;
    if (character === BACKSLASH) return -1;
  }
  return -1;
}

/** The place behind the value that begins at `start`; -1 when there is none. */
function skipValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return skipString(text, start);
  if (first === OPEN_OBJECT || first === OPEN_ARRAY) return skipNested(text, start);
  let at = start;
  while (at < text.length && !endsScalar(text.charCodeAt(at))) at += 1;
  return at === start ? -1 : at;
}

/** Long strings are what makes messages large; `indexOf` crosses them faster than anything of ours. */
function skipString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return -1;
}

/** The brackets that are open, of the value that is being skipped. */
const open = new Uint8Array(DEFAULT_DECODE_LIMITS.maxDepth);

function skipNested(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = skipString(text, at) - 1;
      if (at < 0) return -1;
    } else if (character === OPEN_OBJECT || character === OPEN_ARRAY) {
      open[depth] = character;
      depth += 1;
      // The message itself is one level.
      if (depth === open.length) return -1;
    } else if (character === CLOSE_OBJECT || character === CLOSE_ARRAY) {
      depth -= 1;
      if (open[depth] !== (character === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_ARRAY)) return -1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

function endsScalar(character: number): boolean {
  return character === COMMA || character === CLOSE_OBJECT || character === CLOSE_ARRAY || isSpace(character);
}

function skipSpace(text: string, start: number): number {
  let at = start;
  while (isSpace(text.charCodeAt(at))) at += 1;
  return at;
}

function isSpace(character: number): boolean {
  return character === SPACE || character === NEWLINE || character === RETURN || character === TAB;
}

/** Ids are nearly always small numbers, which need no parser. */
const SMALL_NUMBER = /^[1-9]\d{0,14}$/;

function parseId(text: string): RequestId | undefined {
  if (SMALL_NUMBER.test(text)) return Number(text);
  try {
    const id: unknown = JSON.parse(text);
    return isRequestId(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
