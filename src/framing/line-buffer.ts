/**
 * The bytes of one unfinished line. Capacity doubles, so gathering a line from any number of chunks is linear, and
 * what is kept never exceeds the limit: past it only the first and the last bytes stay and the rest is counted.
 */

const SAMPLE_BYTES = 256;
const FIRST_CAPACITY = 1024;
/** A buffer that one huge line has stretched is given back; smaller ones are reused. */
const KEPT_CAPACITY = 64 * 1024;

// A byte order mark is data to this decoder: left to itself it would swallow one at the start of every line.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

export class LineBuffer {
  readonly #maxBytes: number;
  #bytes: Uint8Array = new Uint8Array(0);
  #kept = 0;
  #length = 0;
  /** Of a line that is too long. */
  #ending: LastBytes | undefined;

  constructor(maxBytes: number) {
    if (!(maxBytes > 0))
      throw new RangeError(`The line limit must be a positive number of bytes, not ${maxBytes}`);
    this.#maxBytes = maxBytes;
  }

  /** Bytes of the line so far, kept or not. */
  get length(): number {
    return this.#length;
  }

  get overflowed(): boolean {
    return this.#length > this.#maxBytes;
  }

  append(chunk: Uint8Array, start: number, end: number): void {
    this.#length += end - start;
    if (!this.overflowed) {
      this.#keep(chunk, start, end);
      return;
    }
    if (this.#ending === undefined) {
      this.#ending = new LastBytes();
      this.#ending.add(this.#bytes.subarray(0, this.#kept));
    }
    this.#ending.add(chunk.subarray(start, end));
    if (this.#kept < SAMPLE_BYTES) {
      this.#keep(chunk, start, Math.min(end, start + SAMPLE_BYTES - this.#kept));
    } else if (this.#kept > SAMPLE_BYTES) {
      this.#kept = SAMPLE_BYTES;
      this.#bytes = this.#bytes.slice(0, SAMPLE_BYTES);
    }
  }

  text(): string {
    return decodeUtf8(this.#bytes.subarray(0, this.#kept));
  }

  /** The first bytes as text; a code point cut in half at the end is left out. */
  sample(): string {
    return new TextDecoder().decode(this.#bytes.subarray(0, this.#kept), {
      stream: true,
    });
  }

  /** The last bytes of a line that is too long, as text. */
  ending(): string {
    return this.#ending?.text() ?? '';
  }

  reset(): void {
    this.#kept = 0;
    this.#length = 0;
    this.#ending = undefined;
    if (this.#bytes.length > KEPT_CAPACITY) this.#bytes = new Uint8Array(0);
  }

  #keep(chunk: Uint8Array, start: number, end: number): void {
    const needed = this.#kept + end - start;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2, FIRST_CAPACITY));
      grown.set(this.#bytes.subarray(0, this.#kept));
      this.#bytes = grown;
    }
    this.#bytes.set(chunk.subarray(start, end), this.#kept);
    this.#kept = needed;
  }
}

class LastBytes {
  readonly #bytes = new Uint8Array(SAMPLE_BYTES);
  #length = 0;

  add(bytes: Uint8Array): void {
    const added = bytes.subarray(Math.max(0, bytes.length - SAMPLE_BYTES));
    const surplus = Math.max(0, this.#length + added.length - SAMPLE_BYTES);
    this.#bytes.copyWithin(0, surplus, this.#length);
    this.#bytes.set(added, this.#length - surplus);
    this.#length += added.length - surplus;
  }

  text(): string {
    return decodeUtf8(this.#bytes.subarray(0, this.#length));
  }
}
