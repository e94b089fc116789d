/**
 * Finds parts of a message in its text, for those who pass it on without looking inside: an id is read, a value is cut
 * out, and everything between is skipped rather than decoded.
 *
 * Only plain texts are taken. Whatever could be read in two ways (a key that comes twice, or is spelled with escapes),
 * nests too deep or is no message gives `undefined`, and is then decoded like any other. What is cut out is balanced
 * and within the depth limit; whether it is valid JSON in every detail is for whoever reads it.
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
  const members = scanObject(text, skipSpace(text, 0));
  if (members === undefined || skipSpace(text, members.end) !== text.length) return undefined;
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
  const params = scanObject(text, skipSpace(text, 0))?.get('params');
  if (params === undefined || scanObject(params, 0) === undefined) return undefined;
  return params;
}

/** Messages have a handful of members, which are found faster in a list; with more than these, a set tells of repeats. */
const FEW = 8;

/** The members of an object, whose values are cut out when they are asked for. */
class Members {
  /** The place behind the object. */
  end = 0;
  readonly #text: string;
  readonly #keys: string[] = [];
  /** Where the value of each key begins and ends. */
  readonly #places: number[] = [];
  #seen: Set<string> | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns whether the key is new. */
  add(key: string, start: number, end: number): boolean {
    if (this.#keys.length === FEW) this.#seen = new Set(this.#keys);
    if (this.#seen?.has(key) ?? this.has(key)) return false;
    this.#seen?.add(key);
    this.#keys.push(key);
    this.#places.push(start, end);
    return true;
  }

  has(key: string): boolean {
    return this.#keys.includes(key);
  }

  get(key: string): string | undefined {
    const index = this.#keys.indexOf(key);
    return index === -1 ? undefined : this.#text.slice(this.#places[2 * index], this.#places[2 * index + 1]);
  }
}

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

/** The members of the object that begins at `start`. */
function scanObject(text: string, start: number): Members | undefined {
  if (text.charCodeAt(start) !== OPEN_OBJECT) return undefined;
  const members = new Members(text);
  let at = skipSpace(text, start + 1);
  if (text.charCodeAt(at) === CLOSE_OBJECT) {
    members.end = at + 1;
    return members;
  }
  for (;;) {
    if (text.charCodeAt(at) !== QUOTE) return undefined;
    const keyEnd = text.indexOf('"', at + 1);
    const key = text.slice(at + 1, keyEnd);
    if (keyEnd === -1 || key.includes('\\')) return undefined;
    at = skipSpace(text, keyEnd + 1);
    if (text.charCodeAt(at) !== COLON) return undefined;
    at = skipSpace(text, at + 1);
    const end = skipValue(text, at);
    if (end === -1 || !members.add(key, at, end)) return undefined;
    at = skipSpace(text, end);
    const next = text.charCodeAt(at);
    if (next === CLOSE_OBJECT) {
      members.end = at + 1;
      return members;
    }
    if (next !== COMMA) return undefined;
    at = skipSpace(text, at + 1);
  }
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

function skipNested(text: string, start: number): number {
  // One bit for each open bracket would do; the limit keeps this list short.
  const open: number[] = [];
  for (let at = start; at < text.length; at += 1) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      at = skipString(text, at) - 1;
      if (at < 0) return -1;
    } else if (character === OPEN_OBJECT || character === OPEN_ARRAY) {
      // The message itself is one level.
      if (open.push(character) >= DEFAULT_DECODE_LIMITS.maxDepth) return -1;
    } else if (character === CLOSE_OBJECT || character === CLOSE_ARRAY) {
      const expected = character === CLOSE_OBJECT ? OPEN_OBJECT : OPEN_ARRAY;
      if (open.pop() !== expected) return -1;
      if (open.length === 0) return at + 1;
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
