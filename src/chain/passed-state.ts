/**
 * The request state of a server that asks the same way as the client. It passes through the chain, and the
 * server may not know the chain's callers apart: sealed for the principal, the method and the parameters of
 * the call, it opens for no other. Callers without a principal are not distinguished, and get it unchanged.
 */

import type { JsonObject } from '../jsonrpc/message.js';
import { invalidParams } from '../protocol/errors.js';
import { type Answer, ResultText, resultOf } from '../protocol/revisions/result-text.js';
import type { CallContext } from '../server/context.js';
import type { OpenSealer, StateBinding } from '../server/input-state.js';

/** Passes the call on with the server's own state, and the answer back with a sealed one. */
export async function passSealed(
  openSealer: OpenSealer,
  params: JsonObject,
  ctx: CallContext,
  passOn: (params: JsonObject) => Promise<Answer>,
): Promise<Answer> {
  const binding = { principal: ctx.peer.principal, method: ctx.method, params: ctx.params };
  const { requestState } = params;
  if (requestState === undefined) return sealAnswer(openSealer, binding, await passOn(params));
  if (typeof requestState !== 'string') throw invalidParams('"requestState" must be a string');
  const { once } = await (await openSealer()).open(requestState, binding);
  return sealAnswer(openSealer, binding, await passOn({ ...params, requestState: once.server }));
}

async function sealAnswer(openSealer: OpenSealer, binding: StateBinding, answer: Answer): Promise<Answer> {
  // A state that is written so oddly that this overlooks it stays unsealed, and will not open for anyone.
  if (answer instanceof ResultText && !answer.mentions('"requestState"')) return answer;
  const result = resultOf(answer);
  if (result.resultType !== 'input_required' || result.requestState === undefined) return answer;
  const state = { answers: {}, once: { server: result.requestState } };
  return { ...result, requestState: await (await openSealer()).seal(state, binding) };
}
