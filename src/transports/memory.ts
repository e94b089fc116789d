/**
 * Two transports joined in memory. Messages cross as JSON text, so that each side sees exactly what a wire would have
 * carried and neither can reach into the other's objects. Delivery is asynchronous, in order, and one microtask
 * empties a whole inbox: there is no promise per message.
 */

import { decodeText } from '../jsonrpc/decode.js';
import { encodeMessage } from '../jsonrpc/encode.js';
import type { Message } from '../jsonrpc/message.js';
import { rejected, TransportError } from './errors.js';
import type { CloseReason, Receiver, Transport } from './transport.js';

/** Two transports that are connected to each other, for a client and a server in one process. */
export function createMemoryPair(): [Transport, Transport] {
  const left = new MemoryTransport();
  const right = new MemoryTransport();
  left.join(right);
  right.join(left);
  return [left, right];
}

class MemoryTransport implements Transport {
  readonly label = 'memory';
  #peer: MemoryTransport | undefined;
  #receiver: Receiver | undefined;
  #inbox: string[] = [];
  #state: 'new' | 'starting' | 'open' | 'closed' = 'new';
  #remoteClosed = false;
  #scheduled = false;

  join(peer: MemoryTransport): void {
    this.#peer = peer;
  }

  start(receiver: Receiver): Promise<void> {
    if (this.#state !== 'new') {
      return rejected(
        new TransportError(
          'already_started',
          'This transport was already started or closed; create a new pair',
        ),
      );
    }
    this.#state = 'starting';
    this.#receiver = receiver;
    const started = Promise.resolve();
    // Code that awaits `started` runs after this callback and before the microtask that it schedules, so
    // nothing is delivered to a caller that has not seen its own start succeed.
    void started.then(() => {
      if (this.#state === 'starting') this.#state = 'open';
      this.#schedule();
    });
    return started;
  }

  send(message: Message | string): void | Promise<void> {
    const peer = this.#peer;
    if (
      peer === undefined ||
      this.#receiver === undefined ||
      this.#state === 'closed' ||
      this.#remoteClosed
    ) {
      return rejected(new TransportError('connection_closed', 'The memory connection is not open'));
    }
    peer.#inbox.push(typeof message === 'string' ? message : encodeMessage(message));
    peer.#schedule();
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return;
    const peer = this.#peer;
    if (peer !== undefined) {
      peer.#remoteClosed = true;
      peer.#schedule();
    }
    this.#finish({ kind: 'local' });
  }

  #schedule(): void {
    if (this.#scheduled || this.#state !== 'open') return;
    this.#scheduled = true;
    queueMicrotask(this.#deliver);
  }

  readonly #deliver = (): void => {
    const batch = this.#inbox;
    const receiver = this.#receiver;
    this.#inbox = [];
    let delivered = 0;
    try {
      for (const text of batch) {
        if (this.#state !== 'open') break;
        delivered++;
        if (receiver?.take?.(text) === undefined) receiver?.message(decodeText(text), text);
      }
    } finally {
      this.#scheduled = false;
      // A receiver that throws loses the message it threw on, not those behind it.
      if (delivered < batch.length) this.#inbox = [...batch.slice(delivered), ...this.#inbox];
      if (this.#inbox.length > 0) this.#schedule();
      else if (this.#remoteClosed) this.#finish({ kind: 'remote' });
    }
  };

  #finish(reason: CloseReason): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#inbox = [];
    this.#receiver?.closed(reason);
  }
}
