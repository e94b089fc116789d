/** Arguments and results of prompts, from the wire and for it. Loaded with the first prompt that a client gets. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { JsonSchema } from '../protocol/model/base.js';
import type { GetPromptResult, PromptMessage } from '../protocol/model/prompts.js';
import type { PromptReturn } from './prompts.js';
import { isContentBlock } from './tool-result.js';

/** Arguments are texts on the wire: those that the schema wants as numbers or booleans become that. */
export function convertedArguments({ properties }: JsonSchema, args: JsonObject): JsonObject {
  if (!isRecord(properties)) return args;
  const entries = Object.entries(args).map(([name, value]): [string, unknown] => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, isRecord(property) ? convertedTo(property.type, value) : value];
  });
  return Object.fromEntries(entries);
}

function convertedTo(type: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  if ((type !== 'number' && type !== 'integer') || value.trim() === '') return value;
  const number = Number(value);
  return Number.isNaN(number) ? value : number;
}

/** What a handler returned, as the result of `prompts/get`. Throws where it is none. */
export function promptResult(
  name: string,
  description: string | undefined,
  returned: PromptReturn,
): GetPromptResult {
  const head = description === undefined ? {} : { description };
  if (typeof returned === 'string' || isContentBlock(returned))
    return { ...head, messages: [promptMessage(name, { role: 'user', content: returned })] };
  const result: Readonly<Record<string, unknown>> =
    isRecord(returned) && 'messages' in returned ? returned : { messages: returned };
  const messages: readonly unknown[] = Array.isArray(result.messages) ? result.messages : [result.messages];
  return { ...head, ...result, messages: messages.map((message) => promptMessage(name, message)) };
}

function promptMessage(name: string, message: unknown): PromptMessage {
  const { role, content }: Readonly<Record<string, unknown>> = isRecord(message) ? message : {};
  const block = typeof content === 'string' ? { type: 'text', text: content } : content;
  const isRole = role === 'user' || role === 'assistant';
  if (isRole && isContentBlock(block)) return { role, content: block };
  const problem =
    isRole || !isRecord(message) ? 'content is a text or a content block' : 'role is "user" or "assistant"';
  throw new TypeError(
    `Prompt "${name}" returned a malformed result: return a text, or messages { role, content } whose ${problem}`,
  );
}
