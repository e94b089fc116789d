/** Sampling: a server borrows the client's model. Deprecated since 2026-07-28. */

import type { JsonObject } from '../../jsonrpc/message.js';
import type { Role } from './base.js';
import type { SamplingContent } from './content.js';
import type { Meta, RequestMeta } from './meta.js';
import type { TaskOptions } from './tasks.js';
import type { Tool } from './tools.js';

export interface SamplingMessage {
  role: Role;
  /** A list since 2025-11-25; a single block before. */
  content: SamplingContent | SamplingContent[];
  /** Since 2025-11-25. */
  _meta?: Meta;
}

/** Wishes about the model. Priorities run from 0 to 1; the client decides. */
export interface ModelPreferences {
  /** First match wins. */
  hints?: ModelHint[];
  costPriority?: number;
  speedPriority?: number;
  intelligencePriority?: number;
}

export interface ModelHint {
  /** Part of a model name or family. */
  name?: string;
}

export interface ToolChoice {
  /** Auto when absent. */
  mode?: 'auto' | 'required' | 'none';
}

export type CreateMessageParams = {
  /** Until 2025-11-25. */
  _meta?: RequestMeta;
  messages: SamplingMessage[];
  /** The client may sample fewer, never more. */
  maxTokens: number;
  modelPreferences?: ModelPreferences;
  systemPrompt?: string;
  /** Values other than `none` are deprecated since 2025-11-25. */
  includeContext?: 'none' | 'thisServer' | 'allServers';
  temperature?: number;
  stopSequences?: string[];
  /** Passed on to the model's provider. */
  metadata?: JsonObject;
  /** Since 2025-11-25. */
  tools?: Tool[];
  /** Since 2025-11-25. */
  toolChoice?: ToolChoice;
  /** 2025-11-25 only. */
  task?: TaskOptions;
};

export type CreateMessageResult = {
  _meta?: Meta;
  role: Role;
  /** A list since 2025-11-25; a single block before. */
  content: SamplingContent | SamplingContent[];
  model: string;
  /** `endTurn`, `stopSequence`, `maxTokens`, `toolUse` (since 2025-11-25), or the provider's own word. */
  stopReason?: string;
};
