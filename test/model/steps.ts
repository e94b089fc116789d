/**
 * What can happen next, and a clock that only moves when something asks it to. Everything that travels between
 * processes waits in a source; a schedule chooses from which of them the next step is taken.
 */

interface Waiting {
  readonly number: number;
}

export interface SourceOptions {
  /** What leads to a client. */
  readonly isAnswer?: boolean;
  /** The node that its steps happen on. */
  readonly owner?: string | undefined;
}

/** Things that happen in their order: one direction of a connection. */
export class Source<T> {
  readonly name: string;
  readonly isAnswer: boolean;
  readonly #owner: string | undefined;
  readonly #steps: Steps;
  readonly #take: (item: T) => void;
  readonly #describe: (item: T) => string;
  readonly #items: (Waiting & { readonly item: T })[] = [];

  constructor(
    steps: Steps,
    name: string,
    take: (item: T) => void,
    describe: (item: T) => string,
    { isAnswer = false, owner }: SourceOptions,
  ) {
    this.#steps = steps;
    this.isAnswer = isAnswer;
    this.#owner = owner;
    this.name = name;
    this.#take = take;
    this.#describe = describe;
  }

  /** What its next step is. */
  get next(): string {
    const [first] = this.#items;
    return first === undefined ? this.name : `${this.name}: ${this.#describe(first.item)}`;
  }

  add(item: T): void {
    if (this.#items.length === 0) this.#steps.begin(this);
    this.#items.push({ number: this.#steps.count(), item });
  }

  /** When its first item came. */
  get since(): number {
    return this.#items[0]?.number ?? Number.POSITIVE_INFINITY;
  }

  step(): void {
    const first = this.#items.shift();
    if (this.#items.length === 0) this.#steps.end(this);
    this.#steps.owner = this.#owner;
    if (first !== undefined) this.#take(first.item);
  }

  clear(): T[] {
    this.#steps.end(this);
    return this.#items.splice(0).map(({ item }) => item);
  }
}

interface Timer {
  readonly at: number;
  readonly number: number;
  readonly every: number | undefined;
  readonly run: () => void;
  readonly owner: string | undefined;
}

/** What `setTimeout` returns. */
class TimerHandle {
  readonly number: number;

  constructor(number: number) {
    this.number = number;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** A Tuesday; any fixed moment does. */
const START = 1_800_000_000_000;

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  performanceNow: performance.now,
  randomUUID: crypto.randomUUID,
};

/**
 * Runs every promise that can go on, and reports rejections that nothing handles, as Node.js does between two events.
 * A turn of the event loop for each step would cost more than the step.
 */
export const settle: () => void = (() => {
  const run: unknown = Reflect.get(process, '_tickCallback');
  if (typeof run !== 'function') throw new Error('This Node.js has no process._tickCallback');
  return () => void run.call(process);
})();

/** Calls it outside of every promise, where `settle` works. */
export function outsideOfPromises<T>(work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    real.setImmediate(() => {
      try {
        resolve(work());
      } catch (error) {
        reject(error);
      }
    });
  });
}

export class Steps {
  now: number = START;
  /** The node on which things happen at this moment. Its timers end with it. */
  owner: string | undefined;
  readonly #sources = new Set<Source<never>>();
  readonly #timers = new Map<number, Timer>();
  #counted = 0;

  source<T>(
    name: string,
    take: (item: T) => void,
    describe: (item: T) => string,
    options: SourceOptions = {},
  ): Source<T> {
    return new Source(this, name, take, describe, options);
  }

  begin<T>(source: Source<T>): void {
    this.#sources.add(source as unknown as Source<never>);
  }

  end<T>(source: Source<T>): void {
    this.#sources.delete(source as unknown as Source<never>);
  }

  count(): number {
    this.#counted += 1;
    return this.#counted;
  }

  /** How many sources have something in them. */
  get size(): number {
    return this.#sources.size;
  }

  /** What `ready` begins with. */
  first(answersFirst = false): Source<never> | undefined {
    let first: Source<never> | undefined;
    for (const source of this.#sources) {
      if (first !== undefined && answersFirst && first.isAnswer !== source.isAnswer) {
        if (source.isAnswer) first = source;
      } else if (first === undefined || source.since < first.since) first = source;
    }
    return first;
  }

  /** Sources with something in them, the one that waits longest first, or answers before everything else. */
  ready(answersFirst = false): readonly Source<never>[] {
    const sources = [...this.#sources].sort((a, b) => a.since - b.since);
    if (!answersFirst) return sources;
    return [...sources.filter(({ isAnswer }) => isAnswer), ...sources.filter(({ isAnswer }) => !isAnswer)];
  }

  /** Lets time pass until the next timer is due; false where there is none. */
  advance(): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers.values())
      if (next === undefined || timer.at < next.at || (timer.at === next.at && timer.number < next.number))
        next = timer;
    if (next === undefined) return false;
    this.#timers.delete(next.number);
    this.now = Math.max(this.now, next.at);
    if (next.every !== undefined) this.#timers.set(next.number, { ...next, at: this.now + next.every });
    this.owner = next.owner;
    next.run();
    return true;
  }

  /** A timer that ends with nobody, unless with its owner. */
  after(milliseconds: number, run: () => void, owner?: string): void {
    this.#start(milliseconds, run, undefined, owner);
  }

  /** What a node has left behind would happen for ever, and concern nobody. */
  forget(owner: string): void {
    for (const timer of this.#timers.values()) if (timer.owner === owner) this.#timers.delete(timer.number);
  }

  delay(milliseconds: number): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, resolve));
  }

  #start(
    milliseconds: number,
    run: () => void,
    every: number | undefined,
    owner: string | undefined,
  ): number {
    const number = this.count();
    this.#timers.set(number, { at: this.now + milliseconds, number, every, run, owner });
    return number;
  }

  /** The clock, the timers and the identifiers of this process are those of the schedule until `restore` is called. */
  install(): () => void {
    const timer = (every: boolean) =>
      ((run: () => void, milliseconds = 0) =>
        new TimerHandle(
          this.#start(milliseconds, run, every ? milliseconds : undefined, this.owner),
        )) as unknown as typeof setTimeout & typeof setInterval;
    const clear = ((given: TimerHandle | undefined) => {
      if (given !== undefined) this.#timers.delete(given.number);
    }) as unknown as typeof clearTimeout;
    globalThis.setTimeout = timer(false);
    globalThis.setInterval = timer(true);
    globalThis.clearTimeout = clear;
    globalThis.clearInterval = clear;
    Date.now = () => this.now;
    performance.now = () => this.now - START;
    crypto.randomUUID = () => {
      const digits = this.count().toString(16).padStart(8, '0');
      // Parts of the store cut identifiers at either end; both ends tell them apart.
      return `${digits}-0000-4000-8000-0000${digits}`;
    };
    return () => {
      globalThis.setTimeout = real.setTimeout;
      globalThis.setInterval = real.setInterval;
      globalThis.clearTimeout = real.clearTimeout;
      globalThis.clearInterval = real.clearInterval;
      Date.now = real.dateNow;
      performance.now = real.performanceNow;
      crypto.randomUUID = real.randomUUID;
    };
  }
}
