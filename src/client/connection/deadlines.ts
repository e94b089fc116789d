/**
 * The time limit that nearly all calls of a connection have. They stand in a queue in the order in which they began, and
 * one timer watches over the first of them: hardly any call lasts until its limit, and setting and clearing a timer for
 * each is not cheap. When the last has ended the timer stays, without keeping the process alive: as a rule there will be
 * another call before it rings.
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

/** Other runtimes than Node have numbers for timers, which keep nothing alive. */
type Timer = ReturnType<typeof setTimeout> & { ref?(): void; unref?(): void };

export class Deadlines {
  readonly milliseconds: number;
  readonly #clock: () => number;
  #first: Limited | undefined;
  #last: Limited | undefined;
  #timer: Timer | undefined;
  #stopped = false;

  constructor(milliseconds: number, clock: () => number) {
    this.milliseconds = milliseconds;
    this.#clock = clock;
  }

  add(entry: Limited): void {
    entry.due = this.#clock() + this.milliseconds;
    entry.before = this.#last;
    if (this.#last === undefined) {
      this.#first = entry;
      if (this.#timer === undefined) this.#wait(this.milliseconds);
      else this.#timer.ref?.();
    } else this.#last.after = entry;
    this.#last = entry;
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
    if (this.#first === undefined) this.#rest();
  }

  /** No more calls will come. Those that wait for another connection keep their limit. */
  stop(): void {
    this.#stopped = true;
    if (this.#first === undefined) this.#rest();
  }

  #rest(): void {
    if (!this.#stopped) {
      this.#timer?.unref?.();
      return;
    }
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
    // One that expired may have begun another.
    if (first !== undefined && this.#timer === undefined) this.#wait(Math.max(first.due - now, 1));
  };
}
