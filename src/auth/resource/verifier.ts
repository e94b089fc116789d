/** The seam between "a token came" and "this is what it says": JWT, introspection, or the operator's own. */

import type { JsonObject } from '../../jsonrpc/message.js';

/** Resolves with the claims of a good token; throws a TokenRejected for a bad one. */
export type VerifyToken = (token: string) => Promise<JsonObject>;

/** The token is not good here. `reason` is written for the client and holds nothing of the token. */
export class TokenRejected extends Error {
  constructor(reason: string, options?: { cause?: unknown }) {
    super(reason, options);
    this.name = 'TokenRejected';
  }
}

export interface TokenExpectations {
  /** Compared character for character. */
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Seconds that clocks may differ by. */
  readonly clockTolerance: number;
}

/** Whether `aud` names us; a token for someone else must not open anything here (RFC 8707, RFC 9068). */
export function namesAudience(aud: unknown, audiences: readonly string[]): boolean {
  const named = Array.isArray(aud) ? aud : [aud];
  return named.some((audience) => typeof audience === 'string' && audiences.includes(audience));
}
