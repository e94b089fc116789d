import { includesAll } from '../../auth/client/scopes.js';
import { type Client, connect } from '../../client/index.js';
import { printable } from '../../protocol/display.js';
import { describeFailure } from '../failure/describe-failure.js';
import { CommandFailure, UsageError } from '../failure/failure.js';
import { DEFAULT_TIMEOUT_MS } from '../options/flags.js';
import {
  type AccountFlags,
  openCredentials,
  openedBrowser,
  protectedUrl,
  type RegistrationFlags,
  registeredClient,
} from '../session/credentials.js';
import { Interruption } from '../session/interruption.js';
import { type ResolvedTarget, resolveTarget, type TargetFlags } from '../target/target.js';

export interface LoginFlags extends Pick<TargetFlags, 'config'>, RegistrationFlags, AccountFlags {
  readonly scope?: readonly string[];
  readonly browser?: boolean;
}

export async function login(words: readonly string[], flags: LoginFlags): Promise<number> {
  const target = loginTarget(words, flags, 'login');
  const url = urlOf(target);
  const interruption = new Interruption();
  const { signal } = interruption;
  const note = (text: string): void => void process.stderr.write(`${printable(text)}\n`);
  let client: Client | undefined;
  try {
    const auth = await openCredentials(await openedBrowser({ signal, note }, flags.browser !== false), {
      ...(flags.scope === undefined ? {} : { scopes: flags.scope }),
      ...registeredClient(flags),
      account: flags.account ?? target.account,
    });
    const server = auth.forServer(url);
    const before = await server.status();
    if (before !== undefined && !includesAll(before.scopes ?? [], flags.scope ?? []))
      await server.login(flags.scope);
    client = await connect(target.target, { name: 'plumb', title: 'Plumb command line', auth, signal });
    // Some servers accept `initialize` without credentials, and require them for other requests.
    if (client.capabilities.tools !== undefined) await client.tools.list({ signal });
    const status = await server.status();
    process.stdout.write(`${describe(url, status, before !== undefined)}\n`);
    return 0;
  } catch (error) {
    if (interruption.exitCode !== undefined) {
      throw new CommandFailure(interruption.exitCode, 'Interrupted', { cause: error });
    }
    const connected = client !== undefined;
    throw describeFailure(error, {
      method: 'login',
      connected,
      target,
      timeout: DEFAULT_TIMEOUT_MS,
      pinned: false,
      stderr: [],
      stderrShown: false,
    });
  } finally {
    await client?.close();
    interruption.release();
  }
}

export function loginTarget(
  words: readonly string[],
  flags: Pick<TargetFlags, 'config'>,
  verb: string,
): ResolvedTarget {
  const target = resolveTarget(words, undefined, flags);
  if (target.rest.length > 0)
    throw new UsageError(`Too many arguments: ${target.rest.join(' ')}; see plumb ${verb} --help`);
  return target;
}

export function urlOf(target: ResolvedTarget): URL {
  const url = protectedUrl(target);
  if (url !== undefined) return url;
  throw new UsageError(
    'A login is for servers behind a URL that get no Authorization header from the config file',
  );
}

interface Status {
  readonly issuer: string;
  readonly scopes: readonly string[] | undefined;
}

function describe({ origin, pathname }: URL, status: Status | undefined, before: boolean): string {
  const place = `${origin}${pathname}`;
  if (status === undefined) return `${place} needs no login`;
  const scopes = status.scopes === undefined ? '' : `, for: ${status.scopes.join(' ')}`;
  return `Logged in to ${place} at ${status.issuer}${scopes}${before ? ' (you were already)' : ''}`;
}
