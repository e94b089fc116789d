/**
 * Bytes to lines, exactly as they were written: a byte order mark, a carriage return and an empty line are
 * findings here, where the reader of a client forgives them.
 */

import { decodeUtf8 } from '../../framing/line-buffer.js';

const NEWLINE = 0x0a;
/** The longest line that is kept whole; the rest of a longer one is counted and dropped. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;

export class RawLineReader {
  readonly #onLine: (text: string) => void;
  #pieces: Uint8Array[] = [];
  #kept = 0;
  #length = 0;

  constructor(onLine: (text: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#flush();
      start = end + 1;
    }
    if (start < chunk.length) this.#add(chunk.subarray(start));
  }

  /** What is left without a newline is a line all the same. */
  end(): void {
    if (this.#length > 0) this.#flush();
  }

  #add(bytes: Uint8Array): void {
    this.#length += bytes.length;
    const room = Math.max(0, MAX_LINE_BYTES - this.#kept);
    if (room === 0 || bytes.length === 0) return;
    const piece = bytes.subarray(0, room);
    this.#pieces.push(piece);
    this.#kept += piece.length;
  }

  #flush(): void {
    const whole = this.#length === this.#kept;
    const text = decodeUtf8(this.#pieces.length === 1 ? (this.#pieces[0] ?? EMPTY) : concat(this.#pieces));
    const line = whole ? text : `(a line of ${this.#length} bytes) ${text.slice(0, 256)}`;
    this.#pieces = [];
    this.#kept = 0;
    this.#length = 0;
    this.#onLine(line);
  }
}

const EMPTY = new Uint8Array(0);

function concat(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}
