/** What a child process writes to stderr: shown as it comes, or kept for the case that something fails. */

import type { HttpTarget, StdioTarget } from '../client/index.js';
import { printable } from '../protocol/display.js';
import type { StatusLine } from './output/status.js';

const KEPT_LINES = 20;

export class StderrLog {
  readonly #live: boolean;
  readonly #status: StatusLine;
  #lines: string[] = [];

  constructor(live: boolean, status: StatusLine) {
    this.#live = live;
    this.#status = status;
  }

  listenTo(target: StdioTarget | HttpTarget): StdioTarget | HttpTarget {
    return 'command' in target ? { ...target, onStderr: (line) => this.#add(printable(line)) } : target;
  }

  /** The last lines that nobody has seen yet; of `ended` alone, when it is known which process they are from. */
  unseen(ended?: string): readonly string[] {
    if (this.#live || ended === undefined) return this.#lines;
    return printable(ended.trimEnd())
      .split('\n')
      .filter((line) => line !== '')
      .slice(-KEPT_LINES);
  }

  #add(line: string): void {
    if (this.#live) this.#status.print(line);
    else this.#lines = [...this.#lines, line].slice(-KEPT_LINES);
  }
}
