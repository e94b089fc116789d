/**
 * A started transport with the requests that wait on it. Answers go to who waits for them; everything else goes
 * to the current handlers, which change once: when negotiation is over.
 */

import { type Decoded, decodeValue, type Malformed } from '../../jsonrpc/decode.js';
import { encodeError } from '../../jsonrpc/encode.js';
import type { ErrorObject, Message, Notification, Request, RequestId } from '../../jsonrpc/message.js';
import { Pending, type Waiter } from '../../jsonrpc/pending.js';
import { scanResult } from '../../jsonrpc/scan.js';
import { McpError, ProtocolError } from '../../protocol/errors.js';
import { normaliseNotification } from '../../protocol/lenient.js';
import { isFailedRequest, TransportError } from '../../transports/errors.js';
import type {
  CloseReason,
  Receiver,
  SendOptions,
  Transport,
  TransportFault,
} from '../../transports/transport.js';
import { ConnectionClosedError, invalidResult, messageOf, sendError } from '../errors.js';
import type { ClientFault } from '../events.js';
import { OpenQuestions, type QuestionLimits } from '../input/open-questions.js';
import type { Settings } from '../options.js';
import { batchReply, type SendReply } from './batch-reply.js';
import { GivenUpRequests } from './given-up-requests.js';

const SAMPLE_CHARACTERS = 200;
/** How often, and after what pause, to hand over again what the transport had no room for. */
export const BUSY_RETRIES = 3;
export const BUSY_DELAY_MS = 10;
export const BUSY_JITTER = 0.5;

export interface LinkHandlers {
  /** Whether several messages may come as one array. */
  readonly acceptsBatches: boolean;
  /** `about` is the waiter of the request on whose stream it arrived, where the transport knows. */
  asked(request: Request, reply: SendReply, about?: Waiter): void;
  notified(notification: Notification, about?: Waiter): void;
  /** An error that names no request of ours. */
  orphaned(error: ErrorObject): void;
  fault(fault: ClientFault): void;
  /** What the server says unasked may have been lost; with an error, it is not heard any more. */
  interrupted(error: TransportError | undefined): void;
  closed(error: ConnectionClosedError): void;
}

export interface LinkStats {
  /** Answers to requests already given up. */
  late: number;
  /** Second answers. */
  duplicate: number;
  /** Answers to nothing ever asked. */
  unknown: number;
  /** Input that is no message: not JSON, not JSON-RPC, or too long. */
  malformed: number;
}

/** Why an answer is dropped. */
export type Stray = 'late' | 'duplicate' | 'unknown';

/** What the links of one client have in common, one after the other. */
export interface LinkHost {
  readonly stats: LinkStats;
  readonly settings: Pick<Settings, 'clock' | 'random'> & QuestionLimits;
  /** An answer without a pending request. */
  strayed(kind: Stray): void;
  /** The last id given out: no id is used twice, on whatever connection. */
  lastId: number;
}

export class Link {
  handlers: LinkHandlers;
  /** Messages received, whatever they were: a sign of life. */
  received = 0;
  readonly #transport: Transport;
  readonly #host: LinkHost;
  readonly #pending = new Pending();
  readonly #abandoned: GivenUpRequests;
  readonly #questions: OpenQuestions;
  #ended: ConnectionClosedError | undefined;
  /** Whether a caller has ever requested results as text; without one there is no need to look for them. */
  #scans = false;

  constructor(transport: Transport, handlers: LinkHandlers, host: LinkHost) {
    this.#transport = transport;
    this.#host = host;
    this.handlers = handlers;
    this.#abandoned = new GivenUpRequests(host.settings.clock);
    this.#questions = new OpenQuestions(host.settings);
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
        if (this.#ended !== undefined) return;
        this.received += 1;
        const waiter = about === undefined ? undefined : this.#pending.get(about);
        if (decoded.kind === 'batch') this.#batch(decoded.items, text, waiter);
        else this.#message(decoded, text, undefined, waiter);
      },
      take: (text) => (this.#ended === undefined && this.#scans ? this.#takeText(text) : undefined),
      fault: (fault: TransportFault) => {
        if (fault.kind !== 'write') this.#host.stats.malformed += 1;
        this.handlers.fault(fault);
        if (fault.answers !== undefined)
          this.#pending.take(fault.answers)?.reject(tooLong(this.label, fault));
      },
      interrupted: (error) => {
        if (this.#ended === undefined) this.handlers.interrupted(error);
      },
      closed: (reason) => this.#closed(reason),
    };
    await this.#transport.start(receiver);
  }

  allocate(): number {
    this.#host.lastId += 1;
    return this.#host.lastId;
  }

  /** Sends a request; from here on the waiter gets exactly one outcome, unless `abandon` takes it out. */
  post(id: RequestId, message: string, waiter: Waiter, options?: SendOptions): void {
    if (this.#ended !== undefined) {
      waiter.reject(this.#ended);
      return;
    }
    this.#pending.add(id, waiter);
    if (waiter.takesText === true) this.#scans = true;
    void this.#hand(message, options, id, 0);
  }

  /** False while nothing of this request can have reached the server. */
  hasLeft(id: RequestId): boolean {
    return this.#transport.hasLeft?.(id) ?? true;
  }

  /** Takes the waiter out without an outcome; false when it had one already. */
  abandon(id: RequestId): boolean {
    if (this.#pending.take(id) === undefined) return false;
    this.#abandoned.add(id);
    return true;
  }

  /** Sends a message that has no answer. */
  send(message: Message | string): void {
    if (this.#ended === undefined) void this.#hand(message, undefined, undefined, 0);
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  /** Ends a connection that is as good as dead: nothing of it is heard any more, whatever it still sends. */
  condemn(reason: CloseReason): Promise<void> {
    this.#closed(reason);
    return this.close();
  }

  /** `id` is that of the request in it, if it holds one. Resolves, where it takes a moment, when it has left. */
  #hand(
    message: Message | string,
    options: SendOptions | undefined,
    id: RequestId | undefined,
    attempt: number,
  ): void | Promise<void> {
    try {
      const sent = this.#transport.send(message, options);
      if (sent instanceof Promise)
        return sent.catch((error: unknown) => this.#refused(error, message, options, id, attempt));
    } catch (error) {
      this.#refused(error, message, options, id, attempt);
    }
  }

  #refused(
    error: unknown,
    message: Message | string,
    options: SendOptions | undefined,
    id: RequestId | undefined,
    attempt: number,
  ): void {
    if (attempt < BUSY_RETRIES && isBusy(error)) {
      const delay = BUSY_DELAY_MS * (1 + BUSY_JITTER * (2 * this.#host.settings.random() - 1));
      setTimeout(() => {
        const wanted = this.#ended === undefined && (id === undefined || this.#pending.has(id));
        if (wanted) void this.#hand(message, options, id, attempt + 1);
      }, delay);
    } else if (id === undefined) this.#unwritten(error);
    else this.#unsent(id, error);
  }

  /** A question of the server, answered by `reply` where it came in a batch. */
  #asked(request: Request, bytes: number, reply: SendReply | undefined, about: Waiter | undefined): void {
    const questions = this.#questions;
    if (!questions.opened(bytes)) {
      this.#tooMany(request, reply);
      return;
    }
    const answer: SendReply = (text) => {
      if (reply !== undefined) reply(text);
      else if (text !== undefined && this.#ended === undefined) {
        const sent = this.#hand(text, undefined, undefined, 0);
        if (sent !== undefined) return void sent.finally(() => questions.closed(bytes));
      }
      questions.closed(bytes);
    };
    this.handlers.asked(request, answer, about);
  }

  #tooMany({ id, method }: Request, reply: SendReply | undefined): void {
    const questions = this.#questions;
    const { reason } = questions;
    if (questions.isFirstRefusal())
      this.#fault('unexpected_message', `The server was refused ${method}: ${reason}`, '');
    const refusal = encodeError(id, new ProtocolError('internal_error', reason).toErrorObject());
    if (reply !== undefined) reply(refusal);
    else if (questions.refusing()) {
      const sent = this.#hand(refusal, undefined, undefined, 0);
      if (sent === undefined) questions.refused();
      else void sent.finally(() => questions.refused());
    }
  }

  /** `reply` takes the answer to a request that came in a batch. */
  #message(decoded: Decoded, text: string, reply: SendReply | undefined, about: Waiter | undefined): void {
    switch (decoded.kind) {
      case 'result':
        this.#take(decoded.message.id, text)?.resolve(decoded.message.result, text.length);
        return;
      case 'error':
        if (decoded.id === undefined) this.handlers.orphaned(decoded.error);
        else this.#take(decoded.id, text)?.fail(decoded.error);
        return;
      case 'notification':
        this.handlers.notified(normaliseNotification(decoded.message), about);
        return;
      case 'request':
        this.#asked(decoded.message, text.length, reply, about);
        return;
      case 'malformed':
        this.#malformed(decoded, text);
    }
  }

  #takeText(text: string): RequestId | undefined {
    const scanned = scanResult(text);
    const waiter = scanned === undefined ? undefined : this.#pending.get(scanned.id);
    if (scanned === undefined || waiter?.takesText !== true) return undefined;
    this.received += 1;
    this.#pending.take(scanned.id);
    waiter.resolveText?.(scanned.result);
    return scanned.id;
  }

  #take(id: RequestId, text: string): Waiter | undefined {
    const waiter = this.#pending.take(id);
    if (waiter === undefined) this.#stray(id, text);
    return waiter;
  }

  #malformed({ id, isAnswer, reason }: Malformed, text: string): void {
    const waiter = isAnswer && id !== undefined ? this.#pending.take(id) : undefined;
    this.#host.stats.malformed += 1;
    if (waiter === undefined) {
      this.#fault('malformed', `The server sent something that is not JSON-RPC: ${reason}`, text);
    } else {
      waiter.reject(invalidResult(`request ${id}`, reason));
    }
  }

  #batch(items: readonly unknown[], text: string, about: Waiter | undefined): void {
    if (!this.handlers.acceptsBatches) {
      this.#host.stats.malformed += 1;
      this.#fault('unexpected_message', 'The server sent a batch, which this revision does not have', text);
      return;
    }
    const decoded = items.map(decodeValue);
    const requests = decoded.filter((item) => item.kind === 'request').length;
    const reply = batchReply(requests, (answers) => this.send(answers));
    for (const item of decoded) this.#message(item, text, reply, about);
  }

  #closed(reason: CloseReason): void {
    if (this.#ended !== undefined) return;
    this.#ended = new ConnectionClosedError(this.label, reason);
    // First those who decide what becomes of the calls, then the calls.
    this.handlers.closed(this.#ended);
    if (this.#pending.size === 0) return;
    this.#pending.rejectAll(new ConnectionClosedError(this.label, reason, true));
  }

  #stray(id: RequestId, text: string): void {
    if (this.#abandoned.take(id)) {
      this.#host.strayed('late');
      return;
    }
    const known = typeof id === 'number' && id > 0 && id <= this.#host.lastId;
    this.#host.strayed(known ? 'duplicate' : 'unknown');
    const what = known ? 'a second time' : 'though nothing with that id was asked';
    this.#fault('unexpected_answer', `The server answered ${JSON.stringify(id)} ${what}`, text);
  }

  #unsent(id: RequestId, error: unknown): void {
    // A closed connection says more about itself in a moment, such as why the process ended.
    if (error instanceof McpError && error.code === 'connection_closed' && this.#ended === undefined) return;
    const own = isFailedRequest(error) || isBusy(error);
    this.#pending.take(id)?.reject(own ? error : sendError(this.label, id, error));
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

/** The answer has no reader, so there is nothing to wait for. */
function tooLong(label: string, { message }: TransportFault): TransportError {
  return new TransportError(
    'too_large',
    `The answer of ${label} is too long to read: ${message}; raise maxFrameBytes if that is normal`,
    { mayHaveActed: true },
  );
}

function isBusy(error: unknown): boolean {
  return error instanceof TransportError && error.code === 'queue_full';
}
