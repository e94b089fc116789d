/** What was asked and what came of it, and everything that was not as promised. */
import { readFileSync } from 'node:fs';

export class Ledger {
  /** @type {string[]} */
  violations = [];
  started = 0;
  settled = 0;
  /** @type {Map<string, number>} */
  #outcomes = new Map();
  /** The same as the clients' own records have it. @type {Map<string, number>} */
  #observed = new Map();
  /** Calls without an outcome yet. @type {Set<string>} */
  #open = new Set();
  /** Calls whose caller was told that the server did nothing. @type {Set<string>} */
  #unacted = new Set();

  /** @param {string} problem */
  violation(problem) {
    this.violations.push(problem);
  }

  /** @param {string} nonce */
  begin(nonce) {
    this.started += 1;
    this.#open.add(nonce);
  }

  /** @param {string} nonce */
  isOpen(nonce) {
    return this.#open.has(nonce);
  }

  /** @param {string} nonce @param {string} outcome */
  settle(nonce, outcome) {
    this.settled += 1;
    if (!this.#open.delete(nonce)) this.violation(`${nonce} had a second outcome: ${outcome}`);
    this.#outcomes.set(outcome, (this.#outcomes.get(outcome) ?? 0) + 1);
  }

  /** @param {string} outcome */
  observed(outcome) {
    this.#observed.set(outcome, (this.#observed.get(outcome) ?? 0) + 1);
  }

  /** @param {string} nonce */
  claimUnacted(nonce) {
    this.#unacted.add(nonce);
  }

  /** Nothing comes any more: what is open now stays without an outcome. */
  closeBooks() {
    for (const nonce of this.#open) this.violation(`${nonce} had no outcome`);
    for (const [outcome, count] of this.#outcomes) {
      const observed = this.#observed.get(outcome) ?? 0;
      // A call that was never sent is no request, so there is no record of it.
      const complete =
        outcome === 'state' || outcome === 'cancelled' ? observed <= count : observed === count;
      if (!complete) this.violation(`"${outcome}" was told ${count} times, and observed ${observed} times`);
    }
  }

  /** Holds what callers were told against what a server wrote down that it did. @param {string} file */
  compareWith(file) {
    /** @type {Set<string>} */
    const acted = new Set();
    for (const nonce of linesOf(file)) {
      if (acted.has(nonce)) this.violation(`${nonce} was carried out twice, and must not be repeated`);
      if (this.#unacted.has(nonce)) this.violation(`${nonce} was carried out, and its caller told otherwise`);
      acted.add(nonce);
    }
  }

  summary() {
    const sorted = [...this.#outcomes].sort(([, one], [, other]) => other - one);
    return sorted.map(([outcome, count]) => `  ${outcome}: ${count}`);
  }
}

/** @param {string} file */
export function linesOf(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
