import type { CallOptions } from '../../client/index.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { printable } from '../../protocol/display.js';
import { ProtocolError } from '../../protocol/errors.js';
import type { CallToolResult, Tool } from '../../protocol/index.js';
import { nearest } from '../../protocol/option-names.js';
import { argumentHint, undeclaredArguments } from '../arguments/argument-hints.js';
import { assign, parseAssignment } from '../arguments/assignments.js';
import { readDocument, readsStdin } from '../arguments/document.js';
import { givenArguments } from '../arguments/given-files.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import type { AskFlags, ConnectionFlags } from '../options/flags.js';
import { renderToolResult } from '../output/content.js';
import { bytesOfBlocks, save } from '../output/save.js';
import { describeResumption } from '../output/task.js';
import { type CommandSession, withSession } from '../session/session.js';
import { type ResolvedTarget, resolveTarget } from '../target/target.js';

/** Names of tools are long, and one with four other letters is another tool. */
const MAX_MISSPELT = 3;

export interface CallFlags extends ConnectionFlags, AskFlags {
  readonly args?: string;
  readonly out?: string;
  /** Whether the tool may be called a second time. */
  readonly retry?: boolean;
}

export async function call(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: CallFlags,
): Promise<number> {
  const target = resolveTarget(words, command, flags);
  const [tool, ...rest] = target.rest;
  if (tool === undefined)
    throw new UsageError(
      `No tool name given; to see what is available, run: ${target.command('list', 'tools')}`,
    );
  // Mistakes that no server has to be started for.
  const given = givenArguments(rest);
  const { pairs } = given;
  for (const pair of pairs) parseAssignment(pair);
  const option = flags.args === undefined ? {} : readDocument('--args', flags.args);
  const base = { ...option, ...given.base };
  const dialog = !given.readsStdin && !readsStdin(flags.args) && !readsStdin(flags.answers);

  return withSession({ target, flags, method: 'tools/call', dialog }, async (session) => {
    const { args, listed } = await typedArguments(tool, pairs, base, session);
    const options = flags.retry === true ? { ...session.call, retry: true } : session.call;
    const known = listed?.find(({ name }) => name === tool);
    try {
      const result = await callTool(tool, args, options, session, target);
      const exitCode = showResult(`The tool "${tool}"`, result, session, flags);
      if (known !== undefined && exitCode === EXIT_OK)
        for (const [, hint] of undeclaredArguments(known, args)) session.note(`plumb: ${hint}`);
      return exitCode;
    } catch (error) {
      throw explained(error, session, (message) =>
        known === undefined
          ? withNameHint(message, tool, listed, target.command('list', 'tools'))
          : `${message}${argumentHint(known, args, message)}`,
      );
    }
  });
}

/** The server's refusal, with what the list of its tools has to say about it. */
function explained(error: unknown, session: CommandSession, explain: (message: string) => string): unknown {
  if (!(error instanceof ProtocolError || error instanceof CommandFailure)) return error;
  const failure = session.describe(error, 'tools/call');
  if (!(failure instanceof CommandFailure)) return failure;
  const { exitCode, details, message } = failure;
  return new CommandFailure(exitCode, explain(message), { details, cause: error });
}

/** For a name that the server does not list, which need not mean that it does not have it. */
function withNameHint(
  message: string,
  tool: string,
  listed: readonly Tool[] | undefined,
  listCommand: string,
): string {
  const next = `to see what is available, run: ${listCommand}`;
  const similar = nearest(
    tool,
    (listed ?? []).map(({ name }) => name),
    MAX_MISSPELT,
  );
  if (similar === undefined) return message.endsWith(next) ? message : `${message}; ${next}`;
  const [what = message] = message.split(`; ${next}`);
  return `${what}; did you mean "${similar}"? ${next.replace('to', 'To')}`;
}

/** A task of a server behind a URL outlives this command; others end with their server, and are cancelled before. */
async function callTool(
  tool: string,
  args: JsonObject,
  options: CallOptions,
  session: CommandSession,
  target: ResolvedTarget,
): Promise<CallToolResult> {
  const calling = new AbortController();
  const { signal } = options;
  const abort = (): void => calling.abort(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  const handle = await session.client.tools.start(tool, args, { ...options, signal: calling.signal });
  const { id } = handle;
  if (id === undefined || 'command' in target.target) return handle.result();
  signal?.removeEventListener('abort', abort);
  return session.unlessInterrupted(handle.result(), () => describeResumption(id, target));
}

/**
 * The list has the types of arguments, and whether the client may repeat the call if the server dies during
 * it.
 */
async function typedArguments(
  tool: string,
  pairs: readonly string[],
  base: JsonObject,
  { client, call: options }: CommandSession,
): Promise<{ args: JsonObject; listed: readonly Tool[] | undefined }> {
  const listing = client.tools.list(options);
  // Without arguments to convert, the list is not needed.
  const listed = await (pairs.length > 0 ? listing : listing.catch(() => undefined));
  const schema = listed?.find(({ name }) => name === tool)?.inputSchema;
  return { args: pairs.length > 0 ? assign(pairs, schema, base) : base, listed };
}

/** Prints the result of a call, and returns the exit code. `what` begins the message about a failure. */
export function showResult(
  what: string,
  result: CallToolResult,
  session: CommandSession,
  flags: Pick<CallFlags, 'json' | 'out'>,
): number {
  if (flags.out !== undefined)
    for (const line of save(flags.out, bytesOfBlocks(result.content))) session.note(line);
  if (flags.json === true) {
    session.json(result);
  } else if (result.isError === true) {
    const reason = printable(renderToolResult(result, session.out)).trim() || 'it did not say why';
    throw new CommandFailure(EXIT_FAILED, `${what} failed: ${reason}`);
  } else {
    const text = renderToolResult(result, session.out);
    if (text !== '') session.out.write(text.endsWith('\n') ? text : `${text}\n`);
  }
  return result.isError === true ? EXIT_FAILED : EXIT_OK;
}
