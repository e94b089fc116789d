/** What a tool costs in the context of a model. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';

/**
 * No tokenizer is installed with Plumb: their tables are larger than Plumb itself, and each family of models has another.
 * So this is an estimate, and is named one.
 */
export const TOKENIZER = 'estimate: 4 characters a token, other scripts than Latin 1 a token';

/**
 * Four ASCII characters a token is the rule of thumb that OpenAI gives for English
 * (https://help.openai.com/en/articles/4936856-what-are-tokens-and-how-to-count-them). Letters of other scripts are
 * counted one by one.
 */
export function estimateTokens(text: string): number {
  let plain = 0;
  let other = 0;
  for (const character of text) {
    if (character <= '\u024f') plain += 1;
    else other += 1;
  }
  return Math.ceil(plain / 4) + other;
}

/** The part of a tool that clients put before a model. */
export function toolTokens(tool: JsonObject): number {
  const { name, description, inputSchema } = tool;
  return estimateTokens(
    JSON.stringify({ name, description, parameters: isRecord(inputSchema) ? inputSchema : {} }),
  );
}
