/** What a call is about: the names that rules are written for. */

import { isRecord, type JsonObject } from '../jsonrpc/message.js';
import type { Call } from './compose.js';

/** The tool that is called. */
export function toolOf({ direction, method, params }: Call): string | undefined {
  if (direction !== 'inbound' || method !== 'tools/call') return undefined;
  return typeof params.name === 'string' ? params.name : undefined;
}

/** The tool, prompt or resource that is asked for. */
export function subjectOf({ method, params }: Pick<Call, 'method' | 'params'>): string | undefined {
  const named = method === 'resources/read' ? params.uri : params.name;
  return typeof named === 'string' ? named : undefined;
}

export function argumentsOf({ params }: Pick<Call, 'params'>): JsonObject {
  return isRecord(params.arguments) ? params.arguments : {};
}

/**
 * Who a limit counts: the principal where there is one, else the session, else all callers without either.
 */
export function callerKey({ caller }: Pick<Call, 'caller'>): string {
  if (caller.principal !== undefined) return `principal ${caller.principal}`;
  return caller.sessionId === undefined ? 'anonymous' : `session ${caller.sessionId}`;
}

/** A result that was made for its caller: no cache may give it to others, whatever its server says. */
export function ownResult(result: JsonObject): JsonObject {
  return result.cacheScope === 'public' ? { ...result, cacheScope: 'private' } : result;
}

/** `*` stands for any characters; everything else for itself. */
export function createGlob(patterns: string | readonly string[]): (name: string) => boolean {
  const list = typeof patterns === 'string' ? [patterns] : patterns;
  return (name) => list.some((pattern) => globMatches(pattern, name));
}

/** Without regular expressions: linear in the name for each star, whatever the pattern. */
function globMatches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false;
  let position = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, position);
    if (found < 0) return false;
    position = found + part.length;
  }
  return position <= name.length - last.length;
}
