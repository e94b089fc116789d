/** `@file`, `-` and JSON among the arguments of a call: a value or all arguments from a file or from stdin. */

import { readFileSync } from 'node:fs';
import type { JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import { parseDocument, readsStdin } from './document.js';

export interface GivenArguments {
  /** From `@file.json`, `-` and `{...}`, later ones over earlier ones. */
  readonly base: JsonObject;
  /** `key=value` and `key:=JSON`, with the content of files in place of their names. */
  readonly pairs: readonly string[];
  readonly readsStdin: boolean;
}

export type ReadText = (source: string | 0) => string;

/** `key=@@text` is the text `@text`. Stdin can be read once. */
export function givenArguments(words: readonly string[], read: ReadText = readGiven): GivenArguments {
  let base: JsonObject = {};
  const pairs: string[] = [];
  let stdin = 0;
  const content = (name: string): string => {
    if (name !== '-') return read(name);
    stdin += 1;
    if (stdin > 1) throw new UsageError('Stdin can be used for one argument only');
    return read(0);
  };
  for (const word of words) {
    const [, start = '', name] = /^([^=]+=)@(.*)$/s.exec(word) ?? [];
    if (word.startsWith('{')) base = { ...base, ...parseDocument('the JSON of the arguments', word) };
    else if (readsStdin(word)) base = { ...base, ...parseDocument('stdin', content('-')) };
    else if (word.startsWith('@'))
      base = { ...base, ...parseDocument(word.slice(1), content(word.slice(1))) };
    else if (name === undefined) pairs.push(word);
    else if (name.startsWith('@')) pairs.push(`${start}${name}`);
    else pairs.push(`${start}${content(name)}`);
  }
  return { base, pairs, readsStdin: stdin > 0 };
}

function readGiven(source: string | 0): string {
  try {
    return readFileSync(source, 'utf8');
  } catch (cause) {
    const name = source === 0 ? 'stdin' : source;
    throw new UsageError(
      `Cannot read ${name}; check the path, or write key=@@text for a text that begins with @`,
      { cause },
    );
  }
}
