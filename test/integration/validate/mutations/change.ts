/** Small ways to break a message, from which the mutations are put together. */

import { isRecord, type JsonObject } from '../../../../src/jsonrpc/message.js';
import type { Asked, Mutation, Out } from './harness.js';

type Change = (result: JsonObject, asked: NonNullable<Asked>) => unknown;

/** Changes the result of a method. */
export function result(method: string, change: Change): Pick<Mutation, 'out'> {
  return {
    out: (message, asked) =>
      asked?.method === method && isRecord(message.result)
        ? { ...message, result: change(message.result, asked) }
        : message,
  };
}

/** Changes every result. */
export function everyResult(change: (result: JsonObject) => unknown): Pick<Mutation, 'out'> {
  return {
    out: (message) => (isRecord(message.result) ? { ...message, result: change(message.result) } : message),
  };
}

/** Changes every error; undefined drops the answer. */
export function error(change: (error: JsonObject, asked: Asked) => unknown): Pick<Mutation, 'out'> {
  return {
    out: (message, asked) =>
      isRecord(message.error) ? { ...message, error: change(message.error, asked) } : message,
  };
}

/** Answers with another error code where the method failed. */
export function code(method: string, number: number): Pick<Mutation, 'out'> {
  return error((given, asked) => (asked?.method === method ? { ...given, code: number } : given));
}

/** A success where the server refused. */
export function pardon(method: string, success: JsonObject): Pick<Mutation, 'out'> {
  return {
    out: (message, asked) => {
      if (asked?.method !== method || !isRecord(message.error)) return message;
      const { error: _, ...rest } = message;
      return { ...rest, result: success };
    },
  };
}

/** Changes each notification of a kind. */
export function notification(
  method: string,
  change: (params: JsonObject, message: JsonObject) => Out,
): Pick<Mutation, 'out'> {
  return {
    out: (message) =>
      message.method === method ? change(isRecord(message.params) ? message.params : {}, message) : message,
  };
}

/** Something sent along with each result of a method, before or after it. */
export function beside(
  method: string,
  extra: JsonObject | string,
  where: 'before' | 'after' = 'before',
): Pick<Mutation, 'out'> {
  return {
    out: (message, asked) => {
      if (asked?.method !== method) return message;
      return where === 'before' ? [extra, message] : [message, extra];
    },
  };
}

export function first(items: unknown, change: (item: JsonObject) => unknown): unknown {
  if (!Array.isArray(items)) return items;
  const [head, ...tail] = items;
  return isRecord(head) ? [change(head), ...tail] : items;
}

export function without(object: JsonObject, ...names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
}

/** Changes what a tool is described as. */
export function tool(name: string, change: (tool: JsonObject) => JsonObject): Pick<Mutation, 'out'> {
  return result('tools/list', (list) => ({
    ...list,
    tools: Array.isArray(list.tools)
      ? list.tools.map((item) => (isRecord(item) && item.name === name ? change(item) : item))
      : list.tools,
  }));
}

/** Changes what a tool returns. */
export function returned(name: string, change: (result: JsonObject) => JsonObject): Pick<Mutation, 'out'> {
  return result('tools/call', (given, asked) => (asked.params.name === name ? change(given) : given));
}

export function capability(change: (capabilities: JsonObject) => JsonObject): Pick<Mutation, 'out'> {
  return {
    out: (message, asked) => {
      const greets = asked?.method === 'initialize' || asked?.method === 'server/discover';
      if (!greets || !isRecord(message.result) || !isRecord(message.result.capabilities)) return message;
      return { ...message, result: { ...message.result, capabilities: change(message.result.capabilities) } };
    },
  };
}

/** Answers a request itself, in place of the server. */
export function answering(
  fits: (message: JsonObject) => boolean,
  answer: (message: JsonObject) => JsonObject | undefined,
): Pick<Mutation, 'input'> {
  return {
    input: (message, say, text) => {
      if (!isRecord(message) || !fits(message)) return text;
      const given = answer(message);
      if (given !== undefined) say(JSON.stringify({ jsonrpc: '2.0', id: message.id, ...given }));
      return undefined;
    },
  };
}

/** Rewrites what the client sends. */
export function rewriting(change: (message: JsonObject) => JsonObject): Pick<Mutation, 'input'> {
  return { input: (message, _say, text) => (isRecord(message) ? change(message) : text) };
}

export function metaOf(message: JsonObject): JsonObject {
  const params = isRecord(message.params) ? message.params : {};
  return isRecord(params._meta) ? params._meta : {};
}

export function withMeta(message: JsonObject, change: (meta: JsonObject) => JsonObject): JsonObject {
  const params = isRecord(message.params) ? message.params : {};
  return { ...message, params: { ...params, _meta: change(isRecord(params._meta) ? params._meta : {}) } };
}
