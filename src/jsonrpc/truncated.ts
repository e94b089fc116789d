/**
 * The beginning and the end of a message that was too long to keep. They are enough to find out which request it
 * answers: beside the long part an answer has an id and a version, and those come before it or behind it.
 */

import type { RequestId } from './message.js';

const ID = '(-?\\d{1,16}|"(?:[^"\\\\]|\\\\.){0,200}")';
const VERSION = '"jsonrpc"\\s*:\\s*"2\\.0"';
const LEADING = `(?:${VERSION}\\s*,\\s*)?(?:"id"\\s*:\\s*${ID}\\s*,\\s*)?(?:${VERSION}\\s*,\\s*)?`;
const BEGINNING = new RegExp(`^\\s*\\{\\s*${LEADING}"(?:result|error)"\\s*:`);
const ENDING = new RegExp(
  `,\\s*(?:${VERSION}\\s*,\\s*)?"id"\\s*:\\s*${ID}\\s*(?:,\\s*${VERSION}\\s*)?\\}\\s*$`,
);

/** The id of the request that it answers; `undefined` when it is no answer, or does not say. */
export function answeredBy(beginning: string, ending: string): RequestId | undefined {
  const begun = BEGINNING.exec(beginning);
  if (begun === null) return undefined;
  const id = begun[1] ?? ENDING.exec(ending)?.[1];
  return id === undefined ? undefined : readId(id);
}

/** Whether it is an answer, whatever its id. */
export function isTruncatedAnswer(beginning: string): boolean {
  return BEGINNING.test(beginning);
}

function readId(json: string): RequestId | undefined {
  try {
    const id: unknown = JSON.parse(json);
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    return undefined;
  }
}
