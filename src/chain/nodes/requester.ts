/**
 * The side of an exchange that has the client: requests and notifications of the other node go to the
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
import { errorObjectOf, type MessageBody, NodeAbsent, type WorkRequest } from './node-message.js';
import type { ExchangeParty, NodeMessenger, WorkExchange } from './node-messenger.js';

/** Has another node do it. Rejects with NodeAbsent when that node is not there, or no longer. */
export async function runOnNode(
  messenger: NodeMessenger,
  address: string,
  request: WorkRequest,
  ctx: CallContext,
): Promise<JsonObject> {
  const { signal } = ctx;
  let side: RequestingSide | undefined;
  const outcome = new Promise<JsonObject>((resolve, reject) => {
    side = new RequestingSide(ctx, resolve, reject);
  });
  outcome.catch(() => undefined);
  const exchange = await messenger.begin(address, request, (begun) => side?.resume(begun) ?? NOBODY);
  const cancel = (): void => {
    const reason = signal.reason instanceof Error ? signal.reason.message : '';
    exchange.send({ type: 'cancel', reason });
    side?.settle((_resolve, reject) => reject(signal.reason));
  };
  signal.addEventListener('abort', cancel, { once: true });
  try {
    if (signal.aborted) cancel();
    return await outcome;
  } finally {
    signal.removeEventListener('abort', cancel);
    exchange.end();
  }
}

const NOBODY: ExchangeParty = { receive: () => undefined, lost: () => undefined };

type Settle = (resolve: (result: JsonObject) => void, reject: (error: unknown) => void) => void;

class RequestingSide {
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

  resume(exchange: WorkExchange): ExchangeParty {
    return {
      receive: (body) => this.#receive(body, exchange),
      // A message that was not delivered has had no effect; one that was delivered may have.
      lost: () => this.#reject(new NodeAbsent(exchange.heard)),
    };
  }

  #receive(body: MessageBody, exchange: WorkExchange): void {
    switch (body.type) {
      case 'ask':
        this.#ask(body, exchange).catch(this.#reject);
        return;
      case 'notify':
        this.#notify(body.method, body.params);
        return;
      case 'progress':
        this.#ctx.progress(body.progress, body.total, body.message);
        return;
      case 'done':
        adopt(this.#ctx.peer, body.change);
        this.#resolve(body.result);
        return;
      case 'failed':
        this.#reject(failureOf(body.error));
    }
  }

  /** Whether a client wants a log message depends on its request, which is here. */
  #notify(method: string, params: JsonObject): void {
    if (method === 'notifications/message') new ContextAsker(this.#ctx).notify(method, params);
    else this.#ctx.notify(method, params);
  }

  async #ask(
    { key, method, params }: Extract<MessageBody, { type: 'ask' }>,
    exchange: WorkExchange,
  ): Promise<void> {
    try {
      const { [key]: answer } = await this.#ctx.ask({ [key]: foreignAsk(method, params) });
      exchange.send({ type: 'answer', key, answer: answer ?? {} });
    } catch (error) {
      const reason = error instanceof Suspension ? 'suspended' : errorObjectOf(error);
      exchange.send({ type: 'refusal', key, error: reason });
    }
  }
}

function failureOf(error: Extract<MessageBody, { type: 'failed' }>['error']): Error {
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
