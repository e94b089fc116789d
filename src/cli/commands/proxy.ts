import { chain, type Destination } from '../../chain/index.js';
import { log } from '../../middleware/index.js';
import { logWord, singleLine } from '../../protocol/display.js';
import { protectedUrl } from '../credentials.js';
import { UsageError } from '../failure.js';
import type { ListenFlags } from '../http-options.js';
import { checkRevisions } from '../revisions.js';
import { serveChain } from '../serve-chain.js';
import { resolveTarget, type TargetFlags } from '../target/target.js';
import { type UpstreamLoginFlags, withUpstreamLogin } from '../upstream-login.js';
import { withInspector } from '../with-inspector.js';

export interface ProxyFlags extends ListenFlags, TargetFlags, UpstreamLoginFlags {
  readonly isolate?: string;
  readonly maxProcesses?: number;
  readonly revision?: readonly string[];
  readonly timeout?: number;
  readonly connectTimeout?: number;
  readonly verbose?: boolean;
}

/** One server, served in another way: over another transport, and in every revision. */
export async function proxy(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: ProxyFlags,
): Promise<number> {
  const resolved = resolveTarget(words, command, flags);
  if (resolved.rest.length > 0) throw new UsageError(`Too many words: ${resolved.rest.join(' ')}`);
  const destination = { ...resolved.target, ...upstreamOptions(flags) };
  if (protectedUrl(resolved, flags) === undefined) return serve(destination, flags);
  return withUpstreamLogin(flags, (auth) => serve({ ...destination, auth }, flags));
}

function upstreamOptions(flags: ProxyFlags) {
  const { isolate = 'session', maxProcesses, timeout, connectTimeout } = flags;
  if (isolate !== 'shared' && isolate !== 'session' && isolate !== 'principal')
    throw new UsageError(`--isolate ${isolate} is unknown; use shared, session or principal`);
  if (maxProcesses === 0) throw new UsageError('--max-processes 0 leaves no server to call; give at least 1');
  const revisions = checkRevisions('--revision', flags.revision);
  return {
    isolate,
    ...(maxProcesses === undefined ? {} : { maxProcesses }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(timeout === undefined ? {} : { timeout }),
    ...(connectTimeout === undefined ? {} : { initTimeout: connectTimeout }),
  } as const;
}

function serve(destination: Destination, flags: ProxyFlags): Promise<number> {
  const built = chain({ onError: flags.verbose === true ? report : () => {} });
  if (flags.verbose === true) built.use(log());
  return withInspector(flags, 'Proxy', (watch) =>
    serveChain(built.to(watch?.wrap(destination) ?? destination), flags, 'The proxy', watch),
  );
}

function report(error: unknown, method: string): void {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`plumb: ${logWord(method)}: ${singleLine(message)}\n`);
}
