/** Random numbers that come again with the same seed (mulberry32). */
export class Dice {
  #state;

  /** @param {number} seed */
  constructor(seed) {
    this.#state = seed >>> 0;
  }

  /** From 0 to 1. */
  roll() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** @param {number} probability */
  happens(probability) {
    return this.roll() < probability;
  }

  /** @param {number} least @param {number} most */
  between(least, most) {
    return least + (most - least) * this.roll();
  }
}
