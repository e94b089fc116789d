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

export type ClientChange = Pick<ClientMutation, 'send' | 'after'>;
export const broken = (
  id: string,
  name: string,
  scenarios: readonly string[],
  change: ClientChange,
): ClientMutation => ({ id, name, in: scenarios, ...change });
export const isNotification = (call: Call): boolean =>
  typeof call.message.method === 'string' && !('id' in call.message);
/** Says something more, once, after a message of this kind was answered. */
export const saysMore = (fits: (call: Call) => boolean, extra: (call: Call) => JsonObject): ClientChange => ({
  after: (call, memory) => {
    if (!fits(call) || memory.get('then') === true) return [];
    memory.set('then', true);
    return [{ text: JSON.stringify({ jsonrpc: '2.0', ...extra(call) }) }];
  },
});
/** Changes the answers of a retry. */
export const inAnswers = (change: (answer: JsonObject) => unknown): ClientChange =>
  inRetry((sent) => {
    const { inputResponses } = sent;
    if (!isRecord(inputResponses)) return sent;
    const changed = Object.entries(inputResponses).map(([key, answer]) => [
      key,
      isRecord(answer) ? change(answer) : answer,
    ]);
    return { ...sent, inputResponses: Object.fromEntries(changed) };
  });
