/**
 * The server's end of a connection that can be observed, from the start or from any later moment: an observer that comes
 * later gets the handshake first, because it says who the client is and which revision both speak.
 */

import { type Batch, type Decoded, decodeText } from '../jsonrpc/decode.js';
import { encodeMessage } from '../jsonrpc/encode.js';
import type { Message, RequestId } from '../jsonrpc/message.js';
import type { CloseReason, Receiver, SendOptions, Transport } from './transport.js';

export interface TransportObserver {
  /** `deliver` hands the message on: what is done about it happens within. */
  received(decoded: Decoded | Batch, text: string, deliver: () => void): void;
  sent(text: string): void;
  /** What was said before the observer came, and when (milliseconds since 1970). */
  missed(direction: 'to-server' | 'to-client', text: string, at: number): void;
  closed(reason: CloseReason): void;
}

interface Said {
  readonly text: string;
  readonly at: number;
}

/** A longer handshake is not kept for later observers. */
const MAX_HANDSHAKE = 64 * 1024;

export class ObservedTransport implements Transport {
  readonly label: string;
  readonly endpoint?: string;
  readonly #inner: Transport;
  #observer: TransportObserver | undefined;
  /** The `initialize` request and its answer. */
  readonly #handshake: { asked?: Said; answered?: Said; id?: RequestId } = {};

  constructor(inner: Transport, observer?: TransportObserver) {
    this.#inner = inner;
    this.#observer = observer;
    this.label = inner.label;
    if (inner.endpoint !== undefined) this.endpoint = inner.endpoint;
  }

  /** From now on; one observer at a time. */
  observe(observer: TransportObserver): void {
    if (this.#observer !== undefined) return;
    this.#observer = observer;
    const { asked, answered } = this.#handshake;
    if (asked === undefined || answered === undefined) return;
    observer.missed('to-server', asked.text, asked.at);
    observer.missed('to-client', answered.text, answered.at);
  }

  start(receiver: Receiver): Promise<void> {
    const through: Receiver = {
      message: (decoded, text, about) => {
        const deliver = (): void => receiver.message(decoded, text, about);
        if (this.#observer !== undefined) this.#observer.received(decoded, text, deliver);
        else {
          this.#keepRequest(decoded, text);
          deliver();
        }
      },
      fault: (fault) => receiver.fault(fault),
      closed: (reason) => {
        this.#observer?.closed(reason);
        receiver.closed(reason);
      },
    };
    return this.#inner.start(through);
  }

  send(message: Message | string, options?: SendOptions): void | Promise<void> {
    const isOfInterest = this.#observer !== undefined || this.#handshake.id !== undefined;
    if (!isOfInterest) return this.#inner.send(message, options);
    const text = typeof message === 'string' ? message : encodeMessage(message);
    if (this.#observer === undefined) this.#keepAnswer(text);
    else this.#observer.sent(text);
    return this.#inner.send(text, options);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #keepRequest(decoded: Decoded | Batch, text: string): void {
    if (decoded.kind !== 'request' || decoded.message.method !== 'initialize') return;
    if (text.length > MAX_HANDSHAKE || this.#handshake.asked !== undefined) return;
    this.#handshake.asked = { text, at: Date.now() };
    this.#handshake.id = decoded.message.id;
  }

  #keepAnswer(text: string): void {
    const decoded = decodeText(text);
    if (decoded.kind !== 'result' || decoded.message.id !== this.#handshake.id) return;
    delete this.#handshake.id;
    if (text.length <= MAX_HANDSHAKE) this.#handshake.answered = { text, at: Date.now() };
  }
}
