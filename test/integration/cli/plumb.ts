import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** The command as users get it; the test command builds it first. */
const MAIN = `${root}dist/cli/plumb.cjs`;

export const DEMO: readonly string[] = ['--', process.execPath, MAIN, 'demo', '--stdio'];

export const EVERYTHING: readonly string[] = [
  '--',
  process.execPath,
  `${root}node_modules/@modelcontextprotocol/server-everything/dist/index.js`,
  'stdio',
];

/** The command after `--` that runs a file of test/integration/cli/fixtures. */
export function fixture(name: string, ...args: string[]): string[] {
  return ['--', process.execPath, fileURLToPath(new URL(`./fixtures/${name}.mjs`, import.meta.url)), ...args];
}

export interface RunOptions {
  readonly input?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Keeps what is said of a server that starts slowly, as any does on a busy machine. Default: false. */
  readonly startNotices?: boolean;
}

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Running {
  readonly process: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly ended: Promise<Ended>;
}

export function start(
  words: readonly string[],
  { input = '', cwd = root, env = {} }: RunOptions = {},
): Running {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, env: { ...process.env, ...env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { process: child, stdout: () => stdout, stderr: () => stderr, ended };
}

const START_NOTICE = /^plumb: (?:the server is still starting; .*|still starting, \d+ s)\n/gm;

/** Runs `plumb` to its end. */
export async function plumb(words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const ended = await start(words, options).ended;
  if (options.startNotices === true) return ended;
  return { ...ended, stderr: ended.stderr.replaceAll(START_NOTICE, '') };
}
