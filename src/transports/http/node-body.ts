/**
 * The body of one request on Node. Nearly every body comes in the packet of its head: it is complete one tick later,
 * and costs one listener. Only a body that is not gets a time limit, and the listeners that a longer wait needs.
 */

import type { IncomingMessage } from 'node:http';
import { BodyBytes } from './body-bytes.js';
import type { HttpLimits } from './server/limits.js';

/** Called once with the outcome of the reading, unless the client disconnected. */
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

/** As UTF-8, a byte order mark included. */
export function bodyText(body: BodyBytes): string {
  const bytes = body.take();
  const { buffer, byteOffset, byteLength } = bytes;
  return (Buffer.isBuffer(bytes) ? bytes : Buffer.from(buffer, byteOffset, byteLength)).toString('utf8');
}

class BodyReading {
  readonly #incoming: IncomingMessage;
  readonly #limits: HttpLimits;
  readonly #receiver: BodyReceiver;
  /** The declared length; a chunked body has none, and no number of bytes equals NaN. */
  readonly #expected: number;
  readonly #body = new BodyBytes();
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
    this.#incoming.on('data', (data: Buffer | string) => this.#take(data));
    lookLater(this);
  }

  /** Comes when what arrived together with the head has been delivered, and perhaps its end too. */
  look(): void {
    if (this.#over) return;
    const incoming = this.#incoming;
    if (incoming.readableEnded) this.#finish();
    else if (incoming.destroyed) this.#stop();
    else this.#wait();
  }

  #wait(): void {
    // A client that sends a byte a minute must not hold a request open for ever.
    this.#timer = setTimeout(() => {
      this.#stop();
      this.#receiver.unreadable(408, 'The request body did not come in time');
    }, this.#limits.requestTimeout);
    const stop = (): void => this.#stop();
    this.#incoming
      .on('end', () => this.#finish())
      .on('error', stop)
      .on('close', stop);
  }

  // Listeners are not taken off again: they leave with the request, and find that all is over.

  #take(data: Buffer | string): void {
    if (this.#over) return;
    // Earlier code may have set an encoding.
    const chunk = typeof data === 'string' ? Buffer.from(data) : data;
    if (this.#body.length + chunk.length > this.#limits.bodyBytes) {
      this.#tooLarge();
      return;
    }
    this.#body.add(chunk);
    // The end of the stream is some ticks away; the length shows now that nothing is missing.
    if (this.#body.length === this.#expected) this.#finish();
  }

  #finish(): void {
    if (this.#over) return;
    this.#stop();
    this.#receiver.received(this.#body.length === 0 ? '' : bodyText(this.#body));
  }

  #stop(): void {
    this.#over = true;
    clearTimeout(this.#timer);
  }

  #tooLarge(): void {
    this.#stop();
    this.#body.take();
    const { bodyBytes } = this.#limits;
    this.#receiver.unreadable(413, `The request body is larger than ${bodyBytes} bytes`);
  }
}

/** Begun in this round of the event loop. */
let begun: BodyReading[] = [];

/** One look for all that began in a round: a tick for each would cost more than most of what they do. */
function lookLater(reading: BodyReading): void {
  begun.push(reading);
  if (begun.length === 1) setImmediate(lookAtAll);
}

function lookAtAll(): void {
  const readings = begun;
  begun = [];
  for (const reading of readings) reading.look();
}
