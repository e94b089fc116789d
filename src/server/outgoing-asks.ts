/** Requests to a client on a stream of messages (stdio, memory), until they are answered, withdrawn or lost with it. */

import { encodeNotification, encodeRequest } from '../jsonrpc/encode.js';
import type { JsonObject, RequestId } from '../jsonrpc/message.js';
import { Pending, type Waiter } from '../jsonrpc/pending.js';
import { McpError, receivedError } from '../protocol/errors.js';

export class OutgoingAsks {
  readonly #pending = new Pending();
  readonly #send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const id = this.#pending.allocate();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        if (this.#pending.take(id) === undefined) return;
        this.#send(
          encodeNotification('notifications/cancelled', {
            requestId: id,
            reason: 'The call it served has ended',
          }),
        );
        reject(signal.reason);
      };
      const settle = (): void => signal.removeEventListener('abort', abort);
      this.#pending.add(id, {
        resolve: (result) => {
          settle();
          resolve(result);
        },
        reject: (error) => {
          settle();
          reject(error);
        },
        fail: (error) => {
          settle();
          reject(
            new McpError('ask_refused', `The client refused ${method}: ${error.message}`, {
              cause: receivedError(error),
            }),
          );
        },
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else this.#send(encodeRequest(id, method, params));
    });
  }

  /** The one that this id belongs to: it is answered, and forgotten here. */
  answered(id: RequestId): Waiter | undefined {
    return this.#pending.take(id);
  }

  close(reason: Error): void {
    this.#pending.rejectAll(reason);
  }
}
