/**
 * The bytes of a body as they arrive. A body that comes in one chunk, as nearly all do, is that chunk. Otherwise chunks
 * are copied into blocks: kept as they came, chunks of one byte would cost sixty times their size. At no time does this
 * hold more than twice the body.
 */

const FIRST_BLOCK_BYTES = 4 * 1024;
const MAX_BLOCK_BYTES = 64 * 1024;

export class BodyBytes {
  #only: Uint8Array | undefined;
  #blocks: Uint8Array[] | undefined;
  /** The block that is being filled, and how much of it is. */
  #block: Uint8Array | undefined;
  #filled = 0;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const first = this.#length === 0;
    this.#length += chunk.length;
    if (first) {
      this.#only = chunk;
      return;
    }
    if (this.#only !== undefined) this.#copy(this.#only);
    this.#only = undefined;
    this.#copy(chunk);
  }

  /** All that have arrived so far. */
  bytes(): Uint8Array {
    return this.#only ?? this.#join();
  }

  /** All of them. Nothing is kept here afterwards. */
  take(): Uint8Array {
    const whole = this.bytes();
    this.#only = undefined;
    this.#blocks = undefined;
    this.#block = undefined;
    this.#filled = 0;
    this.#length = 0;
    return whole;
  }

  #join(): Uint8Array {
    const whole = new Uint8Array(this.#length);
    let at = 0;
    for (const block of this.#blocks ?? []) {
      whole.set(block, at);
      at += block.length;
    }
    if (this.#block !== undefined) whole.set(this.#block.subarray(0, this.#filled), at);
    return whole;
  }

  #copy(chunk: Uint8Array): void {
    for (let start = 0; start < chunk.length; ) {
      const block = this.#room();
      const end = Math.min(chunk.length, start + block.length - this.#filled);
      block.set(start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end), this.#filled);
      this.#filled += end - start;
      start = end;
    }
  }

  /** A block that is not full. They grow, so that many bodies which have just begun cost little. */
  #room(): Uint8Array {
    const last = this.#block;
    if (last !== undefined && this.#filled < last.length) return last;
    if (last !== undefined) {
      this.#blocks ??= [];
      this.#blocks.push(last);
    }
    const bytes = last === undefined ? FIRST_BLOCK_BYTES : Math.min(last.length * 2, MAX_BLOCK_BYTES);
    const block = new Uint8Array(bytes);
    this.#block = block;
    this.#filled = 0;
    return block;
  }
}
