/** The last line of the terminal while a call runs: a progress bar that other output pushes down. */

import { singleLine } from '../../protocol/display.js';
import type { ProgressParams } from '../../protocol/model/notifications.js';
import type { Terminal } from './terminal.js';
import { displayWidth } from './text.js';

const BAR_WIDTH = 24;
const CLEAR_LINE = '\r\u001b[2K';

export class StatusLine {
  readonly #terminal: Terminal;
  #shown = '';

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  get interactive(): boolean {
    return this.#terminal.interactive;
  }

  /** Prints whole lines above the status. */
  print(text: string): void {
    const shown = this.#shown;
    this.clear();
    this.#terminal.write(`${text}\n`);
    this.#write(shown);
  }

  /** Shows a text until the next one, or until it is cleared. */
  show(text: string): void {
    if (!this.#terminal.interactive) return;
    this.clear();
    this.#write(text);
  }

  progress(params: ProgressParams): void {
    this.show(describeProgress(params, this.#terminal.columns));
  }

  clear(): void {
    if (this.#shown === '') return;
    this.#terminal.write(CLEAR_LINE);
    this.#shown = '';
  }

  #write(text: string): void {
    if (text === '') return;
    this.#terminal.write(text);
    this.#shown = text;
  }
}

export function describeProgress({ progress, total, message }: ProgressParams, columns: number): string {
  const text = message === undefined ? '' : ` ${singleLine(message)}`;
  const line = `${measure(progress, total)}${text}`;
  // A line that wraps could not be cleared any more.
  return displayWidth(line) < columns
    ? line
    : Array.from(line)
        .slice(0, columns - 2)
        .join('');
}

function measure(progress: number, total: number | undefined): string {
  if (total === undefined || !(total > 0)) return `${progress}`;
  const share = Math.min(1, Math.max(0, progress / total));
  const filled = Math.round(share * BAR_WIDTH);
  const bar = '#'.repeat(filled) + '-'.repeat(BAR_WIDTH - filled);
  return `[${bar}] ${String(Math.round(share * 100)).padStart(3)}%`;
}
