/** The `plumb` command of the installed package. */

import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { environment } from './servers.js';
import type { Workspace } from './workspace.js';

const INSTALLED = process.env.PLUMB_INSTALLED;
if (INSTALLED === undefined) throw new Error('Run the journeys with: npm test -- --only journeys');

/** The folder in which the package is installed. */
export const installed: string = INSTALLED;

/** The file that npm links as `plumb`. */
export const PLUMB: string = join(installed, 'node_modules', 'plumb-mcp', 'dist', 'cli', 'plumb.cjs');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  stdout(): string;
  stderr(): string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** A process group of its own, as a terminal gives it. */
  readonly detached?: boolean;
  readonly keepStdin?: boolean;
}

/** Starts a program in the workspace, with its mark. */
export function startProgram(
  workspace: Workspace,
  command: string,
  args: readonly string[],
  { env = {}, cwd = workspace.path('repository'), detached = false, keepStdin = false }: RunOptions = {},
): Running {
  const child = spawn(command, args, {
    cwd,
    env: { ...environment(workspace), NO_COLOR: '1', ...env },
    detached,
    stdio: [keepStdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { process: child, ended, stdout: () => stdout, stderr: () => stderr };
}

export function startPlumb(workspace: Workspace, words: readonly string[], options?: RunOptions): Running {
  return startProgram(workspace, process.execPath, [PLUMB, ...words], options);
}

/** Runs `plumb` to its end. */
export function plumb(workspace: Workspace, ...words: string[]): Promise<Ended> {
  return startPlumb(workspace, words).ended;
}

/** Runs `plumb` until the test ends, and waits until it printed its address. */
export async function serve(
  test: Test,
  workspace: Workspace,
  words: readonly string[],
  options?: RunOptions,
): Promise<Running & { readonly url: string }> {
  const running = startPlumb(workspace, words, options);
  stopAfter(test, running);
  return { ...running, url: await found(running, /(http:\/\/\S+?\/mcp)\b/) };
}

/** Waits until a program printed what the pattern looks for, and returns its first group. */
export function found(running: Running, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const match = pattern.exec(running.stdout() + running.stderr());
      if (match !== null) resolve(match[1] ?? match[0]);
    };
    running.process.stdout?.on('data', look);
    running.process.stderr?.on('data', look);
    running.ended.then(
      ({ code, stdout, stderr }) =>
        reject(new Error(`ended with ${code} without ${pattern}:\n${stdout}${stderr}`)),
      reject,
    );
    look();
  });
}

/** Of tests that run at the same time, only its context knows which one is meant. */
export type Test = Pick<TestContext, 'onTestFinished'>;

export function stopAfter({ onTestFinished }: Test, running: Running): void {
  onTestFinished(async () => {
    running.process.kill('SIGTERM');
    await running.ended;
  });
}
