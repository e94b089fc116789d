/** One connection for one command: opened, used, and closed again whatever happens. */

import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CallOptions,
  type Client,
  ConnectionClosedError,
  type ConnectOptions,
  connect,
} from '../../client/index.js';
import { safeJson, singleLine } from '../../protocol/display.js';
import type { Root } from '../../protocol/index.js';
import type { LogMessageParams } from '../../protocol/model/logging.js';
import { Dialog } from '../answers/dialog.js';
import { createElicitHandler } from '../answers/elicit.js';
import { type GivenAnswers, readAnswers } from '../answers/given.js';
import { createSampleHandler } from '../answers/sample.js';
import { describeFailure, type FailureContext } from '../failure/describe-failure.js';
import { CommandFailure, type UsageError } from '../failure/failure.js';
import { type AskFlags, type ConnectionFlags, connectLimit, DEFAULT_TIMEOUT_MS } from '../options/flags.js';
import { checkRevisions } from '../options/revisions.js';
import { StatusLine } from '../output/status.js';
import { describeTask } from '../output/task.js';
import { createTerminal, type Terminal } from '../output/terminal.js';
import type { ResolvedTarget } from '../target/target.js';
import { offerLogin, openCredentials, protectedUrl } from './credentials.js';
import { Interruption } from './interruption.js';
import { StartNotice } from './start-notice.js';
import { StderrLog } from './stderr-log.js';

export interface CommandSession {
  readonly client: Client;
  /** Options for each call: the interruption, and progress. */
  readonly call: CallOptions;
  readonly out: Terminal;
  /** For words beside the result, on stderr. */
  note(text: string): void;
  /** One JSON document, and nothing else. */
  json(value: unknown): void;
  /** What this failure of a request means for the user, for a command that goes on after it. */
  describe(error: unknown, method: string): CommandFailure | UsageError;
  /** Waits for it; when the command is interrupted meanwhile, notes what can still be done, and ends. */
  unlessInterrupted<T>(promise: Promise<T>, advice: () => string): Promise<T>;
}

export interface CommandSessionOptions {
  readonly target: ResolvedTarget;
  readonly flags: ConnectionFlags & AskFlags;
  /** The method that the command is about, for error messages. */
  readonly method: string;
  /** False when stdin is used for something else. */
  readonly dialog?: boolean;
}

/** How often a server that dies is started again before the command fails. */
const MAX_RETRIES = 3;

/** Returns the exit code. */
export async function withSession(
  options: CommandSessionOptions,
  work: (session: CommandSession) => Promise<number>,
): Promise<number> {
  const { target, flags, method } = options;
  const revisions = checkRevisions('--revision', flags.revision);
  const roots = flags.root?.map(rootOf);
  const answers = readAnswers(flags);

  const interruption = new Interruption();
  const status = new StatusLine(createTerminal(process.stderr));
  const stderr = new StderrLog(flags.stderr === true, status);
  const dialog = openDialog(options, status, interruption);
  const timeout = flags.timeout ?? DEFAULT_TIMEOUT_MS;
  const initTimeout = connectLimit(flags, target);
  const starting = 'command' in target.target ? new StartNotice(status, stderr, initTimeout) : undefined;
  const out = resultTerminal(status);
  const context = (error: unknown, failed: string): Omit<FailureContext, 'connected'> => ({
    method: failed,
    target,
    timeout,
    pinned: revisions !== undefined,
    stderr: stderr.unseen(stderrOf(error)),
    stderrShown: stderr.shown,
    servedAddress: stderr.servedAddress,
  });
  let client: Client | undefined;
  try {
    const handlers = askHandlers(flags, answers, dialog, roots, status);
    const { signal } = interruption;
    const auth =
      protectedUrl(target, flags) === undefined
        ? undefined
        : await openCredentials(await offerLogin(dialog, { signal, note: (text) => status.print(text) }), {
            account: flags.account ?? target.account,
          });
    client = await connect(stderr.listenTo(target.target), {
      name: 'plumb',
      title: 'Plumb command line',
      timeout,
      signal,
      recover: { maxRetries: MAX_RETRIES },
      whenNotReady: 'wait',
      ...(auth === undefined ? {} : { auth }),
      initTimeout,
      ...(revisions === undefined ? {} : { revisions }),
      ...handlers,
      ...(flags.verbose === true ? verbose(status) : {}),
    });
    starting?.end();
    stderr.conceal();
    tellOfRecovery(client, status);
    const describe = (error: unknown, failed: string): CommandFailure | UsageError =>
      describeFailure(error, { ...context(error, failed), connected: true });
    return await work({
      describe,
      client,
      call: {
        signal: interruption.signal,
        onProgress: (progress) => status.progress(progress),
        onStatus: (task) => status.show(describeTask(task)),
      },
      out,
      note: (text) => status.print(text),
      json: (value) => out.write(`${safeJson(value, 2)}\n`),
      unlessInterrupted: (promise, advice) =>
        untilAborted(promise, interruption.signal, () => status.print(advice())),
    });
  } catch (error) {
    status.clear();
    if (interruption.exitCode !== undefined) {
      throw new CommandFailure(interruption.exitCode, 'Interrupted', { cause: error });
    }
    throw describeFailure(error, { ...context(error, method), connected: client !== undefined });
  } finally {
    starting?.end();
    status.clear();
    dialog?.close();
    await client?.close();
    interruption.release();
  }
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal, aborted: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      aborted();
      reject(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** One line for a connection that was restored; one that failed for good is reported at the end. */
function tellOfRecovery(client: Client, status: StatusLine): void {
  let lost: unknown;
  client.on('state', ({ state, error }) => {
    if (state !== 'ready') lost ??= error;
    else if (lost instanceof Error) {
      status.print(`plumb: ${singleLine(lost.message.split(/; |\n/)[0] ?? '')}; connected again`);
      lost = undefined;
    }
  });
}

/** Stdout, which often is the same screen as stderr: the status must not stand where the result begins. */
function resultTerminal(status: StatusLine): Terminal {
  const stdout = createTerminal(process.stdout);
  return {
    ...stdout,
    write: (text) => {
      status.clear();
      stdout.write(text);
    },
  };
}

/** A server may have been started twice, and the one that failed is the last. */
function stderrOf(error: unknown): string | undefined {
  return error instanceof ConnectionClosedError ? error.stderr : undefined;
}

function rootOf(path: string): Root {
  const absolute = resolve(path);
  return { uri: pathToFileURL(absolute).href, name: basename(absolute) || absolute };
}

/** The user can answer when both stdin and stderr are terminals. */
function openDialog(
  { dialog }: CommandSessionOptions,
  status: StatusLine,
  interruption: Interruption,
): Dialog | undefined {
  const { stdin, stderr } = process;
  if (dialog === false || !stdin.isTTY || !stderr.isTTY) return undefined;
  return new Dialog({ input: stdin, output: stderr, status, onInterrupt: () => interruption.raise() });
}

function askHandlers(
  flags: AskFlags,
  answers: GivenAnswers,
  dialog: Dialog | undefined,
  roots: readonly Root[] | undefined,
  status: StatusLine,
): Pick<ConnectOptions, 'elicit' | 'sample' | 'sampleTools' | 'roots'> {
  return {
    elicit: createElicitHandler({ answers, dialog, note: (text) => status.print(`plumb: ${text}`) }),
    sample: createSampleHandler(flags.sampleText, dialog),
    sampleTools: true,
    roots,
  };
}

function verbose(status: StatusLine): Pick<ConnectOptions, 'logLevel' | 'onLog' | 'onFault'> {
  return {
    logLevel: 'debug',
    onLog: (message) => status.print(describeLog(message)),
    onFault: (fault) => status.print(`plumb: ${singleLine(fault.message)}`),
  };
}

function describeLog({ level, logger, data }: LogMessageParams): string {
  const text = typeof data === 'string' ? data : (JSON.stringify(data) ?? 'undefined');
  const source = logger === undefined ? '' : ` ${singleLine(logger)}`;
  return `${level}${source}: ${singleLine(text)}`;
}
