/**
 * What can go wrong on the client's side. Local errors carry one of the codes below; what the server answered
 * with is a ProtocolError, its number and data unchanged.
 */

import type { RequestId } from '../jsonrpc/message.js';
import { McpError, ProtocolError } from '../protocol/errors.js';
import { TransportError } from '../transports/errors.js';
import type { CloseReason } from '../transports/transport.js';
import type { StateName } from './connection/machine.js';

export const CLIENT_ERROR_CODES = [
  /** No answer in time. */
  'timeout',
  /** Aborted by the caller's signal. */
  'cancelled',
  /** The connection ended, or was never there any more. */
  'connection_closed',
  /** The client is not ready: it connects, or waits before it tries again. */
  'state',
  /** The server did not declare the capability, or the revision has no such thing. */
  'not_supported',
  /** The server's answer breaks the protocol or the tool's own output schema. */
  'invalid_result',
  /** An argument of the caller that no server could accept. */
  'invalid_argument',
  /** Client and server share no protocol revision. */
  'no_common_revision',
  /** The server kept asking for input. */
  'too_many_rounds',
  /** The server asked more at once than is allowed. */
  'too_many_questions',
  /** A list that did not end within the page limit. */
  'too_many_pages',
  /** A list whose pages have more bytes together than is allowed. */
  'list_too_large',
  /** The server needs input that the user refused to give. */
  'input_refused',
  /** The server needs input that no handler could give. */
  'input_failed',
  /** The server could not be brought to talk MCP. */
  'handshake_failed',
  /** `connect` was given something that it cannot open. */
  'unsupported_target',
  /** A file of a skill is not what the skill's entry says. */
  'skill_mismatch',
  /** No server of a pool has a tool or prompt of this name. */
  'unknown_name',
] as const;

export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

/** Everything a client call rejects with. `code` identifies the kind. */
export type ClientError =
  | McpError<ClientErrorCode>
  | ConnectionClosedError
  | StateError
  | TimeoutError
  | CancelledError
  | TransportError
  | ProtocolError;

/** The connection is gone. For a child process, says how it ended and the last of what it wrote to stderr. */
export class ConnectionClosedError extends McpError<'connection_closed'> {
  readonly reason: CloseReason;
  readonly exitCode: number | undefined;
  readonly stderr: string | undefined;
  /** Whether the request that failed with it may have been carried out all the same. */
  readonly mayHaveActed: boolean;

  constructor(label: string, reason: CloseReason, mayHaveActed = false, noise?: Noise) {
    super(
      'connection_closed',
      describeClose(label, reason) +
        (noise === undefined ? '' : `\nBefore that ${describeNoise(noise)}`) +
        (mayHaveActed ? ACTED : ''),
      reason.kind === 'error' ? { cause: reason.error } : {},
    );
    this.reason = reason;
    this.mayHaveActed = mayHaveActed;
    this.exitCode = reason.kind === 'exit' ? (reason.code ?? undefined) : undefined;
    this.stderr = reason.kind === 'exit' ? reason.stderr : undefined;
  }
}

const ACTED =
  '\nThe request was on its way, so the server may have carried it out: look before you send it again';

/** The client has no connection at the moment. Nothing was sent. */
export class StateError extends McpError<'state'> {
  readonly state: StateName;
  readonly mayHaveActed = false;

  constructor(method: string, state: StateName, next: string, cause?: unknown) {
    super('state', `${method} was not sent, because the client is ${describeState(state)}; ${next}`, {
      cause,
    });
    this.state = state;
  }
}

function describeState(state: StateName): string {
  return state === 'backoff' ? 'waiting to connect again (state "backoff")' : `not ready (state "${state}")`;
}

/** The answer did not arrive in time. The request was cancelled on the server. */
export class TimeoutError extends McpError<'timeout'> {
  /** False when the time was over before the request could be sent. */
  readonly mayHaveActed: boolean;

  constructor(message: string, sent = true) {
    super('timeout', message);
    this.mayHaveActed = sent;
  }
}

/** The caller's signal ended the call. `cause` is the reason that the signal was aborted with. */
export class CancelledError extends McpError<'cancelled'> {
  readonly method: string;
  /** False when the signal fired before the request was sent. */
  readonly mayHaveActed: boolean;

  constructor(method: string, reason: unknown, sent: boolean, subject?: string) {
    super(
      'cancelled',
      `${describeRequest(method, subject)} was cancelled by its caller's signal (${wordsOf(reason)}); send it again if it is still wanted`,
      { cause: reason },
    );
    this.method = method;
    this.mayHaveActed = sent;
  }
}

function wordsOf(reason: unknown): string {
  return messageOf(reason) || 'no reason given';
}

/** What a program wrote to stdout that was no message. */
export interface Noise {
  readonly lines: number;
  readonly sample: string;
}

function describeNoise({ lines, sample }: Noise): string {
  const what = lines === 1 ? 'a line' : `${lines} lines`;
  return (
    `it wrote ${what} to stdout that ${lines === 1 ? 'is' : 'are'} not JSON, such as ${JSON.stringify(sample)}: ` +
    'an MCP server writes its messages there and nothing else, so send logs to stderr, or check the command'
  );
}

/** The server gave no answer at all for as long as it was allowed to take to start. */
export class StartTimeoutError extends McpError<'handshake_failed'> {
  readonly waitedMs: number;

  constructor(label: string, method: string, waitedMs: number, noise?: Noise) {
    const advice =
      noise === undefined
        ? 'raise initTimeout if it starts slowly, or check that it is an MCP server'
        : describeNoise(noise);
    super('handshake_failed', `${label} did not answer ${method} within ${waitedMs} ms; ${advice}`);
    this.waitedMs = waitedMs;
  }
}

/**
 * Whether the server may have carried out the request that failed with this, so that sending it again could do it
 * twice. An error that the server itself answered with counts: it may have failed half-way.
 */
export function mayHaveActed(error: unknown): boolean {
  if (error instanceof McpError && UNSENT.has(error.code)) return false;
  if (typeof error !== 'object' || error === null || !('mayHaveActed' in error)) return true;
  return error.mayHaveActed !== false;
}

/** Failures before anything was sent, or instead of it. */
const UNSENT: ReadonlySet<string> = new Set<ClientErrorCode>([
  'state',
  'not_supported',
  'invalid_argument',
  'no_common_revision',
  'handshake_failed',
  'unsupported_target',
  'unknown_name',
]);

/** Thrown by an elicitation, sampling or roots handler to say that the user does not want to. */
export class RefusedError extends McpError<'refused'> {
  constructor(message = 'The user refused the request') {
    super('refused', message);
  }
}

/** The JSON-RPC code for a refusal by the user (sampling, error handling). */
export const USER_REFUSED = -1;

/** Ends a handler with the user's refusal. */
export function refuse(message?: string): never {
  throw new RefusedError(message);
}

/** The words of whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const STDERR_SHOWN = 2_000;

function describeClose(label: string, reason: CloseReason): string {
  switch (reason.kind) {
    case 'local':
      return `The connection to ${label} was closed by this client; connect() again to go on`;
    case 'remote': {
      const detail = reason.detail === undefined ? '' : ` (${reason.detail})`;
      return `The server ${label} closed the connection${detail}; check its log, and connect() again unless the client is doing so (client.state)`;
    }
    case 'error':
      return `The connection to ${label} failed: ${reason.error.message}; check that the server is reachable and connect() again`;
    case 'exit':
      return `The server process ${label} ended ${describeExit(reason)}`;
  }
}

function describeExit(reason: Extract<CloseReason, { kind: 'exit' }>): string {
  const how = reason.signal === null ? `with exit code ${reason.code}` : `by signal ${reason.signal}`;
  const tail = reason.stderr.trim().slice(-STDERR_SHOWN);
  if (tail === '' && reason.code === 0)
    return `${how} and wrote nothing to stderr; check that it serves stdio, and does not end by itself`;
  if (tail === '') return `${how} and wrote nothing to stderr; run the command by hand to see why`;
  return `${how}; its last stderr lines:\n${tail}`;
}

/** `tools/call of "forecast"` */
export function describeRequest(method: string, subject: string | undefined): string {
  return subject === undefined ? method : `${method} of ${JSON.stringify(subject.slice(0, SUBJECT_SHOWN))}`;
}

const SUBJECT_SHOWN = 200;

export function timeoutError(what: string, waited: number, progressed: boolean, sent = true): TimeoutError {
  if (!sent) {
    return new TimeoutError(
      `${what} was not sent within ${waited} ms, because the connection did not open; check that the server is reachable`,
      false,
    );
  }
  const hint = progressed
    ? 'the server kept reporting progress; raise maxTimeout if that is normal'
    : 'raise timeout, or pass onProgress so that progress extends it, if the server needs longer';
  return new TimeoutError(`${what} was not answered within ${waited} ms and was cancelled; ${hint}`);
}

/** The reason that is sent to the server: the caller's own, where it aborted with one or received one. */
export function cancelReason(reason: unknown): string {
  if (typeof reason === 'string') return reason;
  if (reason instanceof ProtocolError) return reason.message;
  if (reason instanceof McpError && typeof reason.cause === 'string') return reason.cause;
  return 'Cancelled by the caller';
}

export function notSupported(what: string, next: string): McpError<'not_supported'> {
  return new McpError('not_supported', `${what}; ${next}`);
}

export function invalidResult(method: string, problem: string, cause?: unknown): McpError<'invalid_result'> {
  return new McpError(
    'invalid_result',
    `The server's answer to ${method} is not valid: ${problem}; report this to the server's author`,
    cause === undefined ? {} : { cause },
  );
}

export function sendError(label: string, id: RequestId, cause: unknown): TransportError {
  return new TransportError(
    'connection_closed',
    `Request ${id} could not be sent to ${label}: ${messageOf(cause)}; connect() again`,
    {
      cause,
    },
  );
}
