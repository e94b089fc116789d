/**
 * What a recorded message takes in memory. Texts are copied, because a text that was cut out of a larger one (a line of
 * a chunk, an event of a stream) keeps all of that alive, and no weight could say so.
 */

import { weigh } from '../../store/budget.js';
import type { StoredExchange, StoredMessage } from './stored.js';

/** A record without its texts: some thirty fields, its place in the list and in the indexes of filters. */
const RECORD_BYTES = 1_024;
/** What finds a request by its id and its progress token: two entries, and a conversation that may have no other. */
export const INDEXED_BYTES = 1_536;
/** An exchange without its headers. */
const EXCHANGE_BYTES = 512;

/** Names, subjects and ids are shown in lists; whatever is longer than this is none that a person reads. */
const MAX_FIELD = 600;
const KEPT_OF_FIELD = 500;

/** The text on its own, cut to a length, with a note of how much was left out. */
export function keptText(text: string, maxLength: number): string {
  if (text.length <= maxLength) return ownCopy(text);
  return `${ownCopy(text.slice(0, maxLength))}${leftOut(text.length - maxLength)}`;
}

/** A name, a subject or an id that is not too long to be shown. Doing it twice changes nothing. */
export function keptField<T>(field: T): T | string {
  if (typeof field !== 'string' || field.length <= MAX_FIELD) return field;
  return keptText(field, KEPT_OF_FIELD);
}

export function messageBytes({ text, method, subject, rpcId, revision }: StoredMessage): number {
  const fields = [text, method, subject, rpcId, revision];
  const texts = fields.reduce<number>((sum, field) => sum + textBytes(field), 0);
  return RECORD_BYTES + texts;
}

export function exchangeBytes(exchange: StoredExchange): number {
  const { url, requestHeaders, responseHeaders = [], failure } = exchange;
  return (
    EXCHANGE_BYTES + textBytes(url) + textBytes(failure) + weigh(requestHeaders) + weigh(responseHeaders)
  );
}

/** Two bytes a character unless all of them are ASCII. */
function textBytes(text: unknown): number {
  if (typeof text !== 'string') return 0;
  return Buffer.byteLength(text) === text.length ? text.length : text.length * 2;
}

/** The same text, which keeps nothing else in memory. */
export function ownCopy(text: string): string {
  const bytes = Buffer.from(text);
  return bytes.length === text.length ? bytes.toString('latin1') : bytes.toString();
}

/** In ASCII: one other character would make the whole text take two bytes a character. */
function leftOut(characters: number): string {
  return `... [${characters.toLocaleString('en-US')} more characters were not kept]`;
}
