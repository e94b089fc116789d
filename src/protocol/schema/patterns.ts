/**
 * Regular expressions of schemas. They come from peers, and so do the texts that they are tried on: `^(a+)+$` takes a
 * backtracking engine longer than anybody lives. What can be seen to be linear is matched natively; everything else by
 * RE2, which is linear whatever the pattern, and is loaded when the first such pattern is met. Runtimes without the
 * modules of Node are spared its size, and refuse such patterns.
 */

import { isRecord } from '../../jsonrpc/message.js';
import { hasNodeModules } from '../runtime.js';
import { isLinear } from './linear-pattern.js';

/** What validators need of a RegExp. */
export interface Pattern {
  test(text: string): boolean;
  toString(): string;
}

interface Re2 {
  compile(source: string): { test(text: string): boolean };
  translateRegExp(source: string): string;
}

let engine: Re2 | undefined;
/** Verdicts and expressions of the patterns in use; the same few come again and again. */
const known = new Map<string, Pattern>();
const MAX_KNOWN = 1000;
const MAX_KNOWN_LENGTH = 1000;

/** To be awaited before a schema is compiled: loads what its patterns need, where the engine can be loaded. */
export async function preparePatterns(schema: unknown, hasEngine: boolean = hasNodeModules()): Promise<void> {
  if (engine !== undefined || !hasEngine || patternsOf(schema).every(isNative)) return;
  engine = (await import('./linear-engine.js')).RE2JS;
}

/** Whether no pattern of the schema needs more than the runtime has. */
export function hasNativePatterns(schema: unknown): boolean {
  return patternsOf(schema).every(isNative);
}

/** Throws for what is no pattern, and for one that cannot be matched in linear time. */
export function compilePattern(source: string): Pattern {
  const compiled = known.get(source);
  if (compiled !== undefined) return compiled;
  const pattern = compile(source);
  if (source.length <= MAX_KNOWN_LENGTH) {
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(source, pattern);
  }
  return pattern;
}

function compile(source: string): Pattern {
  const native = new RegExp(source, 'u');
  if (isLinear(source)) return native;
  if (engine === undefined) {
    if (hasNodeModules()) throw new Error(`The engine for the pattern ${quoted(source)} is not loaded`);
    throw new Error(
      `The pattern ${quoted(source)} may take more than linear time, and this runtime has no engine for it; write it ` +
        'without repetitions that overlap, or check the text in the handler',
    );
  }
  try {
    const linear = engine.compile(engine.translateRegExp(inRe2Words(source)));
    return { test: (text) => linear.test(text), toString: () => String(native) };
  } catch (cause) {
    throw new Error(
      `The pattern ${quoted(source)} cannot be matched in linear time: look-around, back-references, some Unicode ` +
        'properties and repetitions above 1000 are not supported; write it without them',
      { cause },
    );
  }
}

function isNative(source: string): boolean {
  return known.get(source) instanceof RegExp || isLinear(source);
}

function quoted(source: string): string {
  return JSON.stringify(source.length > 100 ? `${source.slice(0, 100)}...` : source);
}

/** Every text in the schema that may be a pattern; one too many does no harm. */
function patternsOf(schema: unknown): string[] {
  const patterns: string[] = [];
  const stack: unknown[] = [schema];
  while (stack.length > 0) {
    const value = stack.pop();
    if (typeof value !== 'object' || value === null) continue;
    if (isRecord(value)) {
      if (typeof value.pattern === 'string') patterns.push(value.pattern);
      if (isRecord(value.patternProperties)) patterns.push(...Object.keys(value.patternProperties));
    }
    for (const child of Object.values(value)) stack.push(child);
  }
  return patterns;
}

const SPACE =
  '\\t\\n\\x0b\\f\\r \\xa0\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const ANY = '[^\\n\\r\\x{2028}\\x{2029}]';
const TOKEN = /\\[pP]\{[^{}]*\}|\\.|\[\^?|\]|\./gsu;
const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['Letter', 'L'],
  ['Lowercase_Letter', 'Ll'],
  ['Uppercase_Letter', 'Lu'],
  ['Mark', 'M'],
  ['Number', 'N'],
  ['Decimal_Number', 'Nd'],
  ['Punctuation', 'P'],
  ['Symbol', 'S'],
  ['Separator', 'Z'],
  ['Other', 'C'],
]);

/** Where the two languages mean different things by the same characters. */
function inRe2Words(source: string): string {
  let inClass = false;
  return source.replaceAll(TOKEN, (token) => {
    if (token === ']') inClass = false;
    else if (token.startsWith('[') && !inClass) inClass = true;
    else if (token === '.' && !inClass) return ANY;
    else if (token === '\\s') return inClass ? SPACE : `[${SPACE}]`;
    else if (token === '\\S' && !inClass) return `[^${SPACE}]`;
    else if (token === '\\b' && inClass) return '\\x08';
    else if (token.length > 2) return property(token);
    return token;
  });
}

/** `\p{Script=Greek}` and `\p{Letter}` are `\p{Greek}` and `\p{L}` there. */
function property(token: string): string {
  const name = token.slice(3, -1).replace(/^(?:Script|sc|General_Category|gc)=/, '');
  return `${token.slice(0, 3)}${CATEGORIES.get(name) ?? name}}`;
}
