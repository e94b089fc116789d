/** Shorthand for the variants: what most of them change. */

import { isRecord, type JsonObject } from '../../../../../src/jsonrpc/message.js';
import type { Asked, Mutation, Out } from '../harness.js';

export const m = (id: string, name: string, change: Partial<Mutation>): Mutation => ({ id, name, ...change });

/** Changes answers: results and errors alike. */
export const answers = (
  change: (message: JsonObject, asked: NonNullable<Asked>, memory: Map<string, unknown>) => Out,
): Partial<Mutation> => ({
  out: (message, asked, memory) => (asked === undefined ? message : change(message, asked, memory)),
});

/** Changes answers to one method. */
export const to = (
  method: string,
  change: (message: JsonObject, asked: NonNullable<Asked>) => Out,
): Partial<Mutation> =>
  answers((message, asked) => (asked.method === method ? change(message, asked) : message));

export const failure = (code: number, data?: JsonObject): JsonObject => ({
  error: { code, message: 'refused', ...(data === undefined ? {} : { data }) },
});

/** Does something with a message of the client before the server sees it; undefined keeps it from the server. */
export const hears = (
  change: (
    message: JsonObject,
    say: (message: JsonObject) => void,
    memory: Map<string, unknown>,
  ) => JsonObject | undefined,
): Partial<Mutation> => ({
  input: (message, say, text, memory) =>
    isRecord(message)
      ? change(message, (answer) => say(JSON.stringify({ jsonrpc: '2.0', ...answer })), memory)
      : text,
});

/** Answers in place of the server. */
export const instead = (
  fits: (message: JsonObject) => boolean,
  answer: (message: JsonObject) => JsonObject,
): Partial<Mutation> =>
  hears((message, say) => {
    if (!fits(message)) return message;
    say({ id: message.id, ...answer(message) });
    return undefined;
  });

export function paramsOf(message: JsonObject): JsonObject {
  return isRecord(message.params) ? message.params : {};
}

export function metaIn(message: JsonObject): JsonObject {
  const params = paramsOf(message);
  return isRecord(params._meta) ? params._meta : {};
}

export function argumentsOf(asked: { readonly params: JsonObject }): JsonObject {
  return isRecord(asked.params.arguments) ? asked.params.arguments : {};
}

/** Another `_meta` for every request of the stateless era. */
export const metas = (change: (meta: JsonObject, message: JsonObject) => JsonObject): Partial<Mutation> =>
  hears((message) =>
    'io.modelcontextprotocol/protocolVersion' in metaIn(message)
      ? { ...message, params: { ...paramsOf(message), _meta: change(metaIn(message), message) } }
      : message,
  );

export const COMPLETE: JsonObject = { resultType: 'complete' };
export const CACHED: JsonObject = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
export const PROTOCOL = 'io.modelcontextprotocol/protocolVersion';
export const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
export const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';
export const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';
