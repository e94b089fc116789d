import { once } from 'node:events';
import { connect } from 'node:net';
import { AnswerReader } from '../wire/answer-reader.mjs';

/** Every connection reads into the same memory: what is read is used up before the next read. */
const shared = Buffer.allocUnsafeSlow(256 * 1024);

/** @typedef {import('../wire/answer-reader.mjs').HttpAnswer} HttpAnswer */

/** Servers close what has been idle for a while, Node's after 5 seconds. */
const MAX_IDLE_MS = 3000;

/** One connection that is kept alive, with one request under way at a time. */
export class HttpConnection {
  /** Called with each answer; its body only where it was asked for. @type {(status: number, answer: HttpAnswer | undefined) => void} */
  onAnswer = () => {};
  /** @type {(error: Error) => void} */
  onError = () => {};
  reader = new AnswerReader((status, answer) => this.onAnswer(status, answer));
  #socket;
  #url;
  #usedAt = performance.now();

  /** @param {URL} url */
  constructor(url) {
    this.#url = url;
    this.#socket = this.#connect();
  }

  /** Connects anew where the server may have closed it, or is about to. */
  async renew() {
    if (!this.#socket.destroyed && performance.now() - this.#usedAt < MAX_IDLE_MS) return;
    this.close();
    this.#socket = this.#connect();
    await once(this.#socket, 'connect');
  }

  /** It was in use until now. */
  rest() {
    this.#usedAt = performance.now();
  }

  #connect() {
    const socket = connect({
      host: this.#url.hostname,
      port: Number(this.#url.port),
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (length, buffer) => {
          try {
            this.reader.push(/** @type {Buffer} */ (buffer).subarray(0, length));
          } catch (error) {
            this.onError(/** @type {Error} */ (error));
          }
          return true;
        },
      },
    });
    socket.on('error', (error) => this.onError(error));
    socket.on('close', () => {
      if (socket === this.#socket) this.onError(new Error('The server closed the connection'));
    });
    return socket;
  }

  /** @param {Buffer} bytes */
  write(bytes) {
    this.#socket.write(bytes);
  }

  /**
   * One request and its whole answer.
   *
   * @param {Buffer | string} bytes
   * @returns {Promise<HttpAnswer>}
   */
  exchange(bytes) {
    return new Promise((resolve, reject) => {
      this.reader.keep = true;
      this.onAnswer = (_status, answer) => resolve(/** @type {HttpAnswer} */ (answer));
      this.onError = reject;
      this.#socket.write(bytes);
    });
  }

  close() {
    this.onError = () => {};
    this.#socket.destroy();
  }
}
