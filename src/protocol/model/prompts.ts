/** Prompts: message templates that a user picks. */

import type { CacheHints, Icon, PaginatedResult, Result, Role } from './base.js';
import type { ContentBlock } from './content.js';
import type { Meta, RequestMeta } from './meta.js';

export interface Prompt {
  name: string;
  /** Name to show to people. Since 2025-06-18. */
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  /** Since 2025-11-25. */
  icons?: Icon[];
  /** Since 2025-06-18. */
  _meta?: Meta;
}

export interface PromptArgument {
  name: string;
  /** Name to show to people. Since 2025-06-18. */
  title?: string;
  description?: string;
  required?: boolean;
}

export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

export type ListPromptsResult = PaginatedResult &
  CacheHints & {
    prompts: Prompt[];
  };

export type GetPromptParams = {
  _meta?: RequestMeta;
  name: string;
  arguments?: { [name: string]: string };
};

export type GetPromptResult = Result & {
  description?: string;
  messages: PromptMessage[];
};
