/**
 * One child process, from spawn until nothing of it is left. It is never run through a shell, it leads its own process
 * group, and the group goes when it goes: on request in three steps (end of input, SIGTERM, SIGKILL), or at once when
 * the child ends by itself.
 */

import type { ChildProcess } from 'node:child_process';
import { statSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import spawn from 'cross-spawn';
import { createLineReader } from '../../framing/ndjson.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { TransportError } from '../errors.js';
import { childEnvironment, type EnvironmentOptions } from './environment.js';
import { endSurvivors, releaseGroup, signalGroup, startGroup } from './process-group.js';
import { StderrTail } from './stderr-tail.js';

const DEFAULT_GRACE_MS = 2_000;
/** How long the kernel may take to carry out SIGKILL. */
const KILL_MS = 2_000;
/** How long a pipe may stay open after the child is gone, because a process that left the group holds it. */
const OPEN_PIPE_MS = 500;
const MAX_STDERR_LINE_BYTES = 64 * 1024;

export interface ChildOptions extends EnvironmentOptions {
  /** The program. */
  readonly command: string;
  /** Its arguments. Default: none. */
  readonly args?: readonly string[] | undefined;
  /** The folder it runs in. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** `capture` (the default) keeps the last 64 KiB for error reports; `inherit` shows it on our own stderr. */
  readonly stderr?: 'capture' | 'inherit' | undefined;
  /** Each line that the child logs. Servers log there freely: it says nothing about success or failure. */
  readonly onStderr?: ((line: string) => void) | undefined;
  /** How long the process may take to leave on `close`, step by step. */
  readonly shutdown?: ShutdownTimings | undefined;
}

export interface ShutdownTimings {
  /** How long the child may take to leave after the end of its input. Default: 2 s. */
  readonly endOfInput?: Duration | undefined;
  /** How long it may take to leave after SIGTERM, before SIGKILL. Default: 2 s. */
  readonly terminate?: Duration | undefined;
}

export interface ChildEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

export interface Child {
  readonly pid: number;
  readonly stdin: Writable;
  readonly stdout: Readable;
  stderrTail(): string;
  /** Resolves when the process has ended and everything it wrote has been read. */
  readonly ended: Promise<ChildEnd>;
  /** Ends the process and resolves when its whole group is gone. The end of its input is the caller's to send. */
  shutdown(): Promise<void>;
}

/** Resolves when the process runs; rejects with what to do about it when it cannot. */
export async function spawnChild(options: ChildOptions): Promise<Child> {
  let child: ChildProcess;
  try {
    child = startGroup(() =>
      spawn(options.command, options.args ?? [], {
        cwd: options.cwd,
        env: childEnvironment(options),
        stdio: ['pipe', 'pipe', options.stderr === 'inherit' ? 'inherit' : 'pipe'],
        shell: false,
        detached: process.platform !== 'win32',
        windowsHide: true,
      }),
    );
    await spawned(child);
  } catch (error) {
    throw spawnFailure(options, error);
  }
  const { pid, stdin, stdout } = child;
  if (pid === undefined || stdin === null || stdout === null) {
    throw spawnFailure(options, new Error('no pipes to the process'));
  }
  return supervise(options, child, pid, stdin, stdout);
}

function supervise(
  options: ChildOptions,
  child: ChildProcess,
  pid: number,
  stdin: Writable,
  stdout: Readable,
): Child {
  const endOfInputMs = milliseconds(options.shutdown?.endOfInput ?? DEFAULT_GRACE_MS);
  const terminateMs = milliseconds(options.shutdown?.terminate ?? DEFAULT_GRACE_MS);

  let abandon = (): void => {};
  const exited = new Promise<ChildEnd>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    abandon = () => resolve({ code: null, signal: null });
  });
  const pipesClosed = new Promise<void>((resolve) => {
    child.once('close', () => resolve());
  });
  const groupGone = exited.then(async () => {
    await endSurvivors(pid, terminateMs);
    releaseGroup(pid);
  });
  const ended = exited.then(async (end) => {
    if (!(await within(OPEN_PIPE_MS, pipesClosed))) {
      // If we were busy until now, what the child wrote is still in the pipe: one turn of the loop reads it.
      await new Promise((resolve) => setImmediate(resolve));
      stdout.destroy();
      child.stderr?.destroy();
    }
    return end;
  });

  let shuttingDown: Promise<void> | undefined;
  async function endProcess(): Promise<void> {
    if (await within(endOfInputMs, exited)) return groupGone;
    signalGroup(pid, 'SIGTERM');
    if (await within(terminateMs, exited)) return groupGone;
    signalGroup(pid, 'SIGKILL');
    // A process that even SIGKILL does not reach (another user's, or stuck in the kernel) must not hang the caller.
    if (await within(KILL_MS, groupGone)) return;
    abandon();
    stdin.destroy();
    child.unref();
  }
  function shutdown(): Promise<void> {
    shuttingDown ??= endProcess();
    return shuttingDown;
  }

  const tail = new StderrTail();
  if (child.stderr !== null) captureStderr(child.stderr, tail, options.onStderr);
  return { pid, stdin, stdout, stderrTail: () => tail.text(), ended, shutdown };
}

function captureStderr(
  stderr: Readable,
  tail: StderrTail,
  onStderr: ((line: string) => void) | undefined,
): void {
  stderr.on('data', (chunk: Uint8Array) => tail.push(chunk));
  stderr.on('error', () => {});
  if (onStderr === undefined) return;
  const reader = createLineReader({
    maxLineBytes: MAX_STDERR_LINE_BYTES,
    onLine: onStderr,
    onOversize: (bytes, sample) => onStderr(`${sample}... (${bytes} bytes)`),
  });
  stderr.on('data', (chunk: Uint8Array) => reader.push(chunk));
  stderr.on('end', () => reader.end());
}

function spawned(child: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    child.once('spawn', resolve);
    // Stays for good: a failed kill() is reported here too, and must not become an uncaught exception.
    child.on('error', reject);
  });
}

function spawnFailure(options: ChildOptions, cause: unknown): TransportError {
  return new TransportError(
    'spawn_failed',
    `${explain(options, cause)} (starting ${quote(options.command)})`,
    { cause },
  );
}

function explain({ command, cwd }: ChildOptions, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  // The system reports a missing working directory as if the command were missing.
  if (cwd !== undefined && (code === 'ENOENT' || code === 'ENOTDIR') && !isDirectory(cwd)) {
    return `The working directory ${quote(cwd)} does not exist`;
  }
  if (code === 'ENOENT' && /\s/.test(command))
    return `Command not found: ${quote(command)}. Pass the words after the first one in "args"`;
  if (code === 'ENOENT')
    return `Command not found: ${quote(command)}. Check that it is installed and on the PATH`;
  if (code === 'EACCES') return `Command not executable: ${quote(command)}. Check its permissions`;
  return cause instanceof Error ? cause.message : String(cause);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** Whether the promise resolved in time. */
async function within(milliseconds: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([promise.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}
