/**
 * The side of a conversation that has the client: requests and notifications of the other node go to the
 * current call.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { receivedError } from '../../protocol/errors.js';
import type { CallContext } from '../../server/context.js';
import { isLogLevel } from '../../server/peer.js';
import { Suspension } from '../../server/questions.js';
import { Session } from '../../server/session.js';
import type { SessionChange } from '../../store/store.js';
import { foreignAsk } from '../asker.js';
import { ContextAsker } from '../forward.js';
import { errorObjectOf, type Job, NodeAbsent, type Saying } from './letters.js';
import type { Conversation, Correspondent, Post } from './post.js';

/** Has another node do it. Rejects with NodeAbsent when that node is not there, or no longer. */
export async function runElsewhere(
  post: Post,
  address: string,
  job: Job,
  ctx: CallContext,
): Promise<JsonObject> {
  const { signal } = ctx;
  let desk: FrontDesk | undefined;
  const outcome = new Promise<JsonObject>((resolve, reject) => {
    desk = new FrontDesk(ctx, resolve, reject);
  });
  outcome.catch(() => undefined);
  const conversation = await post.begin(address, job, (begun) => desk?.attend(begun) ?? NOBODY);
  const cancel = (): void => {
    const reason = signal.reason instanceof Error ? signal.reason.message : '';
    conversation.say({ type: 'cancel', reason });
    desk?.settle((_resolve, reject) => reject(signal.reason));
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    return await outcome;
  } finally {
    signal.removeEventListener('abort', cancel);
    conversation.end();
  }
}

const NOBODY: Correspondent = { receive: () => undefined, lost: () => undefined };

type Settle = (resolve: (result: JsonObject) => void, reject: (error: unknown) => void) => void;

class FrontDesk {
  readonly #ctx: CallContext;
  readonly #resolve: (result: JsonObject) => void;
  readonly #reject: (error: unknown) => void;

  constructor(ctx: CallContext, resolve: (result: JsonObject) => void, reject: (error: unknown) => void) {
    this.#ctx = ctx;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  settle(settle: Settle): void {
    settle(this.#resolve, this.#reject);
  }

  attend(conversation: Conversation): Correspondent {
    return {
      receive: (saying) => this.#receive(saying, conversation),
      // A message that was not delivered has had no effect; one that was delivered may have.
      lost: () => this.#reject(new NodeAbsent(conversation.heard)),
    };
  }

  #receive(saying: Saying, conversation: Conversation): void {
    switch (saying.type) {
      case 'ask':
        this.#ask(saying, conversation).catch(this.#reject);
        return;
      case 'notify':
        this.#notify(saying.method, saying.params);
        return;
      case 'progress':
        this.#ctx.progress(saying.progress, saying.total, saying.message);
        return;
      case 'done':
        adopt(this.#ctx.peer, saying.change);
        this.#resolve(saying.result);
        return;
      case 'failed':
        this.#reject(failureOf(saying.error));
    }
  }

  /** Whether a client wants a log message depends on its request, which is here. */
  #notify(method: string, params: JsonObject): void {
    if (method === 'notifications/message') new ContextAsker(this.#ctx).notify(method, params);
    else this.#ctx.notify(method, params);
  }

  async #ask(
    { key, method, params }: Extract<Saying, { type: 'ask' }>,
    conversation: Conversation,
  ): Promise<void> {
    try {
      const { [key]: answer } = await this.#ctx.ask({ [key]: foreignAsk(method, params) });
      conversation.say({ type: 'answer', key, answer: answer ?? {} });
    } catch (error) {
      const reason = error instanceof Suspension ? 'suspended' : errorObjectOf(error);
      conversation.say({ type: 'refusal', key, error: reason });
    }
  }
}

function failureOf(error: Extract<Saying, { type: 'failed' }>['error']): Error {
  if (error === 'suspended') return new Suspension();
  if (error === 'absent') return new NodeAbsent(false);
  return receivedError(error);
}

/** What the call changed in the session is written down with the request, which is here. */
function adopt(peer: unknown, change: SessionChange | undefined): void {
  if (!(peer instanceof Session) || change === undefined) return;
  for (const uri of change.subscribed ?? []) peer.subscribe(uri);
  for (const uri of change.unsubscribed ?? []) peer.unsubscribe(uri);
  if (isLogLevel(change.logLevel)) peer.setLogLevel(change.logLevel);
}
