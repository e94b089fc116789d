/** What the samplers have in common: a server's request, read once for every provider. */

import type { AskContext } from '../client/input/asks.js';
import type { SamplingContent } from '../protocol/model/content.js';
import type { CreateMessageParams, CreateMessageResult } from '../protocol/model/sampling.js';
import type { OptionNames } from '../protocol/option-names.js';

export interface SamplerOptions {
  /** The model, by name, or chosen for each request, of which `modelPreferences` is a part. */
  readonly model: string | ((request: CreateMessageParams) => string);
  /** The most tokens of one answer, whatever the server asks for. */
  readonly maxTokens?: number | undefined;
}

export const SAMPLER_OPTIONS: OptionNames<SamplerOptions> = { model: true, maxTokens: true };

/** What `connect` takes as `sample`. */
export type Sampler = (request: CreateMessageParams, context: AskContext) => Promise<CreateMessageResult>;

export function modelFor({ model }: SamplerOptions, request: CreateMessageParams): string {
  return typeof model === 'string' ? model : model(request);
}

export function tokensFor({ maxTokens }: SamplerOptions, request: CreateMessageParams): number {
  return Math.min(request.maxTokens, maxTokens ?? request.maxTokens);
}

export function blocksOf(content: SamplingContent | SamplingContent[]): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

/** One block where there is one: revisions before lists of them read nothing else. */
export function answerOf(
  blocks: readonly SamplingContent[],
  model: string,
  stopReason: string | undefined,
): CreateMessageResult {
  const [only] = blocks;
  const content = blocks.length === 1 && only !== undefined ? only : [...blocks];
  return {
    role: 'assistant',
    content: blocks.length === 0 ? { type: 'text', text: '' } : content,
    model,
    ...(stopReason === undefined ? {} : { stopReason }),
  };
}

/** The protocol's words for why a model stopped; a word that is not known is passed on. */
export function stopReasonOf(word: string | null | undefined): string | undefined {
  return word === null || word === undefined ? undefined : (STOP_REASONS[word] ?? word);
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'endTurn',
  end_turn: 'endTurn',
  length: 'maxTokens',
  max_tokens: 'maxTokens',
  stop_sequence: 'stopSequence',
  tool_calls: 'toolUse',
  'tool-calls': 'toolUse',
  tool_use: 'toolUse',
};
