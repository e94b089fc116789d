/**
 * Lets in so many at a time; the others wait in line. Without it a slow machine would answer nobody: what is not
 * answered in time is asked again, and so there is ever more to do.
 */
export class Gate {
  /** @type {(() => void)[]} */
  #line = [];
  #places;

  /** @param {number} places */
  constructor(places) {
    this.#places = places;
  }

  /**
   * @template T
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async pass(work) {
    if (this.#places > 0) this.#places -= 1;
    else await new Promise((resolve) => this.#line.push(() => resolve(undefined)));
    try {
      return await work();
    } finally {
      const next = this.#line.shift();
      if (next === undefined) this.#places += 1;
      else next();
    }
  }
}
