/**
 * The body of one request on Node. Nearly every body comes in the packet of its head: it is complete one tick later,
 * and costs one listener. Only a body that is not gets a time limit, and the listeners that a longer wait needs.
 */

import type { IncomingMessage } from 'node:http';
import type { HttpLimits } from './exchange.js';

/** Told once how the reading ended, unless the client went away. */
export interface BodyReceiver {
  received(text: string): void;
  unreadable(status: 408 | 413, message: string): void;
}

export function readNodeBody(incoming: IncomingMessage, limits: HttpLimits, receiver: BodyReceiver): void {
  // It left while its credentials were checked; nothing will come any more.
  if (incoming.destroyed && !incoming.readableEnded) return;
  if (incoming.readableEnded) {
    throw new Error('The request body was read before; pass what was read on as "request.body"');
  }
  new BodyReading(incoming, limits, receiver).start();
}

class BodyReading {
  readonly #incoming: IncomingMessage;
  readonly #limits: HttpLimits;
  readonly #receiver: BodyReceiver;
  /** The declared length; a chunked body has none, and no number of bytes equals NaN. */
  readonly #expected: number;
  #first: Buffer | undefined;
  #more: Buffer[] | undefined;
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #over = false;

  constructor(incoming: IncomingMessage, limits: HttpLimits, receiver: BodyReceiver) {
    this.#incoming = incoming;
    this.#limits = limits;
    this.#receiver = receiver;
    this.#expected = Number(incoming.headers['content-length'] ?? Number.NaN);
  }

  start(): void {
    if (this.#expected > this.#limits.bodyBytes) {
      this.#tooLarge();
      return;
    }
    // The stream flows from the next tick on, so that what has come by then is delivered before `#wait` looks.
    this.#incoming.on('data', this.#take);
    process.nextTick(this.#wait);
  }

  // Listeners are not taken off again: they leave with the request, and find that all is over.

  readonly #take = (data: Buffer | string): void => {
    if (this.#over) return;
    // Somebody before us may have set an encoding.
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    this.#bytes += chunk.length;
    if (this.#bytes > this.#limits.bodyBytes) {
      this.#tooLarge();
      return;
    }
    if (this.#first === undefined) this.#first = chunk;
    else {
      this.#more ??= [this.#first];
      this.#more.push(chunk);
    }
    // The end of the stream is some ticks away; the length tells now that nothing is missing.
    if (this.#bytes === this.#expected) this.#finish();
  };

  readonly #wait = (): void => {
    if (this.#over) return;
    // A client that sends a byte a minute must not hold a request open for ever.
    this.#timer = setTimeout(() => {
      this.#stop();
      this.#receiver.unreadable(408, 'The request body did not come in time');
    }, this.#limits.requestMs);
    this.#incoming.on('end', this.#finish).on('error', this.#stop).on('close', this.#stop);
  };

  readonly #finish = (): void => {
    if (this.#over) return;
    this.#stop();
    const whole = this.#more === undefined ? this.#first : Buffer.concat(this.#more, this.#bytes);
    this.#receiver.received(whole === undefined ? '' : whole.toString('utf8'));
  };

  readonly #stop = (): void => {
    this.#over = true;
    clearTimeout(this.#timer);
  };

  #tooLarge(): void {
    this.#stop();
    const { bodyBytes } = this.#limits;
    this.#receiver.unreadable(413, `The request body is larger than ${bodyBytes} bytes`);
  }
}
