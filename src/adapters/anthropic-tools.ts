/** Tools for the Messages API of Anthropic. */

import type { CallOptions } from '../client/index.js';
import { type ModelPart, modelParts, textOfPart } from './model-content.js';
import { type AdapterOptions, type ToolSource, Toolset } from './toolset.js';

export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: 'object'; [key: string]: unknown };
}

/** A block of a message. Only `tool_use` blocks are ours. */
export interface AnthropicBlock {
  readonly type: string;
}

interface ToolUseBlock extends AnthropicBlock {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

type ImageType = 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';

export type AnthropicResultPart =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: ImageType; data: string } };

export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: AnthropicResultPart[];
  is_error?: true;
}

export interface AnthropicTools {
  readonly tools: AnthropicTool[];
  /** Runs the uses of tools in a message (`message.content`), and gives the blocks that answer them. */
  call(content: readonly AnthropicBlock[], options?: CallOptions): Promise<AnthropicToolResult[]>;
}

/** Tools for `anthropic.messages.create`. */
export async function anthropicTools(
  source: ToolSource,
  options: AdapterOptions = {},
): Promise<AnthropicTools> {
  const toolset = await Toolset.of('anthropicTools', source, 'anthropic', options);
  return {
    tools: toolset.tools.map(({ name, description, schema }) => ({
      name,
      ...(description === undefined ? {} : { description }),
      input_schema: { ...schema, type: 'object' },
    })),
    call: (content, callOptions) =>
      Promise.all(
        content.filter(isToolUse).map(async ({ id, name, input }): Promise<AnthropicToolResult> => {
          const result = await toolset.call(name, input ?? {}, callOptions);
          return {
            type: 'tool_result',
            tool_use_id: id,
            content: modelParts(result).map(anthropicPart),
            ...(result.isError === true ? { is_error: true } : {}),
          };
        }),
      ),
  };
}

function isToolUse(block: AnthropicBlock): block is ToolUseBlock {
  return block.type === 'tool_use' && 'id' in block && 'name' in block && 'input' in block;
}

export function anthropicPart(part: ModelPart): AnthropicResultPart {
  if (part.type === 'image' && isImageType(part.mimeType))
    return { type: 'image', source: { type: 'base64', media_type: part.mimeType, data: part.data } };
  return { type: 'text', text: textOfPart(part) };
}

function isImageType(type: string): type is ImageType {
  return type === 'image/jpeg' || type === 'image/png' || type === 'image/gif' || type === 'image/webp';
}
