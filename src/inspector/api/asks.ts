/** Questions of servers, and the page's answers. */

import type { ElicitFormParams, ElicitResult, ElicitUrlParams } from '../../protocol/model/elicitation.js';
import type { Root } from '../../protocol/model/roots.js';
import type { CreateMessageParams, CreateMessageResult } from '../../protocol/model/sampling.js';
import type { ServerId } from './servers.js';

export type AskView = {
  readonly id: string;
  readonly server: ServerId;
  readonly at: number;
  readonly revision: string;
  /** The page's call that the question belongs to, where that is known. */
  readonly callId?: string;
  /** The method of the call it belongs to, and the tool, prompt or resource. */
  readonly about?: { readonly method: string; readonly subject?: string };
} & (
  | { readonly kind: 'form'; readonly params: ElicitFormParams }
  /** Only http and https addresses get here; whatever else a server sends is refused by the process. */
  | { readonly kind: 'url'; readonly params: ElicitUrlParams }
  | { readonly kind: 'sampling'; readonly params: CreateMessageParams }
  | { readonly kind: 'roots'; readonly current: readonly Root[] }
);

/** The answer fits the kind of its question. `refuse` answers with an error, whatever was asked. */
export type AskAnswer =
  | { readonly kind: 'form' | 'url'; readonly result: ElicitResult }
  | { readonly kind: 'sampling'; readonly result: CreateMessageResult }
  | { readonly kind: 'roots'; readonly roots: readonly Root[] }
  | { readonly kind: 'refuse'; readonly message?: string };

/** How a question ended: answered by a page, or no longer wanted. */
export type AskEnd = 'answered' | 'withdrawn';
