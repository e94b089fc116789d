/** The messages that match one filter; grows with the record instead of being searched for each page. */

import type { Predicate } from './filter.js';
import type { StoredMessage } from './stored.js';

export class FilterIndex {
  readonly #predicate: Predicate;
  readonly #volatile: boolean;
  #seqs: number[] = [];
  #next = 0;

  constructor(predicate: Predicate, volatile: boolean) {
    this.#predicate = predicate;
    this.#volatile = volatile;
  }

  answered(): void {
    if (!this.#volatile) return;
    this.#seqs = [];
    this.#next = 0;
  }

  upTo(first: number, end: number, get: (seq: number) => StoredMessage | undefined): readonly number[] {
    const gone = lowerBound(this.#seqs, first);
    if (gone > 0) this.#seqs = this.#seqs.slice(gone);
    for (let seq = Math.max(this.#next, first); seq < end; seq += 1) {
      const message = get(seq);
      if (message !== undefined && this.#predicate(message)) this.#seqs.push(seq);
    }
    this.#next = end;
    return this.#seqs;
  }
}

/** The first position whose value is not less. */
export function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
