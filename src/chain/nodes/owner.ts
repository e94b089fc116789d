/** The side of a conversation that does the work, for a call whose client is on another node. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { ProtocolError, receivedError } from '../../protocol/errors.js';
import type { Channel } from '../../server/channel.js';
import { CallContext, type ContextHost } from '../../server/context.js';
import { Suspension } from '../../server/questions.js';
import type { Session } from '../../server/session.js';
import type { SessionChange } from '../../store/store.js';
import type { Attendant } from '../attendant.js';
import { errorObjectOf, type Job, NodeAbsent, type Saying, sessionOf } from './letters.js';
import type { Conversation, Correspondent, TakeJob } from './post.js';

/** What a node does for others. */
export interface Works {
  readonly contextHost: ContextHost;
  /** Whether the connections of this session are here. */
  owns(session: Session): Promise<boolean>;
  call(params: JsonObject, ctx: CallContext): Promise<JsonObject>;
  notified(method: string, params: JsonObject, session: Session): void;
  attend(parked: string, attendant: Attendant): Promise<JsonObject>;
  onError(error: unknown, method: string): void;
}

export function takesJobs(works: Works): TakeJob {
  return (job, conversation) => {
    const desk = new OwnerDesk(works, conversation);
    queueMicrotask(() => void desk.run(job));
    return desk;
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

class OwnerDesk implements Correspondent {
  readonly #works: Works;
  readonly #conversation: Conversation;
  readonly #questions = new Map<string, Question>();
  readonly #controller = new AbortController();
  #asked = 0;

  constructor(works: Works, conversation: Conversation) {
    this.#works = works;
    this.#conversation = conversation;
  }

  async run(job: Job): Promise<void> {
    try {
      const { result, change } = await this.#work(job);
      this.#conversation.end({ type: 'done', result, change });
    } catch (error) {
      this.#conversation.end({ type: 'failed', error: this.#reasonOf(error, job) });
    }
  }

  receive(saying: Saying): void {
    switch (saying.type) {
      case 'answer':
        this.#questions.get(saying.key)?.resolve(saying.answer);
        return;
      case 'refusal':
        this.#questions
          .get(saying.key)
          ?.reject(saying.error === 'suspended' ? new Suspension() : receivedError(saying.error));
        return;
      case 'cancel':
        this.#cancel(saying.reason);
        return;
      default:
        return;
    }
  }

  lost(): void {
    this.#cancel('The node that it came from has stopped');
    // Or it is this one that stops, and the other one hears of it.
    this.#conversation.end({
      type: 'failed',
      error: errorObjectOf(new ProtocolError('internal_error', STOPPED)),
    });
  }

  async #work(job: Job): Promise<Outcome> {
    if (job.kind === 'attend')
      return { result: await this.#works.attend(job.parked, this.#attendant(job.principal)) };
    const session = sessionOf(job.session);
    if (!(await this.#works.owns(session))) throw new NodeAbsent(false);
    if (job.kind === 'notification') {
      this.#works.notified(job.method, job.params, session);
      return { result: {} };
    }
    const { id } = this.#conversation;
    const ctx = new CallContext(
      id,
      job.method,
      job.params,
      session,
      this.#channel(),
      this.#works.contextHost,
    );
    const cancel = (): void => ctx.cancel(String(this.#controller.signal.reason));
    if (this.#controller.signal.aborted) cancel();
    else this.#controller.signal.addEventListener('abort', cancel, { once: true });
    const result = await this.#works.call(job.params, ctx);
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
        this.#conversation.say({ type: 'notify', method, params: isRecord(params) ? params : {} });
      },
      request: (method, params, signal) => {
        this.#asked += 1;
        return this.#ask(`r${this.#asked}`, method, params, signal);
      },
    };
  }

  #attendant(principal: string | undefined): Attendant {
    const { signal } = this.#controller;
    return {
      principal,
      signal,
      ask: (key, method, params) => this.#ask(key, method, params, signal),
      notify: (method, params) => this.#conversation.say({ type: 'notify', method, params }),
      progress: (progress, total, message) =>
        this.#conversation.say({ type: 'progress', progress, total, message }),
    };
  }

  #ask(key: string, method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return new Promise((resolve, reject) => {
      const abort = (): void => question.reject(signal.reason);
      const settled = (): void => {
        this.#questions.delete(key);
        signal.removeEventListener('abort', abort);
      };
      const question: Question = {
        resolve: (answer) => {
          settled();
          resolve(answer);
        },
        reject: (error) => {
          settled();
          reject(error);
        },
      };
      this.#questions.set(key, question);
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      else this.#conversation.say({ type: 'ask', key, method, params });
    });
  }

  #reasonOf(error: unknown, job: Job): Extract<Saying, { type: 'failed' }>['error'] {
    if (error instanceof Suspension) return 'suspended';
    if (error instanceof NodeAbsent) return 'absent';
    const known = error instanceof ProtocolError || this.#controller.signal.aborted;
    if (!known) this.#works.onError(error, job.kind === 'attend' ? 'parked' : job.method);
    return errorObjectOf(error);
  }
}

const STOPPED =
  'The node that has the connection to the server is stopping; whether the call took effect is unknown. Call again';
