/** What a failed call or connection means for the person at the command line. */

import { ConnectionClosedError, classify, StartTimeoutError, TransportError } from '../../client/index.js';
import type { FailureKind } from '../../client/recovery/classify.js';
import { INTERNAL_ERROR } from '../../jsonrpc/codes.js';
import { isRecord, type JsonObject } from '../../jsonrpc/message.js';
import { singleLine } from '../../protocol/display.js';
import { McpError, ProtocolError } from '../../protocol/errors.js';
import { formatDuration } from '../options/flags.js';
import type { ResolvedTarget } from '../target/target.js';
import { CommandFailure, EXIT_FAILED, EXIT_TIMEOUT, EXIT_UNREACHABLE, UsageError } from './failure.js';

export interface FailureContext {
  /** What was being done. */
  readonly method: string;
  /** Whether the connection stood. */
  readonly connected: boolean;
  readonly target: ResolvedTarget;
  readonly timeout: number;
  /** Whether the user chose the protocol revisions. */
  readonly pinned: boolean;
  /** The last lines that the server wrote to stderr and that were not shown yet. */
  readonly stderr: readonly string[];
  /** Whether the user saw the server's stderr as it came. */
  readonly stderrShown: boolean;
  /** Where the server reports that it listens, on its stderr. */
  readonly servedAddress?: string | undefined;
}

export function describeFailure(error: unknown, context: FailureContext): CommandFailure | UsageError {
  if (error instanceof CommandFailure || error instanceof UsageError) return error;
  const denied = deniedBy(error);
  if (denied !== undefined) return failure(context, singleLine(denied.message), error);
  if (error instanceof ProtocolError) return refusedByServer(error, context);
  if (error instanceof ConnectionClosedError) return closed(error, context);
  if (error instanceof StartTimeoutError) return neverAnswered(error, context);
  if (!(error instanceof McpError)) {
    const message = error instanceof Error ? error.message : String(error);
    return failure(context, singleLine(message) || 'Unknown error', error);
  }
  return local(error, context);
}

/** The refusal of our credentials, wherever in the chain of causes it is. */
function deniedBy(error: unknown): TransportError | undefined {
  if (!(error instanceof Error)) return undefined;
  const denied =
    error instanceof TransportError && (error.code === 'unauthorized' || error.code === 'forbidden');
  return denied ? error : deniedBy(error.cause);
}

function refusedByServer(error: ProtocolError, context: FailureContext): CommandFailure {
  const { method, target, stderr } = context;
  const required = isRecord(error.data) ? error.data.requiredCapabilities : undefined;
  const next = isRecord(required) ? capabilityHint(required) : HINTS[classify(method, error)]?.(target);
  const message = `The server answered ${method} with an error: ${singleLine(error.message)} (${error.rpcCode})`;
  // A server with an internal error usually explains it on stderr.
  const details = error.rpcCode === INTERNAL_ERROR ? stderr : [];
  return new CommandFailure(EXIT_FAILED, next === undefined ? message : `${message}; ${next}`, {
    details,
    cause: error,
  });
}

const HINTS: { readonly [Kind in FailureKind]?: (target: ResolvedTarget) => string } = {
  unknown_tool: (target) => `to see what is available, run: ${target.command('list', 'tools')}`,
  unknown_prompt: (target) => `to see what is available, run: ${target.command('list', 'prompts')}`,
  resource_not_found: (target) => `to see what is available, run: ${target.command('list', 'resources')}`,
  unknown_reference: (target) => `to see what is available, run: ${target.command('list')}`,
};

/** The server requires a capability that a flag of this command provides. */
function capabilityHint({ sampling, roots }: JsonObject): string | undefined {
  const flags = [
    ...(sampling === undefined ? [] : ['--sample-text TEXT']),
    ...(roots === undefined ? [] : ['--root PATH']),
  ];
  return flags.length === 0 ? undefined : `run it with ${flags.join(' and ')}`;
}

function closed(error: ConnectionClosedError, context: FailureContext): CommandFailure {
  const { reason } = error;
  if (reason.kind !== 'exit') return failure(context, firstClause(error.message), error);
  const how = reason.signal === null ? `with exit code ${reason.code}` : `by signal ${reason.signal}`;
  const when = context.connected ? `during ${context.method}` : 'before it answered';
  const isQuiet = reason.code === 0 && !context.connected && context.stderr.length === 0;
  const words = isQuiet ? NEVER_SERVED : lastWords(context);
  return failure(context, `The server ended ${how} ${when}; ${words}`, error);
}

/** A program that ends as if it were done, and writes nothing. */
const NEVER_SERVED =
  'it did not serve stdio: check that it calls server.stdio(), or connects a transport for stdio, and waits for it';

function lastWords({ stderr, stderrShown }: FailureContext): string {
  if (stderr.length > 0) return 'its last stderr lines:';
  return stderrShown
    ? 'its stderr is above'
    : 'it wrote nothing to stderr; run the command yourself to see why';
}

/** Slow or no server at all: from outside they look the same. */
function neverAnswered(error: StartTimeoutError, context: FailureContext): CommandFailure {
  const what = `The server did not answer within ${formatDuration(error.waitedMs)}`;
  const more = 'allow more with --connect-timeout, or check that it is an MCP server';
  if (!('command' in context.target.target)) return failure(context, `${what}; ${more}`, error);
  const { servedAddress } = context;
  const advice =
    servedAddress === undefined
      ? `${more} (many need an option such as --stdio)`
      : `it seems to serve HTTP: use the URL ${servedAddress}, or give the server an option such as --stdio`;
  return failure(context, `${what}, though its process runs; ${advice}; ${lastWords(context)}`, error);
}

function local(error: McpError, context: FailureContext): CommandFailure {
  const { method, timeout, stderr } = context;
  switch (error.code) {
    case 'timeout':
      return new CommandFailure(
        EXIT_TIMEOUT,
        `${method} was not answered within ${formatDuration(timeout)} and was cancelled; allow more with --timeout`,
        { details: stderr, cause: error },
      );
    case 'handshake_failed':
      return handshakeFailed(error, context);
    case 'no_common_revision':
      return failure(context, `${firstClause(error.message)}; choose another --revision`, error);
    case 'unsupported_target':
      return failure(
        context,
        `${firstClause(error.message)}; give an http(s) URL, or a command after --`,
        error,
      );
    case 'not_supported':
      return new CommandFailure(
        EXIT_FAILED,
        `${firstClause(error.message)}; to see what is available, run: ${context.target.command('list')}`,
        { cause: error },
      );
    case 'input_refused':
    case 'input_failed':
      return new CommandFailure(EXIT_FAILED, firstClause(error.message), { cause: error });
    default:
      return failure(context, singleLine(error.message), error);
  }
}

function handshakeFailed(error: McpError, context: FailureContext): CommandFailure {
  const message = singleLine(error.message);
  const [, what = message, advice = 'check that it is an MCP server'] = /^(.*); (.*?)$/.exec(message) ?? [];
  const next = context.pinned ? 'try without --revision' : advice.replace('initTimeout', '--connect-timeout');
  const words = context.stderr.length === 0 ? '' : '; its last stderr lines:';
  return failure(context, `${what}; ${next}${words}`, error);
}

/** Of the connection, if it does not stand yet; otherwise of the call. */
function failure({ connected, stderr }: FailureContext, message: string, cause: unknown): CommandFailure {
  return new CommandFailure(connected ? EXIT_FAILED : EXIT_UNREACHABLE, message, { details: stderr, cause });
}

/** The library's messages go on, after a semicolon, with advice for programmers. */
function firstClause(message: string): string {
  return singleLine(message.split('; ')[0] ?? message);
}
