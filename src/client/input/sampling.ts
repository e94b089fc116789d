/** Sampling requests as the client must check them, and results as it must give them. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { invalidParams } from '../../protocol/errors.js';
import type { SamplingContent } from '../../protocol/model/content.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  SamplingMessage,
} from '../../protocol/model/sampling.js';

export function isCreateMessageParams(params: JsonObject): params is CreateMessageParams {
  return (
    typeof params.maxTokens === 'number' &&
    Array.isArray(params.messages) &&
    params.messages.every((message) => isRecord(message) && typeof message.content === 'object')
  );
}

/**
 * Tool results stand alone in their message, and each use of a tool is answered in the very next one
 * (sampling, message content constraints): providers refuse a conversation that breaks this.
 */
export function assertToolResults(messages: readonly SamplingMessage[]): void {
  let open = new Set<string>();
  for (const message of messages) {
    const blocks = blocksOf(message);
    const results = blocks.filter((block) => block.type === 'tool_result');
    if (results.length > 0 && results.length < blocks.length) {
      throw invalidParams('A message with tool results may contain nothing else');
    }
    for (const result of results) {
      if (open.delete(result.toolUseId)) continue;
      throw invalidParams(`No tool use ${JSON.stringify(result.toolUseId)} precedes its result`);
    }
    if (open.size > 0) throw invalidParams(`Tool uses without a result: ${[...open].join(', ')}`);
    open = new Set(blocks.filter((block) => block.type === 'tool_use').map((block) => block.id));
  }
  if (open.size > 0) throw invalidParams(`Tool uses without a result: ${[...open].join(', ')}`);
}

function blocksOf(message: SamplingMessage): readonly SamplingContent[] {
  return Array.isArray(message.content) ? message.content : [message.content];
}

export function assertMessageResult(result: CreateMessageResult): void {
  const complete =
    (result.role === 'assistant' || result.role === 'user') &&
    typeof result.model === 'string' &&
    isRecord(Array.isArray(result.content) ? result.content[0] : result.content);
  if (!complete) throw new TypeError('A sampling handler returns { role, content, model }');
}
