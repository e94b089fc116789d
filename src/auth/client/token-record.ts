/** Tokens as they are kept: what they are for, who issued them to whom, and how long they are good. */

import type { JWK } from 'jose';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { parseScopes } from './scopes.js';

export interface TokenRecord {
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly clientId: string;
  readonly accessToken: string;
  readonly tokenType: 'bearer' | 'dpop';
  readonly refreshToken: string | undefined;
  /** Milliseconds since the epoch. */
  readonly expiresAt: number | undefined;
  readonly scopes: readonly string[] | undefined;
  /** What was asked for, granted or not. */
  readonly requested: readonly string[] | undefined;
  /** The private key that the tokens are bound to. */
  readonly dpopKey: JWK | undefined;
}

export interface TokenOrigin {
  readonly issuer: string;
  readonly resource: string | undefined;
  readonly clientId: string;
  readonly requested: readonly string[] | undefined;
  readonly dpopKey: JWK | undefined;
  readonly now: number;
}

export function toRecord(
  response: TokenEndpointResponse,
  origin: TokenOrigin,
  previous?: TokenRecord,
): TokenRecord {
  const { issuer, resource, clientId, requested, dpopKey, now } = origin;
  return {
    issuer,
    resource,
    clientId,
    requested,
    dpopKey,
    accessToken: response.access_token,
    tokenType: response.token_type === 'dpop' ? 'dpop' : 'bearer',
    // Without rotation the old one stays good.
    refreshToken: response.refresh_token ?? previous?.refreshToken,
    expiresAt: response.expires_in === undefined ? undefined : now + response.expires_in * 1000,
    // An answer without scope granted what was asked for (OAuth 2.1, 3.2.3).
    scopes: parseScopes(response.scope) ?? previous?.scopes ?? requested,
  };
}

export function writeRecord(record: TokenRecord): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}

/** Undefined for anything that we did not write. */
export function readRecord(value: JsonObject | undefined): TokenRecord | undefined {
  if (value === undefined) return undefined;
  const { issuer, clientId, accessToken, dpopKey } = value;
  if (typeof issuer !== 'string' || typeof clientId !== 'string' || typeof accessToken !== 'string')
    return undefined;
  return {
    issuer,
    clientId,
    accessToken,
    tokenType: value.tokenType === 'dpop' ? 'dpop' : 'bearer',
    resource: text(value.resource),
    refreshToken: text(value.refreshToken),
    expiresAt: typeof value.expiresAt === 'number' ? value.expiresAt : undefined,
    scopes: texts(value.scopes),
    requested: texts(value.requested),
    dpopKey:
      isRecord(dpopKey) && typeof dpopKey.kty === 'string' ? { ...dpopKey, kty: dpopKey.kty } : undefined,
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function texts(value: unknown): readonly string[] | undefined {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : undefined;
}

const MAX_EARLY_MS = 30_000;

/** Whether to renew now: a little before the end, so that the token does not expire on its way. */
export function isStale({ expiresAt }: TokenRecord, now: number, issuedAt: number | undefined): boolean {
  if (expiresAt === undefined) return false;
  const lifetime = issuedAt === undefined ? MAX_EARLY_MS * 10 : expiresAt - issuedAt;
  return now >= expiresAt - Math.min(MAX_EARLY_MS, lifetime / 10);
}
