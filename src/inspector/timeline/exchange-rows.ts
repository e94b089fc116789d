/**
 * The rows of one filter where a request and its answer are one row, ordered so that what belongs to a call follows it.
 * Rows are found when a page asks for them; what changed meanwhile is looked at again.
 */

import type { Predicate } from './filter.js';
import type { StoredMessage } from './stored.js';

type Find = (seq: number) => StoredMessage | undefined;

/** More changes than this between two questions: everything is looked at anew. */
const MAX_CHANGED = 20_000;

export class ExchangeRows {
  readonly #predicate: Predicate | undefined;
  readonly #changed = new Set<number>();
  #rows: number[] = [];
  #next = 0;
  #first = 0;

  constructor(predicate: Predicate | undefined) {
    this.#predicate = predicate;
  }

  changed(seq: number): void {
    if (seq >= this.#next) return;
    if (this.#changed.size < MAX_CHANGED) this.#changed.add(seq);
    else this.#reset();
  }

  upTo(first: number, end: number, find: Find): readonly number[] {
    if (first > this.#first) {
      this.#rows = this.#rows.filter((seq) => seq >= first);
      this.#first = first;
    }
    for (const seq of this.#changed) this.#look(seq, find);
    this.#changed.clear();
    for (let seq = Math.max(this.#next, first); seq < end; seq += 1) this.#look(seq, find);
    this.#next = end;
    return this.#rows;
  }

  /** The position of a message, or of the row that it is part of. */
  locate(seq: number, find: Find): number | null {
    const message = find(seq);
    if (message === undefined) return null;
    const row = isAnswer(message) || isFolded(message, find) ? ownerOf(message, find) : message;
    const place = this.#placeOf(row ?? message, find);
    return place < this.#rows.length ? place : null;
  }

  #reset(): void {
    this.#changed.clear();
    this.#rows = [];
    this.#next = 0;
  }

  #look(seq: number, find: Find): void {
    const message = find(seq);
    if (message === undefined) return;
    const place = this.#placeOf(message, find);
    const isThere = this.#rows[place] === seq;
    const belongs = this.#belongs(message, find);
    if (belongs && !isThere) this.#rows.splice(place, 0, seq);
    else if (!belongs && isThere) this.#rows.splice(place, 1);
  }

  #belongs(message: StoredMessage, find: Find): boolean {
    if (isAnswer(message) || isFolded(message, find)) return false;
    const { kind, pair } = message;
    if (this.#predicate === undefined || this.#predicate(message)) return true;
    const answer = kind === 'request' && pair !== undefined ? find(pair) : undefined;
    return answer !== undefined && this.#predicate(answer);
  }

  #placeOf(message: StoredMessage, find: Find): number {
    const last = this.#rows.at(-1);
    const newest = last === undefined ? undefined : find(last);
    if (newest === undefined ? this.#rows.length === 0 : isBefore(newest, message)) return this.#rows.length;
    let low = 0;
    let high = this.#rows.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = find(this.#rows[middle] ?? 0);
      if (other !== undefined && isBefore(other, message)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function isBefore(one: StoredMessage, other: StoredMessage): boolean {
  return one.group < other.group || (one.group === other.group && one.seq < other.seq);
}

/** It is shown in the row of its request, and goes with it: a request is always dropped before its answer. */
function isAnswer({ kind, pair }: StoredMessage): boolean {
  return (kind === 'result' || kind === 'error') && pair !== undefined;
}

/** The HTTP exchange of a request, which its row shows. */
function isFolded(message: StoredMessage, find: Find): boolean {
  const { kind, exchange, group, seq } = message;
  if (kind !== 'http' || exchange === undefined || group === seq) return false;
  const call = find(group);
  return call === undefined || call.exchange === exchange;
}

function ownerOf({ kind, pair, group }: StoredMessage, find: Find): StoredMessage | undefined {
  return find(kind === 'http' ? group : (pair ?? group));
}
