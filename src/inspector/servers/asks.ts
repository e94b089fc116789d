/** Questions of servers that wait for an answer in a page. Each is settled once: answered, or withdrawn. */

import { RefusedError } from '../../client/errors.js';
import type { AskContext } from '../../client/input/asks.js';
import { isRecord } from '../../jsonrpc/message.js';
import { subjectOf } from '../../middleware/subject.js';
import { abortableQuestion } from '../../protocol/abortable.js';
import { McpError } from '../../protocol/errors.js';
import type { ElicitParams, ElicitResult } from '../../protocol/model/elicitation.js';
import { META_RELATED_TASK } from '../../protocol/model/meta.js';
import type { Root } from '../../protocol/model/roots.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/model/sampling.js';
import type { AskAnswer, AskView, ServerId } from '../api.js';
import type { EventSink } from '../events.js';
import { invalid } from '../failure.js';

/** A server that asks without end gets no for an answer. */
const MAX_WAITING = 200;

interface Waiting {
  readonly view: AskView;
  resolve(answer: Exclude<AskAnswer, { kind: 'refuse' }>): void;
  reject(error: Error): void;
}

type Question =
  | Pick<Extract<AskView, { kind: 'form' }>, 'kind' | 'params'>
  | Pick<Extract<AskView, { kind: 'url' }>, 'kind' | 'params'>
  | Pick<Extract<AskView, { kind: 'sampling' }>, 'kind' | 'params'>
  | Pick<Extract<AskView, { kind: 'roots' }>, 'kind' | 'current'>;

/** Finds the page's call that a question belongs to, by the call or the task that it names. */
type CallFinder = (
  server: ServerId,
  call: AskContext['call'],
  task: string | undefined,
) => string | undefined;

export class Asks {
  readonly #emit: EventSink;
  readonly #callOf: CallFinder;
  readonly #asked: (callId: string, open: boolean) => void;
  readonly #waiting = new Map<string, Waiting>();
  #last = 0;

  /** `callOf` finds the page's call that a question belongs to; `asked` is told when one opens and ends there. */
  constructor(emit: EventSink, callOf: CallFinder, asked: (callId: string, open: boolean) => void) {
    this.#emit = emit;
    this.#callOf = callOf;
    this.#asked = asked;
  }

  views(): AskView[] {
    return [...this.#waiting.values()].map(({ view }) => view);
  }

  async elicit(server: ServerId, params: ElicitParams, context: AskContext): Promise<ElicitResult> {
    if (params.mode === 'url') {
      // Such an address becomes a link that people click: nothing but the web belongs there.
      if (!isWebAddress(params.url))
        throw new RefusedError('Only http and https addresses are shown to people');
      const answer = await this.#ask(server, { kind: 'url', params }, context);
      if (answer.kind === 'url' || answer.kind === 'form') return answer.result;
    } else {
      const answer = await this.#ask(server, { kind: 'form', params }, context);
      if (answer.kind === 'form' || answer.kind === 'url') return answer.result;
    }
    throw mismatch();
  }

  async sample(
    server: ServerId,
    params: CreateMessageParams,
    context: AskContext,
  ): Promise<CreateMessageResult> {
    const answer = await this.#ask(server, { kind: 'sampling', params }, context);
    if (answer.kind === 'sampling') return answer.result;
    throw mismatch();
  }

  async roots(server: ServerId, current: readonly Root[], context: AskContext): Promise<readonly Root[]> {
    const answer = await this.#ask(server, { kind: 'roots', current }, context);
    if (answer.kind === 'roots') return answer.roots;
    throw mismatch();
  }

  /** False when it is no longer there. */
  answer(id: string, answer: AskAnswer): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return false;
    if (answer.kind === 'refuse') {
      this.#settle(id, 'answered');
      waiting.reject(new RefusedError(answer.message));
      return true;
    }
    if (!fits(waiting.view, answer)) throw mismatch();
    this.#settle(id, 'answered');
    waiting.resolve(answer);
    return true;
  }

  /** No answer can arrive any more. */
  withdraw(server?: ServerId): void {
    for (const [id, { view, reject }] of [...this.#waiting]) {
      if (server !== undefined && view.server !== server) continue;
      this.#settle(id, 'withdrawn');
      reject(new McpError('cancelled', 'The request was withdrawn'));
    }
  }

  #ask(
    server: ServerId,
    question: Question,
    { signal, revision, call }: AskContext,
  ): Promise<Exclude<AskAnswer, { kind: 'refuse' }>> {
    if (this.#waiting.size >= MAX_WAITING) {
      throw new RefusedError('Too many questions wait for an answer; answer those first');
    }
    signal.throwIfAborted();
    this.#last += 1;
    const id = `ask-${this.#last}`;
    const callId = this.#callOf(server, call, relatedTask(question));
    const subject = call === undefined ? undefined : subjectOf(call);
    const about =
      call === undefined ? undefined : { method: call.method, ...(subject === undefined ? {} : { subject }) };
    const view: AskView = {
      id,
      server,
      at: Date.now(),
      revision,
      ...(callId === undefined ? {} : { callId }),
      ...(about === undefined ? {} : { about }),
      ...question,
    };
    const waiting = abortableQuestion<Exclude<AskAnswer, { kind: 'refuse' }>>(
      signal,
      () => undefined,
      () => {
        if (this.#waiting.has(id)) this.#settle(id, 'withdrawn');
        return new McpError('cancelled', 'The request was withdrawn', { cause: signal.reason });
      },
    );
    this.#waiting.set(id, { view, resolve: waiting.resolve, reject: waiting.reject });
    if (callId !== undefined) this.#asked(callId, true);
    this.#emit({ type: 'ask', ask: view });
    return waiting.answer;
  }

  #settle(id: string, how: 'answered' | 'withdrawn'): void {
    const callId = this.#waiting.get(id)?.view.callId;
    this.#waiting.delete(id);
    if (callId !== undefined) this.#asked(callId, false);
    this.#emit({ type: 'askEnded', id, how });
  }
}

/** A question of a task in the core form names the task that it belongs to. */
function relatedTask(question: Question): string | undefined {
  if (question.kind === 'roots') return undefined;
  const relation = question.params._meta?.[META_RELATED_TASK];
  return isRecord(relation) && typeof relation.taskId === 'string' ? relation.taskId : undefined;
}

function fits(view: AskView, answer: AskAnswer): boolean {
  const elicitation = view.kind === 'form' || view.kind === 'url';
  return elicitation ? answer.kind === 'form' || answer.kind === 'url' : answer.kind === view.kind;
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function mismatch(): Error {
  return invalid('The answer does not fit the question');
}
