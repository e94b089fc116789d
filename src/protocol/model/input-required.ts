/**
 * Asking the client for input in the middle of a call. Since 2026-07-28, when servers stopped sending requests:
 * the call ends with questions, and the client sends it again with the answers.
 * Only `tools/call`, `prompts/get` and `resources/read` may do so.
 */

import type { ElicitParams, ElicitResult } from './elicitation.js';
import type { Meta } from './meta.js';
import type { ListRootsParams, ListRootsResult } from './roots.js';
import type { CreateMessageParams, CreateMessageResult } from './sampling.js';

/** A question: the method and params that older revisions send as a request of the server. */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitParams }
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: ListRootsParams };

/** Carries no tag: the key of its question identifies it. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** Questions, under keys that the server chose. */
export type InputRequests = { [key: string]: InputRequest };

/** Answers, under the keys of their questions. */
export type InputResponses = { [key: string]: InputResponse };

/** At least one of `inputRequests` and `requestState` is there; state alone means "send it again". */
export type InputRequiredResult = {
  _meta?: Meta;
  resultType: 'input_required';
  inputRequests?: InputRequests;
  /** Opaque to the client, which returns it untouched. */
  requestState?: string;
};

/** What a retry adds to the original params. */
export type InputResponseParams = {
  inputResponses?: InputResponses;
  /** Present exactly when the interim result had one. Back from the client, so not to be trusted unsealed. */
  requestState?: string;
};
