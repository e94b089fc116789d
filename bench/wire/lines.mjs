/** Lines out of a stream of bytes. A line that has not come completely is kept as pieces, never joined twice. */
export class Lines {
  /** @type {Buffer[]} */
  #pieces = [];
  #onLine;

  /** @param {(line: Buffer) => void} onLine */
  constructor(onLine) {
    this.#onLine = onLine;
  }

  /** @param {Buffer} bytes */
  push(bytes) {
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(10, at);
      if (end < 0) break;
      const rest = bytes.subarray(at, end);
      if (this.#pieces.length === 0) this.#onLine(rest);
      else {
        this.#pieces.push(rest);
        const line = Buffer.concat(this.#pieces);
        this.#pieces = [];
        this.#onLine(line);
      }
      at = end + 1;
    }
    if (at < bytes.length) this.#pieces.push(bytes.subarray(at));
  }
}
