/** Answers a server's requests for sampling with a model of OpenAI. */

import type { SamplingContent } from '../protocol/model/content.js';
import type { CreateMessageParams, SamplingMessage } from '../protocol/model/sampling.js';
import { assertOptionNames } from '../protocol/option-names.js';
import { dataUrl, modelText } from './model-content.js';
import type { OpenAiChatTool } from './openai-tools.js';
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

interface FunctionCall {
  id: string;
  type: 'function';
  function: { name: string; arguments: string };
}

type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: 'wav' | 'mp3' } };

type ChatMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: UserPart[] }
  | { role: 'assistant'; content: string | null; tool_calls?: FunctionCall[] }
  | { role: 'tool'; tool_call_id: string; content: string };

export interface OpenAiChatRequest {
  model: string;
  messages: ChatMessage[];
  max_completion_tokens: number;
  temperature?: number;
  stop?: string[];
  tools?: OpenAiChatTool[];
  tool_choice?: 'auto' | 'required' | 'none';
}

export interface OpenAiChatResponse {
  readonly model: string;
  readonly choices: readonly {
    readonly finish_reason: string | null;
    readonly message: {
      readonly content: string | null;
      readonly tool_calls?: readonly {
        readonly id: string;
        readonly function?: { readonly name: string; readonly arguments: string };
      }[];
    };
  }[];
}

/** The part of the OpenAI client that is used. */
export interface OpenAiChatClient {
  readonly chat: {
    readonly completions: {
      create(request: OpenAiChatRequest, options?: { signal?: AbortSignal }): PromiseLike<OpenAiChatResponse>;
    };
  };
}

/** `connect(server, { sample: openaiSampler(new OpenAI(), { model: 'gpt-5' }), sampleTools: true })` */
export function openaiSampler(client: OpenAiChatClient, options: SamplerOptions): Sampler {
  assertOptionNames('openaiSampler', options, SAMPLER_OPTIONS);
  return async (request, { signal }) => {
    const { model, choices } = await client.chat.completions.create(chatRequest(request, options), {
      signal,
    });
    const [choice] = choices;
    if (choice === undefined) throw new Error(`${model} gave no answer`);
    const { content, tool_calls: calls = [] } = choice.message;
    const blocks: SamplingContent[] = [];
    if (content !== null && (content !== '' || calls.length === 0))
      blocks.push({ type: 'text', text: content });
    for (const { id, function: called } of calls) {
      if (called !== undefined)
        blocks.push({ type: 'tool_use', id, name: called.name, input: JSON.parse(called.arguments || '{}') });
    }
    return answerOf(blocks, model, stopReasonOf(choice.finish_reason));
  };
}

function chatRequest(request: CreateMessageParams, options: SamplerOptions): OpenAiChatRequest {
  const { systemPrompt, temperature, stopSequences, tools, toolChoice } = request;
  const system: ChatMessage[] = systemPrompt === undefined ? [] : [{ role: 'system', content: systemPrompt }];
  return {
    model: modelFor(options, request),
    messages: [...system, ...request.messages.flatMap(chatMessages)],
    max_completion_tokens: tokensFor(options, request),
    ...(temperature === undefined ? {} : { temperature }),
    ...(stopSequences === undefined || stopSequences.length === 0 ? {} : { stop: stopSequences }),
    ...(tools === undefined ? {} : { tools: tools.map(chatTool) }),
    ...(tools === undefined || toolChoice?.mode === undefined ? {} : { tool_choice: toolChoice.mode }),
  };
}

function chatTool({
  name,
  description,
  inputSchema,
}: NonNullable<CreateMessageParams['tools']>[number]): OpenAiChatTool {
  const described = description === undefined ? {} : { description };
  return { type: 'function', function: { name, ...described, parameters: inputSchema } };
}

/** Results of tools are messages of their own there, before the rest of what the user says. */
function chatMessages({ role, content }: SamplingMessage): ChatMessage[] {
  const blocks = blocksOf(content);
  if (role === 'assistant') return [assistantMessage(blocks)];
  const results = blocks.flatMap((block): ChatMessage[] =>
    block.type === 'tool_result'
      ? [{ role: 'tool', tool_call_id: block.toolUseId, content: modelText(block) }]
      : [],
  );
  const parts = blocks.flatMap(userPart);
  return parts.length === 0 ? results : [...results, { role: 'user', content: parts }];
}

function assistantMessage(blocks: readonly SamplingContent[]): ChatMessage {
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  const calls = blocks.flatMap((block): FunctionCall[] =>
    block.type === 'tool_use'
      ? [
          {
            id: block.id,
            type: 'function',
            function: { name: block.name, arguments: JSON.stringify(block.input) },
          },
        ]
      : [],
  );
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function userPart(block: SamplingContent): UserPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
      return [{ type: 'image_url', image_url: { url: dataUrl(block) } }];
    case 'audio': {
      const format = block.mimeType === 'audio/mpeg' ? 'mp3' : 'wav';
      return [{ type: 'input_audio', input_audio: { data: block.data, format } }];
    }
    default:
      return [];
  }
}
