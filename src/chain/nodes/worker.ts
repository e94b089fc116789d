/** The side of an exchange that does the work, for a call whose client is on another node. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { abortableQuestion } from '../../protocol/abortable.js';
import { ProtocolError, receivedError } from '../../protocol/errors.js';
import type { Channel } from '../../server/channel.js';
import { CallContext } from '../../server/context.js';
import type { ContextHost } from '../../server/context-host.js';
import { Suspension } from '../../server/questions.js';
import type { Session } from '../../server/session.js';
import type { SessionChange } from '../../store/store.js';
import type { WaitingRequest } from '../waiting-request.js';
import { errorObjectOf, type MessageBody, NodeAbsent, sessionOf, type WorkRequest } from './node-message.js';
import type { AcceptWork, ExchangeParty, WorkExchange } from './node-messenger.js';

/** What a node does for others. */
export interface WorkHost {
  readonly contextHost: ContextHost;
  /** Whether the connections of this session are here. */
  owns(session: Session): Promise<boolean>;
  call(params: JsonObject, ctx: CallContext): Promise<JsonObject>;
  notified(method: string, params: JsonObject, session: Session): void;
  resume(parked: string, waiting: WaitingRequest): Promise<JsonObject>;
  onError(error: unknown, method: string): void;
}

export function acceptsWork(host: WorkHost): AcceptWork {
  return (request, exchange) => {
    const side = new WorkerSide(host, exchange);
    queueMicrotask(() => void side.run(request));
    return side;
  };
}

interface Outcome {
  readonly result: JsonObject;
  readonly change?: SessionChange | undefined;
}

interface Question {
  resolve(answer: JsonObject): void;
  reject(error: unknown): void;
}

class WorkerSide implements ExchangeParty {
  readonly #host: WorkHost;
  readonly #exchange: WorkExchange;
  readonly #questions = new Map<string, Question>();
  readonly #controller = new AbortController();
  #asked = 0;

  constructor(host: WorkHost, exchange: WorkExchange) {
    this.#host = host;
    this.#exchange = exchange;
  }

  async run(request: WorkRequest): Promise<void> {
    try {
      const { result, change } = await this.#work(request);
      this.#exchange.end({ type: 'done', result, change });
    } catch (error) {
      this.#exchange.end({ type: 'failed', error: this.#reasonOf(error, request) });
    }
  }

  receive(body: MessageBody): void {
    switch (body.type) {
      case 'answer':
        this.#questions.get(body.key)?.resolve(body.answer);
        return;
      case 'refusal':
        this.#questions
          .get(body.key)
          ?.reject(body.error === 'suspended' ? new Suspension() : receivedError(body.error));
        return;
      case 'cancel':
        this.#cancel(body.reason);
        return;
      default:
        return;
    }
  }

  lost(): void {
    this.#cancel('The node that it came from has stopped');
    // Or it is this one that stops, and the other one hears of it.
    this.#exchange.end({
      type: 'failed',
      error: errorObjectOf(new ProtocolError('internal_error', STOPPED)),
    });
  }

  async #work(request: WorkRequest): Promise<Outcome> {
    if (request.kind === 'resume')
      return { result: await this.#host.resume(request.parked, this.#waiting(request.principal)) };
    const session = sessionOf(request.session);
    if (!(await this.#host.owns(session))) throw new NodeAbsent(false);
    if (request.kind === 'notification') {
      this.#host.notified(request.method, request.params, session);
      return { result: {} };
    }
    const { id } = this.#exchange;
    const ctx = new CallContext(
      id,
      request.method,
      request.params,
      session,
      this.#channel(),
      this.#host.contextHost,
    );
    const cancel = (): void => ctx.cancel(String(this.#controller.signal.reason));
    if (this.#controller.signal.aborted) cancel();
    else this.#controller.signal.addEventListener('abort', cancel, { once: true });
    const result = await this.#host.call(request.params, ctx);
    return { result, change: session.takeChange() };
  }

  #cancel(reason: string): void {
    this.#controller.abort(reason);
    for (const question of [...this.#questions.values()]) question.reject(new Error(reason));
  }

  #channel(): Channel {
    return {
      begin: () => undefined,
      end: () => undefined,
      release: () => undefined,
      notify: (text) => {
        const { method, params }: { method: string; params?: unknown } = JSON.parse(text);
        this.#exchange.send({ type: 'notify', method, params: isRecord(params) ? params : {} });
      },
      request: (method, params, signal) => {
        this.#asked += 1;
        return this.#ask(`r${this.#asked}`, method, params, signal);
      },
    };
  }

  #waiting(principal: string | undefined): WaitingRequest {
    const { signal } = this.#controller;
    return {
      principal,
      signal,
      ask: (key, method, params) => this.#ask(key, method, params, signal),
      notify: (method, params) => this.#exchange.send({ type: 'notify', method, params }),
      progress: (progress, total, message) =>
        this.#exchange.send({ type: 'progress', progress, total, message }),
    };
  }

  #ask(key: string, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const question = abortableQuestion<JsonObject>(signal, () => void this.#questions.delete(key));
    if (signal.aborted) return question.answer;
    this.#questions.set(key, question);
    this.#exchange.send({ type: 'ask', key, method, params });
    return question.answer;
  }

  #reasonOf(error: unknown, request: WorkRequest): Extract<MessageBody, { type: 'failed' }>['error'] {
    if (error instanceof Suspension) return 'suspended';
    if (error instanceof NodeAbsent) return 'absent';
    const known = error instanceof ProtocolError || this.#controller.signal.aborted;
    if (!known) this.#host.onError(error, request.kind === 'resume' ? 'parked' : request.method);
    return errorObjectOf(error);
  }
}

const STOPPED =
  'The node that has the connection to the server is stopping; whether the call took effect is unknown. Call again';
