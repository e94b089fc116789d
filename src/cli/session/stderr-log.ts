/** What a child process writes to stderr: shown as it comes, or kept for the case that something fails. */

import type { HttpTarget, StdioTarget } from '../../client/target.js';
import { printable } from '../../protocol/display.js';
import { servedAddress, tellingLine } from '../../protocol/telling-line.js';
import type { StatusLine } from '../output/status.js';

const KEPT_LINES = 20;

export class StderrLog {
  readonly #always: boolean;
  readonly #status: StatusLine;
  #live: boolean;
  #lines: string[] = [];
  #shown = false;
  #servedAddress: string | undefined;

  constructor(live: boolean, status: StatusLine) {
    this.#always = live;
    this.#live = live;
    this.#status = status;
  }

  listenTo(target: StdioTarget | HttpTarget): StdioTarget | HttpTarget {
    return 'command' in target ? { ...target, onStderr: (line) => this.#add(printable(line)) } : target;
  }

  /** Whether lines were shown as they came. */
  get shown(): boolean {
    return this.#shown;
  }

  /** Shows what was kept, and from here on every line as it comes. */
  reveal(): void {
    const kept = this.#lines;
    this.#lines = [];
    this.#live = true;
    for (const line of kept) this.#print(line);
  }

  /** Shows no more lines than the user asked for. */
  conceal(): void {
    this.#live = this.#always;
  }

  /** The last lines that were not shown yet; of `ended` alone, when it is known which process they are from. */
  unseen(ended?: string): readonly string[] {
    if (this.#live || ended === undefined) return this.#lines;
    const lines = printable(ended.trimEnd())
      .split('\n')
      .filter((line) => line !== '');
    if (lines.length === 0) return [];
    const last = lines.slice(-KEPT_LINES);
    // A usage text after the error would push it out.
    const cause = tellingLine(lines.join('\n'));
    return last.some((line) => line.trim() === cause) ? last : [cause, '...', ...last];
  }

  /** The address at which the server reports that it listens. */
  get servedAddress(): string | undefined {
    return this.#servedAddress;
  }

  #add(line: string): void {
    this.#servedAddress ??= servedAddress(line);
    if (this.#live) this.#print(line);
    else this.#lines = [...this.#lines, line].slice(-KEPT_LINES);
  }

  #print(line: string): void {
    this.#shown = true;
    this.#status.print(line);
  }
}
