/** What the user sees while a server starts slowly: that it does, what it prints, and how long it may take. */

import { formatDuration } from '../options/flags.js';
import type { StatusLine } from '../output/status.js';
import type { StderrLog } from './stderr-log.js';

/** Most servers answer before this; for them nothing is shown. */
const FIRST_MS = 3_000;
/** Where there is no status line to count on, one line from time to time. */
const REPEAT_MS = 15_000;
const TICK_MS = 1_000;

export class StartNotice {
  readonly #status: StatusLine;
  readonly #stderr: StderrLog;
  readonly #limitMs: number;
  readonly #began = performance.now();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(status: StatusLine, stderr: StderrLog, limitMs: number) {
    this.#status = status;
    this.#stderr = stderr;
    this.#limitMs = limitMs;
    this.#timer = setTimeout(() => this.#first(), FIRST_MS);
  }

  /** The server answered, or the wait is over. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#status.clear();
  }

  #first(): void {
    this.#status.print(
      `plumb: the server is still starting; waiting up to ${formatDuration(this.#limitMs)} (--connect-timeout)`,
    );
    this.#stderr.reveal();
    this.#next();
  }

  #next(): void {
    this.#timer = setTimeout(
      () => {
        const text = `still starting, ${Math.round((performance.now() - this.#began) / 1_000)} s`;
        if (this.#status.interactive) this.#status.show(text);
        else this.#status.print(`plumb: ${text}`);
        this.#next();
      },
      this.#status.interactive ? TICK_MS : REPEAT_MS,
    );
  }
}
