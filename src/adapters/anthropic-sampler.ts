/** Answers a server's requests for sampling with a model of Anthropic. */

import type { SamplingContent } from '../protocol/model/content.js';
import type { CreateMessageParams } from '../protocol/model/sampling.js';
import { assertOptionNames } from '../protocol/option-names.js';
import {
  type AnthropicResultPart,
  type AnthropicTool,
  type AnthropicToolResult,
  anthropicPart,
} from './anthropic-tools.js';
import { modelParts } from './model-content.js';
import {
  answerOf,
  blocksOf,
  modelFor,
  SAMPLER_OPTIONS,
  type Sampler,
  type SamplerOptions,
  stopReasonOf,
  tokensFor,
} from './sampling-request.js';

type MessageBlock =
  | AnthropicResultPart
  | AnthropicToolResult
  | { type: 'tool_use'; id: string; name: string; input: { [argument: string]: unknown } };

export interface AnthropicRequest {
  model: string;
  max_tokens: number;
  messages: { role: 'user' | 'assistant'; content: MessageBlock[] }[];
  system?: string;
  temperature?: number;
  stop_sequences?: string[];
  tools?: AnthropicTool[];
  tool_choice?: { type: 'auto' } | { type: 'any' } | { type: 'none' };
}

export interface AnthropicResponse {
  readonly model: string;
  readonly stop_reason: string | null;
  readonly content: readonly AnthropicResponseBlock[];
}

/** Text and uses of tools are read; what else a model says is not for servers. */
export interface AnthropicResponseBlock {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
}

/** The part of the Anthropic client that is used. */
export interface AnthropicClient {
  readonly messages: {
    create(request: AnthropicRequest, options?: { signal?: AbortSignal }): PromiseLike<AnthropicResponse>;
  };
}

/** `connect(server, { sample: anthropicSampler(new Anthropic(), { model: 'claude-opus-4-5' }), sampleTools: true })` */
export function anthropicSampler(client: AnthropicClient, options: SamplerOptions): Sampler {
  assertOptionNames('anthropicSampler', options, SAMPLER_OPTIONS);
  return async (request, { signal }) => {
    const answer = await client.messages.create(messageRequest(request, options), { signal });
    return answerOf(answer.content.flatMap(answerBlock), answer.model, stopReasonOf(answer.stop_reason));
  };
}

const CHOICES = { auto: { type: 'auto' }, required: { type: 'any' }, none: { type: 'none' } } as const;

function messageRequest(request: CreateMessageParams, options: SamplerOptions): AnthropicRequest {
  const { systemPrompt, temperature, stopSequences, tools, toolChoice } = request;
  return {
    model: modelFor(options, request),
    max_tokens: tokensFor(options, request),
    messages: request.messages.map(({ role, content }) => ({
      role,
      content: blocksOf(content).map(messageBlock),
    })),
    ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences === undefined ? {} : { stop_sequences: stopSequences }),
    ...(tools === undefined ? {} : { tools: tools.map(tool) }),
    ...(tools === undefined || toolChoice?.mode === undefined
      ? {}
      : { tool_choice: CHOICES[toolChoice.mode] }),
  };
}

function tool({
  name,
  description,
  inputSchema,
}: NonNullable<CreateMessageParams['tools']>[number]): AnthropicTool {
  return { name, ...(description === undefined ? {} : { description }), input_schema: inputSchema };
}

function messageBlock(block: SamplingContent): MessageBlock {
  switch (block.type) {
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: block.input };
    case 'tool_result':
      return {
        type: 'tool_result',
        tool_use_id: block.toolUseId,
        content: modelParts(block).map(anthropicPart),
        ...(block.isError === true ? { is_error: true } : {}),
      };
    default: {
      const [part] = modelParts({ content: [block] });
      return part === undefined ? { type: 'text', text: '' } : anthropicPart(part);
    }
  }
}

function answerBlock({ type, text, id, name, input }: AnthropicResponseBlock): SamplingContent[] {
  if (type === 'text' && text !== undefined) return [{ type: 'text', text }];
  if (type !== 'tool_use' || id === undefined || name === undefined) return [];
  return [{ type: 'tool_use', id, name, input: { ...(typeof input === 'object' ? input : {}) } }];
}
