/** Tokens without what makes them tokens: what a JWT says can be shown, the signature cannot. */

import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { hint } from '../../protocol/secrets.js';
import type { DecodedToken } from '../api.js';

const NAMES = ['access_token', 'refresh_token', 'id_token'] as const;

/** The tokens in an answer of the token endpoint. */
export function tokensIn(answer: JsonObject, now: number): DecodedToken[] {
  return NAMES.flatMap((name) => {
    const token = answer[name];
    if (typeof token !== 'string') return [];
    const decoded = decodeToken(name, token);
    const lifetime = name === 'access_token' ? answer.expires_in : undefined;
    const expiresAt = typeof lifetime === 'number' ? now + lifetime * 1_000 : decoded.expiresAt;
    return [{ ...decoded, ...(expiresAt === undefined ? {} : { expiresAt }) }];
  });
}

/** The bearer token that a request was sent with. */
export function tokenOfHeader(authorization: string | undefined): DecodedToken | undefined {
  const token = /^(?:Bearer|DPoP) (\S+)$/i.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : decodeToken('access_token', token);
}

function decodeToken(name: DecodedToken['name'], token: string): DecodedToken {
  const [head = '', body = '', ...rest] = token.split('.');
  const header = rest.length === 1 ? decodePart(head) : undefined;
  const claims = header === undefined ? undefined : decodePart(body);
  const exp = claims?.exp;
  return {
    name,
    masked: `${hint(token)} (${token.length} characters)`,
    ...(header === undefined ? {} : { header }),
    ...(claims === undefined ? {} : { claims }),
    ...(typeof exp === 'number' ? { expiresAt: exp * 1_000 } : {}),
  };
}

function decodePart(part: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
