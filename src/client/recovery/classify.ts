/**
 * What a failed call means. Servers in the field number the same failure differently (an unknown tool alone
 * has six codes), so the meaning is read from the method and the number together.
 */

import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from '../../jsonrpc/codes.js';
import {
  McpError,
  ProtocolError,
  type ProtocolErrorCode,
  RESOURCE_NOT_FOUND,
} from '../../protocol/errors.js';
import { TransportError, type TransportErrorCode } from '../../transports/errors.js';
import { CLIENT_ERROR_CODES, type ClientErrorCode, USER_REFUSED } from '../errors.js';

export type FailureKind =
  | 'unknown_tool'
  | 'unknown_prompt'
  | 'resource_not_found'
  | 'access_denied'
  | 'unknown_reference'
  | 'invalid_cursor'
  | 'tool_failed'
  | 'user_refused'
  | ProtocolErrorCode
  | ClientErrorCode
  | TransportErrorCode
  | 'unknown';

/** Numbers from before the standard ones settled, still sent by older software. */
const OLD_NOT_FOUND = -32001;
/** Of a tool first, and then of anything that has a name. */
const OLD_UNKNOWN_NAME = -32003;
const OLD_TOOL_FAILED = -32004;
const OLD_UNKNOWN_PROMPT = -32005;
/** The same number, where a resource is read. */
const OLD_ACCESS_DENIED = -32005;
const OLD_NO_SAMPLING = -32006;
const OLD_NO_CAPABILITY = -32007;

const MISSING: ReadonlyMap<string, { readonly kind: FailureKind; readonly codes: ReadonlySet<number> }> =
  new Map([
    [
      'tools/call',
      {
        kind: 'unknown_tool',
        codes: new Set([
          INVALID_PARAMS,
          METHOD_NOT_FOUND,
          INVALID_REQUEST,
          INTERNAL_ERROR,
          OLD_NOT_FOUND,
          OLD_UNKNOWN_NAME,
        ]),
      },
    ],
    [
      'resources/read',
      {
        kind: 'resource_not_found',
        codes: new Set([RESOURCE_NOT_FOUND, INVALID_PARAMS, OLD_NOT_FOUND, OLD_UNKNOWN_NAME]),
      },
    ],
    [
      'prompts/get',
      {
        kind: 'unknown_prompt',
        codes: new Set([INVALID_PARAMS, OLD_NOT_FOUND, OLD_UNKNOWN_NAME, OLD_UNKNOWN_PROMPT]),
      },
    ],
    ['completion/complete', { kind: 'unknown_reference', codes: new Set([INVALID_PARAMS]) }],
  ]);

/** Codes that are also used for ordinary failures; only the message shows that something does not exist. */
const AMBIGUOUS: ReadonlyMap<string, ReadonlySet<number>> = new Map([
  ['tools/call', new Set([METHOD_NOT_FOUND, INVALID_REQUEST, INTERNAL_ERROR])],
]);

const SAYS_MISSING = /not found|unknown|no such|does ?n[o']t exist|not exist|not registered/i;
const SAYS_ARGUMENTS = /\b(arguments?|param(eter)?s?|input|schema|required)\b/i;

/** What kind of failure an error is, and so whether calling again is of use. */
export function classify(method: string, error: unknown): FailureKind {
  if (!(error instanceof ProtocolError)) return localKind(error);
  if (error.rpcCode === USER_REFUSED) return 'user_refused';
  if (error.rpcCode === OLD_NO_CAPABILITY || error.rpcCode === OLD_NO_SAMPLING) return 'not_supported';
  if (error.rpcCode === OLD_ACCESS_DENIED && method === 'resources/read') return 'access_denied';
  if (error.rpcCode === OLD_TOOL_FAILED && method === 'tools/call') return 'tool_failed';
  if (method.endsWith('/list')) return error.rpcCode === INVALID_PARAMS ? 'invalid_cursor' : error.code;
  const missing = MISSING.get(method);
  if (missing === undefined || !missing.codes.has(error.rpcCode)) return error.code;
  if (AMBIGUOUS.get(method)?.has(error.rpcCode)) {
    return SAYS_MISSING.test(error.message) ? missing.kind : error.code;
  }
  // One number for a missing thing and for bad arguments: a message about arguments decides.
  const aboutArguments = SAYS_ARGUMENTS.test(error.message) && !SAYS_MISSING.test(error.message);
  return error.rpcCode === INVALID_PARAMS && aboutArguments ? 'invalid_params' : missing.kind;
}

const LOCAL_CODES: ReadonlySet<string> = new Set(CLIENT_ERROR_CODES);

function isLocalCode(code: string): code is ClientErrorCode {
  return LOCAL_CODES.has(code);
}

function localKind(error: unknown): FailureKind {
  if (error instanceof TransportError) return error.code;
  return error instanceof McpError && isLocalCode(error.code) ? error.code : 'unknown';
}
