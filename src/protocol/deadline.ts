/**
 * A signal that fires when a time is up, or with another signal before that.
 *
 * `AbortSignal.any([signal, AbortSignal.timeout(ms)])` says the same, but a timeout to which nothing but `any` refers
 * can be collected on Node 20, and never fires then. Here the timer holds on to the controller until it is cleared.
 */

export class Deadline {
  readonly #controller = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #outer: AbortSignal | undefined;

  /** `reason` is what the signal says when the time is up. */
  constructor(milliseconds: number, outer?: AbortSignal, reason?: unknown) {
    this.#outer = outer;
    this.#timer = setTimeout(() => {
      const late = new DOMException(`Not done within ${milliseconds} ms`, 'TimeoutError');
      this.#controller.abort(reason ?? late);
    }, milliseconds);
    if (outer?.aborted === true) this.#forward();
    else outer?.addEventListener('abort', this.#forward, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** To be called when what it limits is over; the signal does not fire afterwards. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#outer?.removeEventListener('abort', this.#forward);
  }

  readonly #forward = (): void => {
    clearTimeout(this.#timer);
    this.#controller.abort(this.#outer?.reason);
  };
}
