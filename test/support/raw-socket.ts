/** A TCP connection that sends bytes as they are and keeps what comes back. */

import { connect, type Socket } from 'node:net';

export class RawSocket {
  readonly #socket: Socket;
  readonly #waiting = new Set<{ isThere(): boolean; resolve(): void; reject(error: Error): void }>();
  /** Resolves with everything that came, once the other side has closed. */
  readonly closed: Promise<string>;
  received = '';

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('latin1');
    socket.on('error', () => undefined);
    socket.on('data', (chunk: string) => {
      this.received += chunk;
      for (const waiter of this.#waiting) {
        if (!waiter.isThere()) continue;
        this.#waiting.delete(waiter);
        waiter.resolve();
      }
    });
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        for (const waiter of this.#waiting) {
          waiter.reject(new Error(`Closed too early, after: ${this.received.slice(0, 300)}`));
        }
        this.#waiting.clear();
        resolve(this.received);
      });
    });
  }

  static open(origin: string): Promise<RawSocket> {
    const { hostname, port } = new URL(origin);
    return new Promise((resolve, reject) => {
      const socket = connect(Number(port), hostname.replace(/^\[|\]$/g, ''));
      socket.once('error', reject);
      socket.once('connect', () => resolve(new RawSocket(socket)));
    });
  }

  /** Resolves when the operating system has taken the bytes. */
  write(bytes: string | Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#socket.write(bytes, () => resolve());
    });
  }

  /** Sends the head of a request; lines are joined as HTTP wants them. */
  head(...lines: string[]): Promise<void> {
    return this.write(`${lines.join('\r\n')}\r\n\r\n`);
  }

  until(text: string): Promise<void> {
    return this.#wait(() => this.received.includes(text));
  }

  untilLength(bytes: number): Promise<void> {
    return this.#wait(() => this.received.length >= bytes);
  }

  #wait(isThere: () => boolean): Promise<void> {
    if (isThere()) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiting.add({ isThere, resolve, reject }));
  }

  get status(): number {
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(this.received)?.[1] ?? 0);
  }

  /** Half-closes: no more bytes will come from this side. */
  end(): void {
    this.#socket.end();
  }

  /** Vanishes without a goodbye. */
  destroy(): void {
    this.#socket.resetAndDestroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}
