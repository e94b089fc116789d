/**
 * The link's handlers until a revision is agreed on. Notifications pass at once; requests of the server wait until it
 * is known how to treat them, except `ping`, which a handshake answers from its first message on.
 */

import { encodeResult } from '../../jsonrpc/encode.js';
import type { ErrorObject, JsonObject, Notification, Request, RequestId } from '../../jsonrpc/message.js';
import type { Noise } from '../errors.js';
import type { ClientFault } from '../events.js';
import type { SendReply } from './batch-reply.js';
import type { ConnectionOwner } from './connection.js';
import type { Link, LinkHandlers } from './link.js';

/** How a question of ours ended, as far as the wire goes. */
export type WireOutcome =
  | { readonly kind: 'result'; readonly result: JsonObject }
  | { readonly kind: 'error'; readonly error: ErrorObject }
  /** The connection ended, or never took the question. */
  | { readonly kind: 'lost'; readonly error: unknown };

interface Held {
  readonly request: Request;
  readonly reply: SendReply;
}

export class NegotiationHandlers implements LinkHandlers {
  /** Which revision has batches is not known yet. */
  readonly acceptsBatches = true;
  readonly #owner: ConnectionOwner;
  readonly #asked = new Map<RequestId, (answer: WireOutcome) => void>();
  #held: Held[] = [];
  #answersPing = false;
  #noise: Noise | undefined;

  constructor(owner: ConnectionOwner) {
    this.#owner = owner;
  }

  /** Sends a request and resolves with how it ended; never rejects. */
  ask(link: Link, id: RequestId, text: string): Promise<WireOutcome> {
    return new Promise((resolve) => {
      const settle = (answer: WireOutcome): void => {
        this.#asked.delete(id);
        link.abandon(id);
        resolve(answer);
      };
      this.#asked.set(id, settle);
      link.post(id, text, {
        resolve: (result) => settle({ kind: 'result', result }),
        fail: (error) => settle({ kind: 'error', error }),
        reject: (error) => settle({ kind: 'lost', error }),
      });
    });
  }

  answerPings(): void {
    this.#answersPing = true;
    const held = this.#held;
    this.#held = [];
    for (const { request, reply } of held) this.asked(request, reply);
  }

  /** Passes everything held to the new owner. */
  moveTo(link: Link, handlers: LinkHandlers): void {
    link.handlers = handlers;
    const held = this.#held;
    this.#held = [];
    for (const { request, reply } of held) handlers.asked(request, reply);
  }

  asked(request: Request, reply: SendReply): void {
    if (this.#answersPing && request.method === 'ping') reply(encodeResult(request.id, '{}'));
    else this.#held.push({ request, reply });
  }

  notified(notification: Notification): void {
    const id = notification.params?.requestId;
    if (notification.method === 'notifications/cancelled') this.#drop(id);
    this.#owner.notification(notification);
  }

  /** A server that could not read the question answers it without its id. */
  orphaned(error: ErrorObject): void {
    const [oldest] = this.#asked.values();
    oldest?.({ kind: 'error', error });
  }

  /** What came on stdout and was no message, before anything was agreed on. */
  get noise(): Noise | undefined {
    return this.#noise;
  }

  fault(fault: ClientFault): void {
    if (fault.kind === 'noise' && fault.sample !== undefined) {
      const { lines, sample } = this.#noise ?? { lines: 0, sample: fault.sample };
      this.#noise = { lines: lines + 1, sample };
    }
    this.#owner.fault(fault);
  }

  /** The new owner requests everything again. */
  interrupted(): void {}

  /** Those who wait hear it from the link. */
  closed(): void {}

  #drop(id: unknown): void {
    const dropped = this.#held.filter(({ request }) => request.id === id);
    this.#held = this.#held.filter(({ request }) => request.id !== id);
    for (const { reply } of dropped) reply(undefined);
  }
}
