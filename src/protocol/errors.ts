/**
 * Every error of Plumb is an McpError with a literal `code` that never changes its meaning.
 * ProtocolError crosses the wire (sent or received); the others stay on this side.
 */

import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
} from '../jsonrpc/codes.js';
import type { ErrorObject } from '../jsonrpc/message.js';
import type { ClientCapabilities } from './model/capabilities.js';

/** The base of all errors of Plumb: `code` is stable, `message` says what happened and what to do next. */
export class McpError<Code extends string = string> extends Error {
  readonly code: Code;

  constructor(code: Code, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

/** What a protocol error means, whatever number a revision gives it. */
export type ProtocolErrorCode =
  | 'parse_error'
  | 'invalid_request'
  | 'method_not_found'
  | 'invalid_params'
  | 'internal_error'
  | 'resource_not_found'
  | 'header_mismatch'
  | 'missing_capability'
  | 'unsupported_version'
  | 'url_elicitation_required'
  | 'application';

export const RESOURCE_NOT_FOUND = -32002;
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;
export const URL_ELICITATION_REQUIRED = -32042;

const NUMBERS: Readonly<Record<Exclude<ProtocolErrorCode, 'application'>, number>> = {
  parse_error: PARSE_ERROR,
  invalid_request: INVALID_REQUEST,
  method_not_found: METHOD_NOT_FOUND,
  invalid_params: INVALID_PARAMS,
  internal_error: INTERNAL_ERROR,
  resource_not_found: RESOURCE_NOT_FOUND,
  header_mismatch: HEADER_MISMATCH,
  missing_capability: MISSING_CAPABILITY,
  unsupported_version: UNSUPPORTED_VERSION,
  url_elicitation_required: URL_ELICITATION_REQUIRED,
};

const MEANINGS = new Map<number, ProtocolErrorCode>(
  Object.entries(NUMBERS).map(([code, number]) => [number, code as ProtocolErrorCode]),
);

export interface ProtocolErrorOptions {
  /** The JSON-RPC number, where it is not the usual one of `code`. */
  readonly rpcCode?: number | undefined;
  readonly data?: unknown;
  readonly cause?: unknown;
}

/** An error as JSON-RPC carries it. Handlers may throw it; clients get it when the server answered with one. */
export class ProtocolError extends McpError<ProtocolErrorCode> {
  readonly rpcCode: number;
  readonly data: unknown;

  constructor(code: ProtocolErrorCode, message: string, options: ProtocolErrorOptions = {}) {
    super(code, message, 'cause' in options ? { cause: options.cause } : undefined);
    this.rpcCode = options.rpcCode ?? (code === 'application' ? INTERNAL_ERROR : NUMBERS[code]);
    this.data = options.data;
  }

  toErrorObject(): ErrorObject {
    return this.data === undefined
      ? { code: this.rpcCode, message: this.message }
      : { code: this.rpcCode, message: this.message, data: this.data };
  }
}

/** There is no room for the call now, and there may be later. Over HTTP its status is 503. */
export class UnavailableError extends ProtocolError {
  constructor(message: string) {
    super('internal_error', message);
  }
}

/** What a peer sent, with its number and data unchanged. */
export function receivedError(error: ErrorObject): ProtocolError {
  return new ProtocolError(MEANINGS.get(error.code) ?? 'application', error.message, {
    rpcCode: error.code,
    data: error.data,
  });
}

export function invalidParams(message: string, data?: unknown): ProtocolError {
  return new ProtocolError('invalid_params', message, { data });
}

export function invalidRequest(message: string, data?: unknown): ProtocolError {
  return new ProtocolError('invalid_request', message, { data });
}

export function methodNotFound(method: string): ProtocolError {
  return new ProtocolError('method_not_found', `Method not found: ${method}`, { data: { method } });
}

export function resourceNotFound(uri: string): ProtocolError {
  return new ProtocolError('resource_not_found', `Resource not found: ${uri}`, { data: { uri } });
}

export function missingCapability(required: ClientCapabilities, message: string): ProtocolError {
  return new ProtocolError('missing_capability', message, { data: { requiredCapabilities: required } });
}

export function unsupportedVersion(requested: string, supported: readonly string[]): ProtocolError {
  return new ProtocolError(
    'unsupported_version',
    `Protocol version ${requested} is not supported here; use one of: ${supported.join(', ') || '(none)'}`,
    { data: { supported, requested } },
  );
}
