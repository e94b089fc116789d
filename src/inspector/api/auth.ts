/** How authorization with a server went, step by step. */

import type { Failure, ServerId } from './servers.js';
import type { HeaderView } from './timeline.js';

export type AuthStepKind =
  /** The refusal that started it. */
  | 'challenge'
  | 'resource-metadata'
  | 'server-metadata'
  | 'registration'
  /** The person is sent to the login page. */
  | 'authorize'
  /** And comes back. */
  | 'callback'
  | 'token'
  | 'refresh'
  | 'revocation'
  /** The refused request, sent again with the token. */
  | 'retry'
  | 'other';

export interface AuthStep {
  readonly seq: number;
  readonly at: number;
  readonly kind: AuthStepKind;
  readonly title: string;
  /** What the specification wants to see here, in words. */
  readonly expected: string;
  /** Absent: not at this place, which is one of several where it may be. */
  readonly verdict: 'pending' | 'ok' | 'absent' | 'unexpected' | 'failed';
  /** What was unexpected. */
  readonly notes: readonly string[];
  readonly request?: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HeaderView[];
    /** Secrets masked. */
    readonly body?: string;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: readonly HeaderView[];
    readonly body?: string;
  };
  readonly durationMs?: number;
  readonly tokens: readonly DecodedToken[];
}

/** A token without what makes it one. */
export interface DecodedToken {
  readonly name: 'access_token' | 'refresh_token' | 'id_token';
  /** A few characters and its length. */
  readonly masked: string;
  /** Header and claims, where it is a JWT. */
  readonly header?: Readonly<Record<string, unknown>>;
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly expiresAt?: number;
}

export interface AuthFlow {
  readonly server: ServerId;
  readonly state: 'none' | 'running' | 'waiting' | 'authorized' | 'failed';
  /** The login page, while the person is awaited there. */
  readonly loginUrl?: string;
  readonly issuer?: string;
  readonly scopes?: readonly string[];
  readonly failure?: Failure;
  /** Scopes that the server asked for when it refused a request (403, insufficient_scope). */
  readonly neededScopes?: readonly string[];
  /** The newest last; at most 200. */
  readonly steps: readonly AuthStep[];
}
