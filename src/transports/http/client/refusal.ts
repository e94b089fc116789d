/**
 * What an HTTP answer other than a success means: an error of the server's that settles the request, or a
 * failure of the connection. Only the former shows which protocol the server supports.
 */

import { METHOD_NOT_FOUND } from '../../../jsonrpc/codes.js';
import { type DecodedError, decodeText } from '../../../jsonrpc/decode.js';
import type { RequestId } from '../../../jsonrpc/message.js';
import { HEADER_MISMATCH, UNSUPPORTED_VERSION } from '../../../protocol/errors.js';
import { META_PROTOCOL_VERSION } from '../../../protocol/model/meta.js';
import { TransportError, type TransportErrorOptions } from '../../errors.js';
import type { HttpHead } from './requester.js';
import { retryAfter } from './retry-after.js';
import { saysNotInitialized } from './session-loss.js';

/** Given to answers that carry no JSON-RPC error of their own. */
const NO_RPC_ERROR = -32_000;
const EXCERPT_CHARACTERS = 200;
/** Beyond this an error page says nothing more. */
const SCANNED_CHARACTERS = 4_000;

export interface RefusedCall {
  readonly label: string;
  readonly id: RequestId | undefined;
  /** The session that the request was sent in. */
  readonly sessionId: string | undefined;
  /** Whether it was sent after a handshake, with or without a session. */
  readonly afterHandshake: boolean;
  /** Whether it was sent to a server that needed no handshake so far. */
  readonly withoutHandshake: boolean;
}

export function judgeRefusal(head: HttpHead, body: string, call: RefusedCall): DecodedError | TransportError {
  const { status } = head;
  const said = rpcError(body);
  const excerpt = said?.error.message ?? excerptOf(body);
  const failure = refusalFailure(head, excerpt, call.label);
  if (failure !== undefined) return failure;
  if (call.sessionId !== undefined && isSessionLoss(status, said, excerpt))
    return sessionLost(call.label, status, excerpt);
  if (call.withoutHandshake && isHandshakeRefusal(status, excerpt))
    return sessionLost(call.label, status, excerpt);
  if (call.afterHandshake && status === 400 && isStatelessRefusal(said))
    return sessionLost(call.label, status, excerpt);
  if (said !== undefined) return { kind: 'error', id: call.id, error: said.error, httpStatus: status };
  if (status >= 500) return httpError(call.label, status, excerpt, { mayHaveActed: true });
  const message = `HTTP ${status}${excerpt === '' ? '' : `: ${excerpt}`}`;
  return { kind: 'error', id: call.id, error: { code: NO_RPC_ERROR, message }, httpStatus: status };
}

/** Refusals that are about who asks and how often, whatever their body says. */
export function refusalFailure(head: HttpHead, excerpt: string, label: string): TransportError | undefined {
  const { status } = head;
  const challenge = head.header('www-authenticate');
  const options = { status, ...(challenge === undefined ? {} : { wwwAuthenticate: challenge }) };
  if (status === 401) {
    const advice = 'give it credentials (the option auth or headers), or new ones if these have expired';
    return new TransportError(
      'unauthorized',
      `${label} requires authorization (HTTP 401)${quoted(excerpt)}; ${advice}`,
      options,
    );
  }
  if (status === 403) {
    // Servers that refuse a name or a web page do so whoever asks.
    const isGuard = /\b(?:Host|Origin)\b.* not allowed\b/i.test(excerpt);
    const advice = isGuard ? 'its operator has to allow it' : 'check what these credentials may do';
    return new TransportError(
      'forbidden',
      `${label} refused access (HTTP 403)${quoted(excerpt)}; ${advice}`,
      options,
    );
  }
  if (status !== 429) return undefined;
  const wait = retryAfter(head.header('retry-after'));
  return httpError(label, status, excerpt, wait === undefined ? {} : { retryAfterMs: wait });
}

export function httpError(
  label: string,
  status: number,
  excerpt: string,
  options: TransportErrorOptions = {},
): TransportError {
  const message = `${label} answered with HTTP ${status}${quoted(excerpt)} instead of an MCP message; check the URL and the server's log`;
  return new TransportError('http_status', message, { ...options, status });
}

/** The beginning of a body on one line, without markup: error pages are often HTML. */
export function excerptOf(body: string): string {
  const text = body
    .slice(0, SCANNED_CHARACTERS)
    .replace(/<(style|script)\b[\s\S]*?<\/\1\s*>/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}...` : text;
}

function rpcError(body: string): DecodedError | undefined {
  if (body === '') return undefined;
  const decoded = decodeText(body);
  return decoded.kind === 'error' ? decoded : undefined;
}

/** Unknown sessions get 404 as specified, and 400 with a word about the session just as often. */
function isSessionLoss(status: number, said: DecodedError | undefined, excerpt: string): boolean {
  if (status === 404) return said?.error.code !== METHOD_NOT_FOUND;
  return isHandshakeRefusal(status, excerpt);
}

/** A server with handshakes alone, which may have taken the place of one without. */
function isHandshakeRefusal(status: number, excerpt: string): boolean {
  return status === 400 && (/session/i.test(excerpt) || saysNotInitialized(excerpt));
}

/**
 * Whether only a server without handshakes says this: the one that we shook hands with has been replaced by a newer
 * one, which knows nothing of what was agreed.
 */
function isStatelessRefusal(said: DecodedError | undefined): boolean {
  if (said === undefined) return false;
  const { code, message } = said.error;
  return code === HEADER_MISMATCH || code === UNSUPPORTED_VERSION || message.includes(META_PROTOCOL_VERSION);
}

export function sessionLost(label: string, status?: number, excerpt = ''): TransportError {
  const answer = status === undefined || status < 300 ? '' : ` (HTTP ${status})`;
  const message = `${label} no longer knows this session${answer}${quoted(excerpt)}; initialize again`;
  return new TransportError('session_lost', message, status === undefined ? {} : { status });
}

function quoted(excerpt: string): string {
  return excerpt === '' ? '' : ` (${excerpt})`;
}
