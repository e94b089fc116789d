/**
 * Reads answers of HTTP/1.1, one after the other, as bytes come. It does as little as an answer allows, because it
 * shares a core with nothing but the rest of the load: bodies are kept only when somebody wants to see them.
 */

/** @typedef {{ status: number, head: string, body: string }} HttpAnswer */

const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');
const NOTHING = Buffer.alloc(0);

/** @typedef {{ status: number, length: number, chunked: boolean }} Head */

export class AnswerReader {
  /** Whether the body of the answer that comes next is kept. */
  keep = true;
  /** @type {'head' | 'body' | 'size' | 'chunk' | 'trailer'} */
  #state = 'head';
  /** A head or a line that has not come completely. */
  #held = NOTHING;
  #remaining = 0;
  #status = 0;
  #head = '';
  /** @type {Head} */
  #parsed = { status: 0, length: 0, chunked: false };
  /** @type {Buffer[]} */
  #kept = [];
  #onAnswer;

  /** @param {(status: number, answer: HttpAnswer | undefined) => void} onAnswer */
  constructor(onAnswer) {
    this.#onAnswer = onAnswer;
  }

  /** @param {Buffer} bytes  may be overwritten after this returns */
  push(bytes) {
    let at = 0;
    while (at < bytes.length) at = this.#step(bytes, at);
  }

  /**
   * @param {Buffer} bytes
   * @param {number} at
   * @returns {number} where to go on
   */
  #step(bytes, at) {
    switch (this.#state) {
      case 'head':
        return this.#readHead(bytes, at);
      case 'body':
        return this.#readBody(bytes, at, true);
      case 'chunk':
        return this.#readBody(bytes, at, false);
      default:
        return this.#readLine(bytes, at);
    }
  }

  /**
   * @param {Buffer} bytes
   * @param {number} at
   */
  #readHead(bytes, at) {
    const found = this.#until(HEAD_END, bytes, at);
    if (found === undefined) return bytes.length;
    const { text, next } = found;
    // A server's heads are the same for a whole second.
    if (text !== this.#head) {
      this.#parsed = parseHead(text);
      this.#head = text;
    }
    const { status, length, chunked } = this.#parsed;
    this.#status = status;
    if (chunked) this.#state = 'size';
    else if (length === 0) this.#finish();
    else {
      this.#remaining = length;
      this.#state = 'body';
    }
    return next;
  }

  /**
   * @param {Buffer} bytes
   * @param {number} at
   * @param {boolean} whole  whether the answer ends with it
   */
  #readBody(bytes, at, whole) {
    const taken = Math.min(this.#remaining, bytes.length - at);
    if (this.keep) this.#kept.push(Buffer.from(bytes.subarray(at, at + taken)));
    this.#remaining -= taken;
    if (this.#remaining === 0) {
      if (whole) this.#finish();
      else this.#state = 'size';
    }
    return at + taken;
  }

  /**
   * The size of a chunk, the end of one, or what follows the last.
   *
   * @param {Buffer} bytes
   * @param {number} at
   */
  #readLine(bytes, at) {
    const found = this.#until(LINE_END, bytes, at);
    if (found === undefined) return bytes.length;
    const { text, next } = found;
    if (this.#state === 'trailer') {
      if (text === '') this.#finish();
    } else if (text !== '') {
      const size = Number.parseInt(text, 16);
      if (Number.isNaN(size)) throw new Error(`${JSON.stringify(text)} is no size of a chunk`);
      this.#remaining = size;
      this.#state = size === 0 ? 'trailer' : 'chunk';
    }
    return next;
  }

  /**
   * @param {Buffer} end
   * @param {Buffer} bytes
   * @param {number} at
   * @returns {{ text: string, next: number } | undefined}
   */
  #until(end, bytes, at) {
    if (this.#held.length === 0) {
      const found = bytes.indexOf(end, at);
      if (found >= 0) return { text: bytes.toString('latin1', at, found), next: found + end.length };
      this.#held = Buffer.from(bytes.subarray(at));
      return undefined;
    }
    const before = this.#held.length;
    const joined = Buffer.concat([this.#held, bytes.subarray(at)]);
    const found = joined.indexOf(end);
    this.#held = found >= 0 ? NOTHING : joined;
    if (found < 0) return undefined;
    return { text: joined.toString('latin1', 0, found), next: at + found + end.length - before };
  }

  #finish() {
    this.#state = 'head';
    const kept = this.keep
      ? { status: this.#status, head: this.#head, body: Buffer.concat(this.#kept).toString('utf8') }
      : undefined;
    if (this.keep) this.#kept = [];
    this.#onAnswer(this.#status, kept);
  }
}

/**
 * @param {string} text
 * @returns {Head}
 */
function parseHead(text) {
  const length = /\r\ncontent-length:\s*(\d+)/i.exec(text)?.[1];
  const chunked = /\r\ntransfer-encoding:\s*chunked/i.test(text);
  const status = Number(text.slice(9, 12));
  if (length === undefined && !chunked && status === 200)
    throw new Error(`An answer without an end:\n${text}`);
  return { status, length: Number(length ?? 0), chunked };
}

/**
 * The message that answers a request, from a JSON body or from the last event of a stream.
 *
 * @param {string} body
 * @returns {{ id?: unknown, result?: Record<string, unknown>, error?: { code: number, message: string } }}
 */
export function messageIn(body) {
  if (body.startsWith('{')) return JSON.parse(body);
  const events = body.split(/\r?\n/).filter((line) => line.startsWith('data:') && line.length > 6);
  return JSON.parse(events.at(-1)?.slice(5) ?? 'null');
}
