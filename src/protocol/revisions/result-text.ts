/**
 * The result of one call as the server wrote it, for those who hand it on without looking inside. The text travels in
 * the value that a handler returns, so it can only ever answer the call that the handler serves; and it knows its
 * revision, so that who answers sees whether the client reads it as it is.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { passesUnchanged } from './results.js';
import type { Revision } from './revision.js';

export class ResultText {
  readonly #text: string;
  readonly #revision: Revision;

  /** The text is a JSON object on one line, written by a peer of the revision. */
  constructor(text: string, revision: Revision) {
    this.#text = text;
    this.#revision = revision;
  }

  /** The text, if a peer of this revision reads it as it is. */
  for(revision: Revision): string | undefined {
    return passesUnchanged(this.#revision, revision) ? this.#text : undefined;
  }

  /** Whether this piece of text is somewhere in it. */
  mentions(piece: string): boolean {
    return this.#text.includes(piece);
  }

  decode(): JsonObject {
    return JSON.parse(this.#text);
  }
}

/** What answers a call: a result, or its text. */
export type Answer = JsonObject | ResultText;

/** The result itself, for those who have to look at it. */
export function resultOf(answer: Answer): JsonObject {
  return answer instanceof ResultText ? answer.decode() : answer;
}
