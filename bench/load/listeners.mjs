/** Many clients that only listen: each opens a stream of changes and waits. */
import { connect } from 'node:net';
import { preparePost } from '../wire/requests.mjs';

const ACKNOWLEDGED = Buffer.from('notifications/subscriptions/acknowledged');
const CHANGED = Buffer.from('notifications/tools/list_changed');
/** So many are opened at a time: more would not fit into the server's queue of new connections. */
const AT_ONCE = 200;

export class Listeners {
  /** @type {import('node:net').Socket[]} */
  #sockets = [];
  #heard = 0;
  /** @type {(() => void) | undefined} */
  #onAll;
  /** @type {(error: Error) => void} */
  #onError = () => {};

  /**
   * @param {string} url
   * @param {number} count
   */
  async open(url, count) {
    const target = new URL(url);
    const work = { method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true } } };
    while (this.#sockets.length < count) {
      const batch = Math.min(AT_ONCE, count - this.#sockets.length);
      await Promise.all(
        Array.from({ length: batch }, () => {
          const { bytes } = preparePost(target, { mode: 'modern', session: undefined }, work);
          return this.#openOne(target, bytes);
        }),
      );
    }
  }

  /**
   * @param {URL} url
   * @param {Buffer} request
   * @returns {Promise<void>}
   */
  #openOne(url, request) {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
      this.#sockets.push(socket);
      socket.on('error', reject);
      socket.on('close', () => {
        const error = new Error('The server ended a stream');
        reject(error);
        this.#onError(error);
      });
      let text = '';
      socket.on('data', (chunk) => {
        if (chunk.includes(CHANGED)) this.#hear();
        // Only the beginning comes in pieces.
        if (text.length > 4000) return;
        text += chunk.toString('latin1');
        if (text.includes(ACKNOWLEDGED.toString())) resolve();
        else if (!text.startsWith('HTTP/1.1 200')) reject(new Error(`A listener was answered with ${text}`));
      });
      socket.write(request);
    });
  }

  #hear() {
    this.#heard += 1;
    if (this.#heard === this.#sockets.length) this.#onAll?.();
  }

  /**
   * Waits until every one of them has heard of a change.
   *
   * @returns {Promise<{ atMs: number }>} when, on the clock of the machine
   */
  hearAll() {
    this.#heard = 0;
    return new Promise((resolve, reject) => {
      this.#onError = reject;
      this.#onAll = () => resolve({ atMs: performance.timeOrigin + performance.now() });
    });
  }
}
