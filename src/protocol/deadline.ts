/**
 * A signal that fires when a time is up, or with another signal before that. The timer holds on to the controller until
 * it is cleared, so that nothing depends on how a runtime keeps the sources of `AbortSignal.any` alive.
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
