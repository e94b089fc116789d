/**
 * A started transport with the requests that wait on it. Answers go to who waits for them; everything else goes
 * to the current handlers, which change once: when negotiation is over.
 */

import { type Decoded, decodeValue, type Malformed } from '../jsonrpc/decode.js';
import type { ErrorObject, Message, Notification, Request, RequestId } from '../jsonrpc/message.js';
import { Pending, type Waiter } from '../jsonrpc/pending.js';
import { McpError } from '../protocol/errors.js';
import { normaliseNotification } from '../protocol/lenient.js';
import { isFailedRequest } from '../transports/errors.js';
import type {
  CloseReason,
  Receiver,
  SendOptions,
  Transport,
  TransportFault,
} from '../transports/transport.js';
import { batchReply, type Reply } from './batch-reply.js';
import { ConnectionClosedError, invalidResult, messageOf, sendError } from './errors.js';
import type { ClientFault } from './events.js';
import { RecentIds } from './recent-ids.js';

const REMEMBERED_IDS = 1_024;
const SAMPLE_CHARACTERS = 200;

export interface LinkHandlers {
  /** Whether several messages may come as one array. */
  readonly acceptsBatches: boolean;
  /** `about` is who waits for the request on whose stream it came, where the transport tells. */
  asked(request: Request, reply: Reply, about?: Waiter): void;
  notified(notification: Notification, about?: Waiter): void;
  /** An error that names no request of ours. */
  orphaned(error: ErrorObject): void;
  fault(fault: ClientFault): void;
  closed(error: ConnectionClosedError): void;
}

export interface LinkStats {
  /** Answers to requests already given up. */
  late: number;
  /** Second answers. */
  duplicate: number;
  /** Answers to nothing ever asked. */
  unknown: number;
}

export class Link {
  readonly stats: LinkStats = { late: 0, duplicate: 0, unknown: 0 };
  handlers: LinkHandlers;
  readonly #transport: Transport;
  readonly #pending = new Pending();
  readonly #abandoned = new RecentIds(REMEMBERED_IDS);
  #lastId = 0;
  #ended: ConnectionClosedError | undefined;

  constructor(transport: Transport, handlers: LinkHandlers) {
    this.#transport = transport;
    this.handlers = handlers;
  }

  get label(): string {
    return this.#transport.label;
  }

  /** The web address of the server, where it has one. */
  get endpoint(): string | undefined {
    return this.#transport.endpoint;
  }

  get waiting(): number {
    return this.#pending.size;
  }

  /** Why nothing can be sent any more, once that is so. */
  get ended(): ConnectionClosedError | undefined {
    return this.#ended;
  }

  async start(): Promise<void> {
    const receiver: Receiver = {
      message: (decoded, text, about) => {
        const waiter = about === undefined ? undefined : this.#pending.get(about);
        if (decoded.kind === 'batch') this.#batch(decoded.items, text, waiter);
        else this.#message(decoded, text, this.#reply, waiter);
      },
      fault: (fault: TransportFault) => this.handlers.fault(fault),
      closed: (reason) => this.#closed(reason),
    };
    await this.#transport.start(receiver);
  }

  allocate(): number {
    this.#lastId = this.#pending.allocate();
    return this.#lastId;
  }

  /** Sends a request; from here on the waiter gets exactly one outcome, unless `abandon` takes it out. */
  post(id: RequestId, message: string, waiter: Waiter, options?: SendOptions): void {
    if (this.#ended !== undefined) {
      waiter.reject(this.#ended);
      return;
    }
    this.#pending.add(id, waiter);
    try {
      const sent = this.#transport.send(message, options);
      if (sent instanceof Promise) sent.catch((error: unknown) => this.#unsent(id, error));
    } catch (error) {
      this.#unsent(id, error);
    }
  }

  /** Takes the waiter out without an outcome; false when it had one already. */
  abandon(id: RequestId): boolean {
    if (this.#pending.take(id) === undefined) return false;
    this.#abandoned.add(id);
    return true;
  }

  /** Sends what nobody waits for. */
  send(message: Message | string): void {
    if (this.#ended !== undefined) return;
    try {
      const sent = this.#transport.send(message);
      if (sent instanceof Promise) sent.catch((error: unknown) => this.#unwritten(error));
    } catch (error) {
      this.#unwritten(error);
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  readonly #reply: Reply = (text) => {
    if (text !== undefined) this.send(text);
  };

  #message(decoded: Decoded, text: string, reply: Reply, about: Waiter | undefined): void {
    switch (decoded.kind) {
      case 'result':
        this.#take(decoded.message.id, text)?.resolve(decoded.message.result);
        return;
      case 'error':
        if (decoded.id === undefined) this.handlers.orphaned(decoded.error);
        else this.#take(decoded.id, text)?.fail(decoded.error);
        return;
      case 'notification':
        this.handlers.notified(normaliseNotification(decoded.message), about);
        return;
      case 'request':
        this.handlers.asked(decoded.message, reply, about);
        return;
      case 'malformed':
        this.#malformed(decoded, text);
    }
  }

  #take(id: RequestId, text: string): Waiter | undefined {
    const waiter = this.#pending.take(id);
    if (waiter === undefined) this.#stray(id, text);
    return waiter;
  }

  #malformed({ id, isAnswer, reason }: Malformed, text: string): void {
    const waiter = isAnswer && id !== undefined ? this.#pending.take(id) : undefined;
    if (waiter === undefined) {
      this.#fault('malformed', `The server sent something that is not JSON-RPC: ${reason}`, text);
    } else {
      waiter.reject(invalidResult(`request ${id}`, reason));
    }
  }

  #batch(items: readonly unknown[], text: string, about: Waiter | undefined): void {
    if (!this.handlers.acceptsBatches) {
      this.#fault('unexpected_message', 'The server sent a batch, which this revision does not have', text);
      return;
    }
    const decoded = items.map(decodeValue);
    const requests = decoded.filter((item) => item.kind === 'request').length;
    const reply = batchReply(requests, (answers) => this.send(answers));
    for (const item of decoded) this.#message(item, text, reply, about);
  }

  #closed(reason: CloseReason): void {
    this.#ended = new ConnectionClosedError(this.label, reason);
    this.#pending.rejectAll(this.#ended);
    this.handlers.closed(this.#ended);
  }

  #stray(id: RequestId, text: string): void {
    if (this.#abandoned.take(id)) {
      this.stats.late += 1;
      return;
    }
    const known = typeof id === 'number' && id > 0 && id <= this.#lastId;
    if (known) this.stats.duplicate += 1;
    else this.stats.unknown += 1;
    const what = known ? 'a second time' : 'though nothing with that id was asked';
    this.#fault('unexpected_answer', `The server answered ${JSON.stringify(id)} ${what}`, text);
  }

  #unsent(id: RequestId, error: unknown): void {
    // A closed connection says more about itself in a moment, such as why the process ended.
    if (error instanceof McpError && error.code === 'connection_closed' && this.#ended === undefined) return;
    this.#pending.take(id)?.reject(isFailedRequest(error) ? error : sendError(this.label, id, error));
  }

  #unwritten(error: unknown): void {
    if (this.#ended !== undefined) return;
    const message = `A message could not be sent: ${messageOf(error)}`;
    this.handlers.fault({ kind: 'write', message, cause: error });
  }

  #fault(kind: ClientFault['kind'], message: string, text: string): void {
    this.handlers.fault({ kind, message, sample: text.slice(0, SAMPLE_CHARACTERS) });
  }
}
