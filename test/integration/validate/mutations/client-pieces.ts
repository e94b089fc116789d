/** Small ways to break what a client sends, from which its mutations are put together. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import { type Call, type ClientMutation, message } from './client-harness.js';

export const PREFIX = 'io.modelcontextprotocol/';
export const OLD = ['handshake-4'];
export const NEW = ['stateless'];

export const isRequest = (call: Call): boolean =>
  typeof call.message.method === 'string' && 'id' in call.message;
export const isAnswer = (call: Call): boolean =>
  call.message.jsonrpc !== undefined && !('method' in call.message);
export const any = (call: Call): boolean => call.message.jsonrpc !== undefined;
export const is =
  (method: string) =>
  (call: Call): boolean =>
    call.message.method === method;
export const without = (object: JsonObject, ...names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
export const params = (given: JsonObject): JsonObject => (isRecord(given.params) ? given.params : {});
const accepted = (status = 202): Response => new Response(null, { status });
export const later = (call: Call): boolean =>
  isRequest(call) && call.message.method !== 'initialize' && call.message.method !== 'server/discover';

/** Answers of the client to one kind of question, told by their shape. */
export const answers = (
  fits: (result: JsonObject) => boolean,
  change: (result: JsonObject) => unknown,
): Pick<ClientMutation, 'send'> =>
  message(
    (call) => isAnswer(call) && isRecord(call.message.result) && fits(call.message.result),
    (given) => ({ ...given, result: isRecord(given.result) ? change(given.result) : {} }),
  );

/** Never lets a request out: the client is told that the network failed. */
export const never = (fits: (call: Call) => boolean): Pick<ClientMutation, 'send'> => ({
  send: (call) => (fits(call) ? undefined : call),
});
/** Never lets a request out: the client is told that all went well. */
export const pretend = (fits: (call: Call) => boolean): Pick<ClientMutation, 'send'> => ({
  send: (call) => (fits(call) ? accepted() : call),
});

export const inRetry = (change: (given: JsonObject) => JsonObject): Pick<ClientMutation, 'send'> =>
  message(
    (call) => 'inputResponses' in params(call.message) || 'requestState' in params(call.message),
    (given) => ({ ...given, params: change(params(given)) }),
  );
