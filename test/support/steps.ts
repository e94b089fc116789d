/** Points that a handler reaches and gates that a test opens, so that neither side waits for a clock. */

export class Steps {
  readonly #reached = new Map<string, Point>();
  readonly #opened = new Map<string, Point>();

  /** The handler is here. */
  reach(name: string): void {
    point(this.#reached, name).pass();
  }

  /** Waits for a handler to get there, for the `count`th time. */
  until(name: string, count = 1): Promise<void> {
    return point(this.#reached, name).wait(count);
  }

  count(name: string): number {
    return point(this.#reached, name).passed;
  }

  open(name: string): void {
    point(this.#opened, name).pass();
  }

  /** Waits for the test to open the gate; rejects when the call is cancelled first. */
  opened(name: string, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      if (signal?.aborted) reject(signal.reason);
      point(this.#opened, name).wait(1).then(resolve);
    });
  }
}

class Point {
  passed = 0;
  readonly #waiting = new Set<{ count: number; resolve(): void }>();

  pass(): void {
    this.passed += 1;
    for (const waiter of this.#waiting) {
      if (this.passed < waiter.count) continue;
      this.#waiting.delete(waiter);
      waiter.resolve();
    }
  }

  wait(count: number): Promise<void> {
    if (this.passed >= count) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.add({ count, resolve }));
  }
}

function point(points: Map<string, Point>, name: string): Point {
  let found = points.get(name);
  if (found === undefined) {
    found = new Point();
    points.set(name, found);
  }
  return found;
}
