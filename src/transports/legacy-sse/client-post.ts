/** One message to an HTTP+SSE server: a POST that is only acknowledged. Its answer, if any, comes on the stream. */

import type { DecodedError } from '../../jsonrpc/decode.js';
import { TransportError } from '../errors.js';
import { HttpAttempt } from '../http/client/attempt.js';
import type { Endpoint } from '../http/client/endpoint.js';
import type { OutgoingMessage } from '../http/client/outgoing.js';
import { httpError, judgeRefusal } from '../http/client/refusal.js';
import type { BodyMode, HttpCallEvents, HttpCallHandle, HttpHead } from '../http/client/requester.js';

const POST_HEADERS = ['content-type', 'application/json', 'accept', 'application/json, text/event-stream'];

export class MessagePost implements HttpCallEvents {
  readonly outgoing: OutgoingMessage;
  /** Resolves with the server's error when it refused the message with one. */
  readonly done: Promise<DecodedError | undefined>;
  readonly #label: string;
  #handle: HttpCallHandle | undefined;
  #head: HttpHead | undefined;
  #over = false;
  #resolve!: (refusal?: DecodedError) => void;
  #reject!: (error: TransportError) => void;

  constructor(outgoing: OutgoingMessage, label: string) {
    this.outgoing = outgoing;
    this.#label = label;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  start(target: Endpoint): void {
    if (!this.#over) this.#handle = HttpAttempt.begin(target, 'POST', POST_HEADERS, this.outgoing.text, this);
  }

  abort(): void {
    this.#over = true;
    this.#handle?.abort();
    this.#reject(new TransportError('connection_closed', `The connection to ${this.#label} has ended`));
  }

  head(head: HttpHead): BodyMode {
    this.#head = head;
    return head.status < 300 ? 'none' : 'text';
  }

  text(body: string): void {
    if (this.#head === undefined) return;
    const [id] = this.outgoing.ids;
    // The address stands for the session: when it is gone, so is the session.
    const eras = { afterHandshake: false, withoutHandshake: false };
    const call = { label: this.#label, id, sessionId: 'address', ...eras };
    const refusal = judgeRefusal(this.#head, body, call);
    if (refusal instanceof TransportError) this.#reject(refusal);
    else if (id !== undefined) this.#resolve(refusal);
    else this.#reject(httpError(this.#label, this.#head.status, refusal.error.message));
  }

  chunk(): void {}

  end(): void {
    this.#resolve();
  }

  failed(error: TransportError): void {
    this.#reject(error);
  }
}
