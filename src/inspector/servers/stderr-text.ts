/** The end of what a program wrote to stderr, sent to pages in pieces. */

import { maskText } from '../../protocol/secrets.js';
import { Throttle } from '../events.js';

const MAX_TEXT = 256 * 1024;
const MAX_PIECE = 64 * 1024;
const TELL_MS = 50;

export class StderrText {
  readonly #told: (text: string) => void;
  readonly #throttle: Throttle;
  #text = '';
  #pending = '';

  constructor(told: (text: string) => void) {
    this.#told = told;
    this.#throttle = new Throttle(TELL_MS, () => this.#flush());
  }

  get text(): string {
    return this.#text;
  }

  /** The end of it, in whole lines where there are several. */
  tail(characters: number): string {
    const end = this.#text.slice(-characters);
    return end.length < this.#text.length ? end.slice(end.indexOf('\n') + 1) : end;
  }

  line(line: string): void {
    const text = `${maskText(line).text}\n`;
    this.#text = (this.#text + text).slice(-MAX_TEXT);
    this.#pending = (this.#pending + text).slice(-MAX_PIECE);
    this.#throttle.request();
  }

  #flush(): void {
    const text = this.#pending;
    this.#pending = '';
    this.#told(text);
  }
}
