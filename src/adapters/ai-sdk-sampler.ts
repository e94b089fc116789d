/** Answers a server's requests for sampling through the AI SDK, with whatever model it has. */

import type { SamplingContent } from '../protocol/model/content.js';
import type { CreateMessageParams, SamplingMessage } from '../protocol/model/sampling.js';
import { answerOf, blocksOf, type Sampler, stopReasonOf } from './sampling-request.js';

type AiSdkUserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: string; mediaType: string }
  | { type: 'file'; data: string; mediaType: string };

type AiSdkMessage =
  | { role: 'user'; content: AiSdkUserPart[] }
  | { role: 'assistant'; content: { type: 'text'; text: string }[] };

/** What is passed on to `generateText`, beside the model. */
export interface AiSdkRequest {
  messages: AiSdkMessage[];
  maxOutputTokens: number;
  abortSignal: AbortSignal;
  system?: string;
  temperature?: number;
  stopSequences?: string[];
}

export interface AiSdkResponse {
  readonly text: string;
  readonly finishReason: string;
  readonly response: { readonly modelId: string };
}

/** `connect(server, { sample: aiSdkSampler((request) => generateText({ model, ...request })) })` */
export function aiSdkSampler(
  generate: (request: AiSdkRequest, params: CreateMessageParams) => PromiseLike<AiSdkResponse>,
): Sampler {
  return async (params, { signal }) => {
    const { systemPrompt, temperature, stopSequences, maxTokens } = params;
    const request: AiSdkRequest = {
      messages: params.messages.map(sdkMessage),
      maxOutputTokens: maxTokens,
      abortSignal: signal,
      ...(systemPrompt === undefined ? {} : { system: systemPrompt }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(stopSequences === undefined ? {} : { stopSequences }),
    };
    const { text, finishReason, response } = await generate(request, params);
    return answerOf([{ type: 'text', text }], response.modelId, stopReasonOf(finishReason));
  };
}

function sdkMessage({ role, content }: SamplingMessage): AiSdkMessage {
  const parts = blocksOf(content).flatMap(userPart);
  if (role === 'user') return { role, content: parts };
  return { role, content: parts.flatMap((part) => (part.type === 'text' ? [part] : [])) };
}

function userPart(block: SamplingContent): AiSdkUserPart[] {
  switch (block.type) {
    case 'text':
      return [{ type: 'text', text: block.text }];
    case 'image':
      return [{ type: 'image', image: block.data, mediaType: block.mimeType }];
    case 'audio':
      return [{ type: 'file', data: block.data, mediaType: block.mimeType }];
    default:
      return [];
  }
}
