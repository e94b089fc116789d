/**
 * Results that are the same for every client, such as lists: written once for each revision, as text and as
 * bytes.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import type { Revision } from '../protocol/revisions/index.js';

/** A text that is sent again and again, whose bytes are made once. */
export class PreparedText {
  readonly text: string;
  #bytes: Uint8Array | undefined;

  constructor(text: string) {
    this.text = text;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= new TextEncoder().encode(this.text);
    return this.#bytes;
  }
}

/** A prepared result behind the head of one answer. Cut out of the whole text it would have to be joined first. */
export interface PreparedAnswer {
  readonly head: string;
  readonly result: PreparedText;
}

export class PreparedResults {
  readonly #texts = new WeakMap<JsonObject, Map<Revision, PreparedText>>();

  /** Frozen, because a middleware that changed it in place would change it for all other callers too. */
  add<T extends JsonObject>(result: T): T {
    for (const list of Object.values(result)) {
      if (Array.isArray(list)) for (const item of Object.freeze(list)) Object.freeze(item);
    }
    Object.freeze(result);
    this.#texts.set(result, new Map());
    return result;
  }

  /** The text of a result that was added; `write` makes it the first time. */
  find(result: JsonObject, revision: Revision, write: () => string): PreparedText | undefined {
    const texts = this.#texts.get(result);
    if (texts === undefined) return undefined;
    let text = texts.get(revision);
    if (text === undefined) {
      text = new PreparedText(write());
      texts.set(revision, text);
    }
    return text;
  }
}
