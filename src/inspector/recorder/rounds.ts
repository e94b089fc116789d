/**
 * Calls that need input take several requests, each with an id of its own. A later round is known by the request state
 * that it returns; where the server gave none, by what it calls.
 */

import type { JsonObject } from '../../jsonrpc/message.js';
import { subjectOf } from '../../middleware/subject.js';
import type { StoredMessage } from '../timeline/stored.js';
import { keptField } from '../timeline/weight.js';
import { digest } from './digest.js';

interface Round {
  readonly group: number;
  readonly round: number;
}

const MAX_REMEMBERED = 2_000;

export class Rounds {
  readonly #awaited = new Map<string, Round>();

  /** A request was answered with questions. */
  asked(server: string, request: StoredMessage, result: JsonObject): void {
    const { group, round = 1, method = '', subject } = request;
    const key = keyOf(server, method, subject, result.requestState);
    const [oldest] = this.#awaited.keys();
    if (this.#awaited.size >= MAX_REMEMBERED && oldest !== undefined) this.#awaited.delete(oldest);
    this.#awaited.set(key, { group, round: round + 1 });
  }

  /** The call that a request goes on with, if it does. */
  continues(server: string, method: string, params: JsonObject): Round | undefined {
    const { requestState, inputResponses } = params;
    if (requestState === undefined && inputResponses === undefined) return undefined;
    return this.#awaited.get(keyOf(server, method, keptField(subjectOf({ method, params })), requestState));
  }
}

function keyOf(server: string, method: string, subject: string | undefined, state: unknown): string {
  return digest(typeof state === 'string' ? `${server}\n${state}` : `${server}\n${method}\n${subject ?? ''}`);
}
