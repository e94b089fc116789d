import { createChain, type Destination } from '../../chain/index.js';
import { log } from '../../middleware/index.js';
import { CommandFailure, EXIT_UNREACHABLE, UsageError } from '../failure/failure.js';
import { connectLimit } from '../options/flags.js';
import type { ListenFlags } from '../options/http-options.js';
import { checkRevisions } from '../options/revisions.js';
import { type UpstreamLoginFlags, withUpstreamLogin } from '../options/upstream-login.js';
import { serveChain } from '../serving/serve-chain.js';
import { type ReportFlags, UpstreamReport } from '../serving/upstream-report.js';
import { withInspector } from '../serving/with-inspector.js';
import { protectedUrl } from '../session/credentials.js';
import { mayExist } from '../target/find-program.js';
import { resolveTarget, type TargetFlags } from '../target/target.js';

export interface ProxyFlags extends ListenFlags, ReportFlags, TargetFlags, UpstreamLoginFlags {
  readonly isolate?: string;
  readonly maxProcesses?: number;
  readonly revision?: readonly string[];
  readonly timeout?: number;
  readonly verbose?: boolean;
}

/** One server, served in another way: over another transport, and in every revision. */
export async function proxy(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: ProxyFlags,
): Promise<number> {
  const resolved = resolveTarget(words, command, flags);
  if (resolved.rest.length > 0) throw new UsageError(`Too many arguments: ${resolved.rest.join(' ')}`);
  // Its first client would find out; the operator, who starts the proxy, is there now.
  if (flags.http !== undefined && 'command' in resolved.target && !mayExist(resolved.target)) {
    throw new CommandFailure(
      EXIT_UNREACHABLE,
      `Command not found: ${JSON.stringify(resolved.target.command)}; check that it is installed and on the PATH`,
    );
  }
  const limit = connectLimit(flags, resolved);
  const destination = { ...resolved.target, ...upstreamOptions(flags), initTimeout: limit };
  if (protectedUrl(resolved, flags) === undefined) return serve(destination, flags);
  return withUpstreamLogin(flags, (auth) => serve({ ...destination, auth }, flags));
}

function upstreamOptions(flags: ProxyFlags) {
  const { isolate = 'session', maxProcesses, timeout } = flags;
  if (isolate !== 'shared' && isolate !== 'session' && isolate !== 'principal')
    throw new UsageError(`--isolate ${isolate} is unknown; use shared, session or principal`);
  if (maxProcesses === 0) throw new UsageError('--max-processes 0 leaves no server to call; give at least 1');
  const revisions = checkRevisions('--revision', flags.revision);
  return {
    isolate,
    ...(maxProcesses === undefined ? {} : { maxProcesses }),
    ...(revisions === undefined ? {} : { revisions }),
    ...(timeout === undefined ? {} : { timeout }),
  } as const;
}

function serve(destination: Destination, flags: ProxyFlags): Promise<number> {
  const report = new UpstreamReport(flags);
  const built = createChain(report.options);
  if (flags.verbose === true) built.use(log());
  const servers = report.prepare({ server: destination });
  return withInspector(flags, 'Proxy', (watch) =>
    serveChain(built.to(watch?.wrap(servers) ?? servers), flags, 'The proxy', watch),
  );
}
