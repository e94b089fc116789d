/** Conversations with the client's model. */

import type { SamplingContent } from '../../../protocol/model/content.js';
import type { CreateMessageResult, SamplingMessage } from '../../../protocol/model/sampling.js';
import type { Tool } from '../../../protocol/model/tools.js';
import { type Context, ToolError } from '../../../server/index.js';

const MULTIPLY: Tool = {
  name: 'multiply',
  description: 'Multiplies two numbers.',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
  },
};

/** A model that keeps calling the tool must come to an end. */
const MAX_TURNS = 5;

function blocksOf({ content }: CreateMessageResult): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

export function textOf(answer: CreateMessageResult): string {
  const texts = blocksOf(answer).map((block) => (block.type === 'text' ? block.text : `[${block.type}]`));
  return texts.join('\n');
}

/** Asks, runs the tool as often as the model wants it, and returns the last answer of the model. */
export async function useTools(question: string, ctx: Context): Promise<string> {
  const messages: SamplingMessage[] = [{ role: 'user', content: { type: 'text', text: question } }];
  for (let turn = 1; turn <= MAX_TURNS; turn += 1) {
    const answer = await ctx.sample({
      messages: [...messages],
      tools: [MULTIPLY],
      toolChoice: { mode: turn === MAX_TURNS ? 'none' : 'auto' },
      maxTokens: 500,
    });
    const blocks = blocksOf(answer);
    const results = blocks.flatMap((block) =>
      block.type === 'tool_use' ? [resultOf(block.id, block.input)] : [],
    );
    if (results.length === 0) return textOf(answer);
    messages.push({ role: 'assistant', content: [...blocks] }, { role: 'user', content: results });
  }
  throw new ToolError('The model did not come to an answer.');
}

function resultOf(toolUseId: string, { a, b }: { [argument: string]: unknown }): SamplingContent {
  if (typeof a !== 'number' || typeof b !== 'number') {
    const text = 'a and b must be numbers';
    return { type: 'tool_result', toolUseId, content: [{ type: 'text', text }], isError: true };
  }
  return { type: 'tool_result', toolUseId, content: [{ type: 'text', text: String(a * b) }] };
}
