/** Time that passes only when a test says so. */

interface VirtualTimer {
  readonly id: number;
  due: number;
  /** Of intervals. */
  readonly every: number | undefined;
  readonly run: () => void;
}

const REPLACED = ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const;
/** Turns of the event loop in which promises and immediates settle between two timers. */
const TURNS = 3;

/**
 * ```ts
 * const clock = createVirtualClock();
 * clock.install();
 * const call = client.tools.call('slow');
 * await clock.advance(30_000);   // the timeout of the call
 * clock.restore();
 * ```
 */
export function createVirtualClock(start = 0): VirtualClock {
  return new VirtualClock(start);
}

export class VirtualClock implements Disposable {
  #now: number;
  #next = 1;
  readonly #timers = new Map<number, VirtualTimer>();
  #originals: Map<string, PropertyDescriptor> | undefined;
  readonly #immediate = setImmediate;

  constructor(start: number) {
    this.#now = start;
  }

  /** For options such as `clock` of `connect`. Bound: it can be passed on by itself. */
  readonly now = (): number => this.#now;

  /** How many timers wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  /** Replaces the timers, `Date.now` and `performance.now` of this process until `restore`. */
  install(): this {
    if (this.#originals !== undefined) return this;
    this.#originals = new Map();
    const replacements: { [name: string]: unknown } = {
      setTimeout: (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) =>
        this.#add(() => run(...args), delay, undefined),
      setInterval: (run: (...args: unknown[]) => void, delay?: number, ...args: unknown[]) =>
        this.#add(() => run(...args), delay, Math.max(1, delay ?? 1)),
      clearTimeout: (handle: unknown) => this.#remove(handle),
      clearInterval: (handle: unknown) => this.#remove(handle),
    };
    for (const name of REPLACED) this.#replace(globalThis, name, replacements[name]);
    this.#replace(Date, 'now', this.now);
    this.#replace(performance, 'now', this.now);
    return this;
  }

  restore(): void {
    const originals = this.#originals;
    this.#originals = undefined;
    if (originals === undefined) return;
    for (const [key, descriptor] of originals) {
      const [owner, name] = [
        key.startsWith('Date.') ? Date : key.startsWith('performance.') ? performance : globalThis,
        key.split('.')[1] ?? '',
      ];
      Object.defineProperty(owner, name, descriptor);
    }
    this.#timers.clear();
  }

  [Symbol.dispose](): void {
    this.restore();
  }

  /** Lets time pass: timers run in their order, and what they cause settles before the next one. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await this.#settle();
    for (let timer = this.#first(end); timer !== undefined; timer = this.#first(end)) {
      this.#now = Math.max(this.#now, timer.due);
      if (timer.every === undefined) this.#timers.delete(timer.id);
      else timer.due += timer.every;
      timer.run();
      await this.#settle();
    }
    this.#now = end;
    await this.#settle();
  }

  #first(end: number): VirtualTimer | undefined {
    let first: VirtualTimer | undefined;
    for (const timer of this.#timers.values())
      if (timer.due <= end && (first === undefined || timer.due < first.due)) first = timer;
    return first;
  }

  async #settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1)
      await new Promise<void>((resolve) => void this.#immediate(resolve));
  }

  #add(run: () => void, delay: number | undefined, every: number | undefined): object {
    const id = this.#next;
    this.#next += 1;
    this.#timers.set(id, { id, due: this.#now + Math.max(1, delay ?? 1), every, run });
    // What code does with a timer of Node.
    const handle = {
      ref: () => handle,
      unref: () => handle,
      hasRef: () => true,
      refresh: () => {
        const timer = this.#timers.get(id);
        if (timer !== undefined) timer.due = this.#now + Math.max(1, delay ?? 1);
        return handle;
      },
      close: () => this.#remove(id),
      [Symbol.toPrimitive]: () => id,
    };
    return handle;
  }

  #remove(handle: unknown): void {
    if (handle !== undefined && handle !== null) this.#timers.delete(Number(handle));
  }

  #replace(owner: object, name: string, value: unknown): void {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name) ?? {
      value: Reflect.get(owner, name),
      writable: true,
      configurable: true,
    };
    const prefix = owner === Date ? 'Date' : owner === performance ? 'performance' : 'global';
    this.#originals?.set(`${prefix}.${name}`, descriptor);
    Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true });
  }
}
