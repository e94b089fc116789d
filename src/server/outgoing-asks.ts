/** Requests to a client on a stream of messages (stdio, memory), until they are answered, withdrawn or lost with it. */

import { encodeNotification, encodeRequest } from '../jsonrpc/encode.js';
import type { JsonObject, RequestId } from '../jsonrpc/message.js';
import { Pending, type Waiter } from '../jsonrpc/pending.js';
import { abortableQuestion } from '../protocol/abortable.js';
import { McpError, receivedError } from '../protocol/errors.js';

const CALL_ENDED = 'The call it served has ended';

export class OutgoingAsks {
  readonly #pending = new Pending();
  readonly #send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  ask(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const id = this.#pending.allocate();
    let sent = false;
    const question = abortableQuestion<JsonObject>(
      signal,
      () => void this.#pending.take(id),
      () => {
        if (sent)
          this.#send(encodeNotification('notifications/cancelled', { requestId: id, reason: CALL_ENDED }));
        return signal.reason;
      },
    );
    if (signal.aborted) return question.answer;
    this.#pending.add(id, {
      resolve: question.resolve,
      reject: question.reject,
      fail: (error) =>
        question.reject(
          new McpError('ask_refused', `The client refused ${method}: ${error.message}`, {
            cause: receivedError(error),
          }),
        ),
    });
    sent = true;
    this.#send(encodeRequest(id, method, params));
    return question.answer;
  }

  /** The one that this id belongs to: it is answered, and forgotten here. */
  answered(id: RequestId): Waiter | undefined {
    return this.#pending.take(id);
  }

  close(reason: Error): void {
    this.#pending.rejectAll(reason);
  }
}
