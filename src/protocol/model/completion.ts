/** Completion: suggestions for an argument of a prompt or of a resource template. */

import type { Result } from './base.js';
import type { RequestMeta } from './meta.js';

export interface PromptReference {
  type: 'ref/prompt';
  name: string;
  /** Since 2025-06-18. */
  title?: string;
}

export interface ResourceTemplateReference {
  type: 'ref/resource';
  /** A URI or a URI template. */
  uri: string;
}

export type CompletionReference = PromptReference | ResourceTemplateReference;

export type CompleteParams = {
  _meta?: RequestMeta;
  ref: CompletionReference;
  argument: {
    name: string;
    /** What has been typed so far. */
    value: string;
  };
  /** Since 2025-06-18. */
  context?: {
    /** Arguments that are already settled. */
    arguments?: { [name: string]: string };
  };
};

export type CompleteResult = Result & {
  completion: {
    /** At most 100. */
    values: string[];
    /** How many exist; may exceed the number of values. */
    total?: number;
    hasMore?: boolean;
  };
};
