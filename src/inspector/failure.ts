/** What went wrong, for people; and what the process refuses to do for a page. */

import { McpError, ProtocolError } from '../protocol/errors.js';
import { maskText } from '../protocol/secrets.js';
import { TransportError } from '../transports/errors.js';
import type { Failure } from './api.js';

/** A command that cannot be carried out. The status is that of its HTTP answer. */
export class CommandError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function invalid(message: string): CommandError {
  return new CommandError(400, 'invalid_params', message);
}

export function notFound(what: string): CommandError {
  return new CommandError(404, 'not_found', `Unknown ${what}; it may have been removed`);
}

export function failureOf(error: unknown): Failure {
  if (error instanceof ProtocolError) {
    return {
      code: error.code,
      message: maskText(error.message).text,
      rpcCode: error.rpcCode,
      ...(error.data === undefined ? {} : { data: error.data }),
    };
  }
  if (error instanceof CommandError) return { code: error.code, message: error.message };
  const code = error instanceof McpError ? error.code : 'unexpected';
  const message = inPageWords(maskText(error instanceof Error ? error.message : String(error)).text);
  return needsLogin(error) ? { code, message, needsLogin: true } : { code, message };
}

/** Advice of the library names its options; the page has fields for them. */
function inPageWords(message: string): string {
  return message.replace('raise initTimeout', 'raise the start time-out of the server');
}

/** Another login, perhaps with more scopes, would help. */
const LOGIN_CODES: ReadonlySet<string> = new Set(['login_cancelled', 'login_required', 'insufficient_scope']);

/** The server refused for want of credentials, at whatever depth that was noticed. */
export function needsLogin(error: unknown): boolean {
  for (let cause = error, depth = 0; cause instanceof Error && depth < 5; cause = cause.cause, depth += 1) {
    if (cause instanceof TransportError && cause.code === 'unauthorized') return true;
    if (cause instanceof McpError && LOGIN_CODES.has(cause.code)) return true;
  }
  return false;
}
