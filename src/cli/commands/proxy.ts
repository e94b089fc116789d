import { chain } from '../../chain/index.js';
import { log } from '../../middleware/index.js';
import { UsageError } from '../failure.js';
import type { ListenFlags } from '../http-options.js';
import { checkRevisions } from '../revisions.js';
import { serveChain } from '../serve-chain.js';
import { resolveTarget, type TargetFlags } from '../target/target.js';

export interface ProxyFlags extends ListenFlags, TargetFlags {
  readonly isolate?: string;
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
  const { target, rest } = resolveTarget(words, command, flags);
  if (rest.length > 0) throw new UsageError(`Too many words: ${rest.join(' ')}`);
  const { isolate = 'session' } = flags;
  if (isolate !== 'shared' && isolate !== 'session' && isolate !== 'principal')
    throw new UsageError(`--isolate ${isolate} is unknown; use shared, session or principal`);
  const revisions = checkRevisions('--revision', flags.revision);
  const built = chain({ onError: flags.verbose === true ? report : () => {} });
  if (flags.verbose === true) built.use(log());
  const serving = built.to({
    ...target,
    isolate,
    ...(revisions === undefined ? {} : { revisions }),
    ...(flags.timeout === undefined ? {} : { timeout: flags.timeout }),
    ...(flags.connectTimeout === undefined ? {} : { initTimeout: flags.connectTimeout }),
  });
  return serveChain(serving, flags, 'The proxy');
}

function report(error: unknown, method: string): void {
  process.stderr.write(`plumb: ${method}: ${error instanceof Error ? error.message : String(error)}\n`);
}
