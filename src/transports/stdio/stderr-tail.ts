/** The last bytes that a child wrote to stderr: enough to explain a crash, however much it logged before. */

const DEFAULT_TAIL_BYTES = 64 * 1024;
const MAX_CHUNKS = 1_024;

export class StderrTail {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  constructor(maxBytes: number = DEFAULT_TAIL_BYTES) {
    this.#maxBytes = maxBytes;
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Compacting only at twice the size keeps the work per byte constant; many tiny pieces would cost more than they hold.
    if (this.#bytes > this.#maxBytes * 2 || this.#chunks.length > MAX_CHUNKS) this.#compact();
  }

  text(): string {
    this.#compact();
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  #compact(): void {
    const all = Buffer.concat(this.#chunks);
    let start = Math.max(0, all.length - this.#maxBytes);
    // Not in the middle of a code point: continuation bytes are 10xxxxxx.
    while (start > 0 && start < all.length && ((all[start] ?? 0) & 0xc0) === 0x80) start++;
    const tail = Buffer.from(all.subarray(start));
    this.#chunks = [tail];
    this.#bytes = tail.length;
  }
}
