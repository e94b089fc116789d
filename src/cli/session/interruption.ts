/** Ctrl-C and friends: the first ends the command in the orderly way, a second one at once. */

import { watchRunner } from './runner-watch.js';

const SIGINT = 2;
const SIGTERM = 15;

const SIGNALS: ReadonlyMap<NodeJS.Signals, number> = new Map([
  ['SIGINT', SIGINT],
  ['SIGTERM', SIGTERM],
  ['SIGHUP', 1],
]);

export class Interruption {
  readonly #controller = new AbortController();
  readonly #handlers = new Map<NodeJS.Signals, () => void>();
  readonly #unwatch: () => void;
  #exitCode: number | undefined;

  constructor() {
    this.#unwatch = watchRunner(() => this.raise(128 + SIGTERM));
    for (const [signal, number] of SIGNALS) {
      const handler = (): void => this.raise(128 + number);
      this.#handlers.set(signal, handler);
      process.on(signal, handler);
    }
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Undefined while nothing happened. */
  get exitCode(): number | undefined {
    return this.#exitCode;
  }

  raise(exitCode: number = 128 + SIGINT): void {
    // Children are killed with us, whatever they were about to finish.
    if (this.#exitCode !== undefined) process.exit(exitCode);
    this.#exitCode = exitCode;
    this.#controller.abort(new Error('Interrupted'));
  }

  release(): void {
    this.#unwatch();
    for (const [signal, handler] of this.#handlers) process.off(signal, handler);
  }
}

/** Runs a command that has nothing to finish: a signal ends it at once, and the servers that it started with it. */
export async function endAtOnce(work: () => Promise<number>): Promise<number> {
  const interruption = new Interruption();
  interruption.signal.addEventListener('abort', () => {
    // The line of the progress.
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K');
    process.exit(interruption.exitCode);
  });
  try {
    return await work();
  } finally {
    interruption.release();
  }
}
