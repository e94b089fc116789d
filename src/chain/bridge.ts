/**
 * Calls during which a server may ask: between a client and a server of whatever revisions. Asking is a request of the
 * server in one era, and the end of the call in the other; each pair of eras has its way here.
 */

import { parseInputRequired } from '../client/input/input-rounds.js';
import type { Relay } from '../client/relay.js';
import type { JsonObject } from '../jsonrpc/message.js';
import type { Cancellation } from '../protocol/cancellation.js';
import { ProtocolError } from '../protocol/errors.js';
import type { Answer } from '../protocol/revisions/result-text.js';
import type { AskMethod } from '../server/asks.js';
import type { CallContext } from '../server/context.js';
import type { OpenSealer } from '../server/input-state.js';
import { type Asker, foreignAsk } from './asker.js';
import { ContextAsker, forward, relayed } from './forward.js';
import type { Instance } from './instance.js';
import type { ParkedCalls } from './parked.js';
import { passSealed } from './passed-state.js';

const MAX_ROUNDS = 16;
const FIRST_DELAY_MS = 100;

export interface BridgeHost {
  readonly parked: ParkedCalls;
  readonly openSealer: OpenSealer;
  /** Whether some middleware wants to see the server's questions. */
  watches(method: AskMethod): boolean;
}

export function bridgeCall(
  host: BridgeHost,
  instance: Instance,
  method: string,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const { relay } = instance;
  if (relay !== undefined) return bridgeOver(relay, host, instance, method, params, ctx);
  return instance.open().then((opened) => bridgeOver(opened, host, instance, method, params, ctx));
}

function bridgeOver(
  relay: Relay,
  host: BridgeHost,
  instance: Instance,
  method: string,
  params: JsonObject,
  ctx: CallContext,
): Promise<Answer> {
  const send = (
    current: JsonObject,
    owner: Asker | undefined,
    until: AbortSignal | Cancellation,
  ): Promise<JsonObject> => instance.request(relayed(ctx, { method, params: current, owner, until }, relay));
  const passOn = (current: JsonObject): Promise<Answer> => {
    const request = { method, params: current, owner: new ContextAsker(ctx), until: ctx.cancellation };
    return forward(instance, ctx, request, relay);
  };
  const original = withoutAnswers(params);
  const asksAtTheEnd = ctx.askBy === 'input_required';
  if (relay.revision.askBy === 'server_request') {
    if (asksAtTheEnd) return host.parked.run(ctx, (asker, signal) => send(original, asker, signal));
    return passOn(original);
  }
  // Both sides have the same way of asking: the state and the answers in it are between them.
  if (asksAtTheEnd && !ASK_METHODS.some((ask) => host.watches(ask)))
    return ctx.peer.principal === undefined
      ? passOn(params)
      : passSealed(host.openSealer, params, ctx, passOn);
  const round = (current: JsonObject): Promise<JsonObject> =>
    send(current, new ContextAsker(ctx), ctx.cancellation);
  return ctx.resume().then(() => answerRounds(ctx, method, original, round));
}

/** The call itself, without what a client brings when it comes back. */
function withoutAnswers(params: JsonObject): JsonObject {
  if (params.inputResponses === undefined && params.requestState === undefined) return params;
  const { inputResponses: _, requestState: __, ...original } = params;
  return original;
}

const ASK_METHODS: readonly AskMethod[] = ['elicitation/create', 'sampling/createMessage', 'roots/list'];

/** How many calls a client's call has led to so far: a middleware may make several of its own. */
const callsMade = new WeakMap<CallContext, number>();

/** The same on each run of the same call, so that what it stands for is found again. */
function nextLabel(ctx: CallContext): string {
  const count = (callsMade.get(ctx) ?? 0) + 1;
  callsMade.set(ctx, count);
  return count === 1 ? '' : `${count}:`;
}

/**
 * Puts the questions that end a round to the client, and tries again with the answers. Each round is remembered
 * (`once`), so that a client that has to come back with its answers goes on where it was.
 */
async function answerRounds(
  ctx: CallContext,
  method: string,
  original: JsonObject,
  send: (params: JsonObject) => Promise<JsonObject>,
): Promise<JsonObject> {
  const label = nextLabel(ctx);
  let params = original;
  let idle = 0;
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const current = params;
    const result = await ctx.once(`${label}round-${round}`, () => send(current));
    if (result.resultType !== 'input_required') return result;
    const { questions, state } = parseInputRequired(method, result);
    const asks = questions.map((question) => [
      `${label}${round}.${question.key}`,
      foreignAsk(question.method, question.params),
    ]);
    const answers = await ctx.ask<Record<string, ReturnType<typeof foreignAsk>>>(Object.fromEntries(asks));
    const inputResponses = Object.fromEntries(
      questions.map(({ key }) => [key, answers[`${label}${round}.${key}`]]),
    );
    params = { ...original };
    if (questions.length > 0) params.inputResponses = inputResponses;
    if (state !== undefined) params.requestState = state;
    // State alone is a busy server's way to say "later".
    idle = questions.length === 0 ? idle + 1 : 0;
    if (idle > 1) await pause(FIRST_DELAY_MS * 2 ** (idle - 2), ctx.signal);
  }
  throw new ProtocolError('internal_error', `${method} asked for input more than ${MAX_ROUNDS} times`);
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    const end = (): void => {
      clearTimeout(timer);
      resolve();
    };
    signal.addEventListener('abort', end, { once: true });
  });
}
