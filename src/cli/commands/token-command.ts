/** A command of the user's that prints a token, so that expiry, audience and scope can be judged. */

import { singleLine } from '../../protocol/display.js';
import { spawnChild } from '../../transports/stdio/child.js';
import type { ValidateOptions } from '../../validate/index.js';
import type { TokenWish } from '../../validate/probe.js';
import type { ValidationTarget } from '../../validate/target.js';
import { urlTarget } from '../../validate/target.js';
import { UsageError } from '../failure/failure.js';

const MINT_MS = 15_000;
const MAX_WORDS = 300;

/** Runs the command, without a shell, for each token that is wanted. */
export function tokenCommand(line: string): NonNullable<ValidateOptions['mintToken']> {
  const [command, ...args] = words(line);
  if (command === undefined) throw new UsageError('--token-command needs a command');
  // The same token serves every revision.
  const minted = new Map<string, Promise<string | undefined>>();
  return (wanted) => {
    const key = JSON.stringify([wanted.scope, wanted.audience, wanted.expired]);
    const known = minted.get(key) ?? mint(command, args, wanted);
    minted.set(key, known);
    return known;
  };
}

async function mint(
  command: string,
  args: readonly string[],
  { scope, audience, expired = false }: TokenWish,
): Promise<string | undefined> {
  const env: Record<string, string> = {
    ...(scope === undefined ? {} : { TOKEN_SCOPE: scope }),
    ...(audience === undefined ? {} : { TOKEN_AUDIENCE: audience }),
    ...(expired ? { TOKEN_EXPIRED: '1' } : {}),
  };
  const child = await spawnChild({ command, args: [...args], env, inheritEnv: true });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stdin.on('error', () => {});
  child.stdin.end();
  const timer = setTimeout(() => void child.shutdown(), MINT_MS);
  const { code } = await child.ended;
  clearTimeout(timer);
  const token = Buffer.concat(chunks).toString('utf8').trim();
  if (code === 0 && token !== '') return token;
  // A wrong token is the fault of the server, a missing one that of the command: its words help.
  const words = child.stderrTail().trim();
  if (words !== '') process.stderr.write(`--token-command: ${singleLine(words.slice(-MAX_WORDS))}\n`);
  return undefined;
}

/** The target with a token of the command, where the user gave none. */
export async function withToken(
  target: ValidationTarget,
  mintToken: ValidateOptions['mintToken'],
): Promise<ValidationTarget> {
  if (mintToken === undefined || target.kind === 'stdio') return target;
  const { url, headers, kind } = target;
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) return target;
  const token = await mintToken({ audience: url.href });
  if (token === undefined)
    throw new UsageError(
      `--token-command printed no token for TOKEN_AUDIENCE=${url.href}, or exited with an error`,
    );
  return urlTarget(url, { headers: { ...headers, authorization: `Bearer ${token}` }, transport: kind });
}

/** Words between blanks; quotes keep blanks together. */
function words(line: string): readonly string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) =>
    String(double ?? single ?? plain),
  );
}
