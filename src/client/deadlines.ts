/**
 * The time limit that nearly all calls of a connection have. They stand in a queue in the order in which they began,
 * and while there are any, one timer watches over the first of them: hardly any call lasts until its limit, and setting
 * and clearing a timer for each is not cheap.
 */

export interface Limited {
  /** When its time is over. */
  due: number;
  /** Its neighbours in the queue, kept by it. */
  before: Limited | undefined;
  after: Limited | undefined;
  /** Called once, unless it was removed before. */
  expire(): void;
}

export class Deadlines {
  readonly milliseconds: number;
  readonly #clock: () => number;
  #first: Limited | undefined;
  #last: Limited | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(milliseconds: number, clock: () => number) {
    this.milliseconds = milliseconds;
    this.#clock = clock;
  }

  add(entry: Limited): void {
    entry.due = this.#clock() + this.milliseconds;
    entry.before = this.#last;
    if (this.#last === undefined) this.#first = entry;
    else this.#last.after = entry;
    this.#last = entry;
    if (this.#timer === undefined) this.#wait(this.milliseconds);
  }

  /** Does nothing for one that is not in the queue. */
  remove(entry: Limited): void {
    const { before, after } = entry;
    if (before === undefined && this.#first !== entry) return;
    if (before === undefined) this.#first = after;
    else before.after = after;
    if (after === undefined) this.#last = before;
    else after.before = before;
    entry.before = undefined;
    entry.after = undefined;
    if (this.#first !== undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #wait(milliseconds: number): void {
    this.#timer = setTimeout(this.#ring, milliseconds);
  }

  readonly #ring = (): void => {
    this.#timer = undefined;
    const now = this.#clock();
    let first = this.#first;
    while (first !== undefined && first.due <= now) {
      this.remove(first);
      first.expire();
      first = this.#first;
    }
    if (first !== undefined && this.#timer === undefined) this.#wait(Math.max(first.due - now, 1));
  };
}
