/**
 * Programs as tools: `createCommandServer({ git: { args: ['log'] }, ls: {} })`. No shell is ever involved: what the model writes
 * stays an argument, and the program and its first arguments are the author's.
 */

import type { ChildProcess } from 'node:child_process';
import spawn from 'cross-spawn';
import { isRecord } from '../../jsonrpc/message.js';
import { type Duration, milliseconds } from '../../protocol/duration.js';
import { plainText } from '../../protocol/plain-text.js';
import { byteCount, type Size } from '../../protocol/size.js';
import { createServer, type Server, ToolError } from '../../server/index.js';
import { BodyBytes } from '../../transports/http/body-bytes.js';
import { bodyText } from '../../transports/http/node-body.js';
import { childEnvironment } from '../../transports/stdio/environment.js';
import { releaseGroup, signalGroup, startGroup } from '../../transports/stdio/process-group.js';
import { DEFAULT_MAX_PROCESSES, ProcessSlots } from '../process-slots.js';

export interface CommandOptions {
  /** The program, where it is not called like the tool. */
  readonly program?: string | undefined;
  /** Arguments that come before those of the caller. */
  readonly args?: readonly string[] | undefined;
  /** Shown to the model. Default: the first lines of the program's `--help`. */
  readonly description?: string | undefined;
  /** Flags that callers may set, by name: `{ 'max-count': 'number' }`. Others are refused. */
  readonly flags?: Readonly<Record<string, 'string' | 'number' | 'boolean'>> | undefined;
  /** Whether callers may add plain arguments; they may unless false. */
  readonly positional?: boolean | undefined;
  /** The folder it runs in. Default: that of this process. */
  readonly cwd?: string | undefined;
  /** Variables beside the usual ones. Default: none. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** True tells clients that it changes nothing. Default: false. */
  readonly readOnly?: boolean | undefined;
}

export interface CommandsOptions {
  /** How long a program may run. Default: 30 s. */
  readonly timeout?: Duration | undefined;
  /** Output beyond this is cut off. Default: 256 KB. */
  readonly maxOutputBytes?: Size | undefined;
  /** How many programs run at once; 16 by default. Up to 64 further calls wait for 20 s. */
  readonly maxProcesses?: number | undefined;
}

/** How long a pipe may stay open after the program is gone, because a process that left its group holds it. */
const OPEN_PIPE_MS = 500;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_OUTPUT = 256 * 1024;
const HELP_TIMEOUT_MS = 2_000;
const HELP_CHARACTERS = 1_000;

export async function serveCommands(
  tools: Readonly<Record<string, CommandOptions>>,
  options: CommandsOptions = {},
): Promise<Server> {
  const server = createServer({ name: 'commands', version: '1' });
  const limits = {
    timeoutMs: milliseconds(options.timeout ?? DEFAULT_TIMEOUT_MS),
    maxOutputBytes: byteCount(options.maxOutputBytes ?? DEFAULT_MAX_OUTPUT),
  };
  const max = options.maxProcesses ?? DEFAULT_MAX_PROCESSES;
  const slots = new ProcessSlots({
    max,
    refusal: () => new ToolError(`The limit of ${max} programs at once is reached; call again later`),
  });
  for (const [name, command] of Object.entries(tools)) {
    const description = command.description ?? (await helpOf(name, command, limits.maxOutputBytes));
    server.tool(
      name,
      {
        description,
        input: inputSchema(command),
        ...(command.readOnly === true ? { annotations: { readOnlyHint: true } } : {}),
      },
      async (given, ctx) => {
        const args = [...(command.args ?? []), ...toArguments(command, given)];
        const release = await slots.acquire(ctx.signal);
        const { code, output } = await run(name, command, args, limits, ctx.signal).finally(release);
        if (code === 0) return output;
        throw new ToolError(`${name} ended with exit code ${code}:\n${output}`);
      },
    );
  }
  return server;
}

function inputSchema({ flags = {}, positional }: CommandOptions) {
  const properties: Record<string, object> = Object.fromEntries(
    Object.entries(flags).map(([flag, type]) => [flag, { type, description: `--${flag}` }]),
  );
  if (positional !== false)
    properties.args = { type: 'array', items: { type: 'string' }, description: 'Further arguments' };
  return { type: 'object', properties, additionalProperties: false } as const;
}

/** `--flag=value` in one word: a value that begins with a dash cannot become a flag of its own. */
function toArguments({ flags = {} }: CommandOptions, given: unknown): string[] {
  const fields = isRecord(given) ? given : {};
  const words: string[] = [];
  for (const flag of Object.keys(flags)) {
    const value = fields[flag];
    if (value === undefined || value === false) continue;
    words.push(value === true ? `--${flag}` : `--${flag}=${String(value)}`);
  }
  const positional = Array.isArray(fields.args) ? fields.args.map(String) : [];
  for (const word of positional) {
    if (word.startsWith('-'))
      throw new ToolError(
        `${JSON.stringify(word)} looks like a flag, and only plain arguments are allowed here`,
      );
  }
  return [...words, ...positional];
}

interface Limits {
  readonly timeoutMs: number;
  readonly maxOutputBytes: number;
}

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

function run(
  name: string,
  { program = name, cwd, env }: CommandOptions,
  args: readonly string[],
  { timeoutMs, maxOutputBytes }: Limits,
  signal?: AbortSignal,
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void => {
      reject(new ToolError(`${program} could not be run`, { cause }));
    };
    let child: ChildProcess;
    try {
      child = startGroup(() =>
        spawn(program, [...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
          // Leads a group of its own, so that what it starts goes with it.
          detached: process.platform !== 'win32',
          windowsHide: true,
          env: childEnvironment({ env: env ?? {} }),
          ...(cwd === undefined ? {} : { cwd }),
        }),
      );
    } catch (error) {
      // Arguments that are too long, or no arguments at all: words with a NUL.
      fail(error);
      return;
    }
    const kept = new BodyBytes();
    let size = 0;
    const take = (chunk: Buffer): void => {
      if (size < maxOutputBytes) kept.add(chunk.subarray(0, maxOutputBytes - size));
      size += chunk.length;
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
    const leader = child.pid;
    let late = false;
    const kill = (): void => {
      if (leader !== undefined) signalGroup(leader, 'SIGKILL');
    };
    const timer = setTimeout(() => {
      late = true;
      kill();
    }, timeoutMs);
    if (signal?.aborted === true) kill();
    signal?.addEventListener('abort', kill, { once: true });
    let letGo: NodeJS.Timeout | undefined;
    const end = (): void => {
      clearTimeout(timer);
      clearTimeout(letGo);
      signal?.removeEventListener('abort', kill);
      if (leader !== undefined) releaseGroup(leader);
    };
    child.once('exit', () => {
      // What it left running in the background holds the pipes open, and must not outlive the call.
      kill();
      letGo = setTimeout(() => {
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, OPEN_PIPE_MS);
    });
    child.once('error', (error) => {
      end();
      fail(error);
    });
    child.once('close', (code) => {
      end();
      const cut = size > maxOutputBytes ? `\n[${size - maxOutputBytes} more bytes]` : '';
      const output = `${plainText(bodyText(kept))}${cut}`;
      resolve({ code, output: late ? `${output}\n[ended after ${timeoutMs} ms]` : output });
    });
  });
}

async function helpOf(name: string, command: CommandOptions, maxOutputBytes: number): Promise<string> {
  const fallback = `Runs ${command.program ?? name}.`;
  try {
    const limits = { timeoutMs: HELP_TIMEOUT_MS, maxOutputBytes };
    const { output } = await run(name, command, [...(command.args ?? []), '--help'], limits);
    return output.trim().slice(0, HELP_CHARACTERS) || fallback;
  } catch {
    return fallback;
  }
}
