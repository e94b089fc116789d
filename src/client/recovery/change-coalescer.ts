/**
 * Coalesces bursts of changes. The first is reported immediately; those that follow within the window are
 * reported as one at its end, because each of them only says "look again".
 */

export const COALESCE_MS = 100;

export class ChangeCoalescer {
  readonly #report: () => void;
  readonly #clock: () => number;
  readonly #window: number;
  #until = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(report: () => void, clock: () => number, window: number = COALESCE_MS) {
    this.#report = report;
    this.#clock = clock;
    this.#window = window;
  }

  changed(): void {
    if (this.#timer !== undefined) return;
    const now = this.#clock();
    const wait = this.#until - now;
    if (wait <= 0) {
      this.#until = now + this.#window;
      this.#report();
      return;
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#until = this.#clock() + this.#window;
      this.#report();
    }, wait);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
