/**
 * How long this client kept the server waiting with its own answers. A call that a user's thinking holds up is not a
 * server that hangs, so that time, and no more than that, is taken off what the call may take.
 */
export class QuestionTime {
  readonly #clock: () => number;
  #open = 0;
  #since = 0;
  #total = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Whether a question of the server is being answered now. */
  get isTaken(): boolean {
    return this.#open > 0;
  }

  begin(): void {
    if (this.#open === 0) this.#since = this.#clock();
    this.#open += 1;
  }

  end(): void {
    this.#open -= 1;
    if (this.#open === 0) this.#total += this.#clock() - this.#since;
  }

  /** All the time spent on answers so far. Does not look at the clock unless it has to: every call asks. */
  spent(): number {
    return this.#open === 0 ? this.#total : this.#total + this.#clock() - this.#since;
  }
}
