import { openBrowser } from '../../auth/client/node-browser.js';
import { createInspector, type InspectorListener, listenInspector } from '../../inspector/inspector.js';
import { CommandFailure, EXIT_FAILED, EXIT_OK, UsageError } from '../failure/failure.js';
import { type ConnectFlags, connectLimit } from '../options/flags.js';
import { givenToken } from '../options/inspector-token.js';
import { checkRevisions } from '../options/revisions.js';
import { createTerminal } from '../output/terminal.js';
import { savedCallsPath, savedServersFolder } from '../serving/inspector-files.js';
import { describeListening } from '../serving/serve-http.js';
import { Interruption } from '../session/interruption.js';
import { clientConfigs } from '../target/client-configs.js';
import { type ResolvedTarget, resolveTarget, type TargetFlags } from '../target/target.js';

export interface InspectFlags extends TargetFlags, ConnectFlags {
  readonly port?: number;
  readonly open?: boolean;
  readonly revision?: readonly string[];
}

export async function inspect(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: InspectFlags,
): Promise<number> {
  const target =
    words.length === 0 && command === undefined ? undefined : resolveTarget(words, command, flags);
  if (target !== undefined && target.rest.length > 0) {
    throw new UsageError(`Too many arguments: ${target.rest.join(' ')}; see plumb inspect --help`);
  }
  const revisions = checkRevisions('--revision', flags.revision);
  if (revisions !== undefined && revisions.length > 1) throw new UsageError('--revision pins one revision');
  const inspector = createInspector({
    token: givenToken(),
    configs: clientConfigs({ named: flags.config }),
    savedCalls: savedCallsPath(),
    savedServers: savedServersFolder(),
  });
  const interruption = new Interruption();
  try {
    const listener = await listen(inspector, flags.port ?? 0);
    if (target !== undefined) {
      const server = inspector.core.servers.create(
        inspectedTarget(target, connectLimit(flags, target)),
        { kind: 'command line' },
        words[0] !== undefined && !words[0].includes('://') ? words[0] : undefined,
        revisions?.[0] ?? null,
      );
      void server.connect();
    } else inspector.core.servers.restore();
    await announce(listener, flags.open !== false);
    if (!interruption.signal.aborted) {
      await new Promise<void>((resolve) => {
        interruption.signal.addEventListener('abort', () => resolve(), { once: true });
      });
    }
    await listener.close();
    return interruption.exitCode ?? EXIT_OK;
  } finally {
    interruption.release();
  }
}

async function listen(
  inspector: ReturnType<typeof createInspector>,
  port: number,
): Promise<InspectorListener> {
  try {
    return await listenInspector(inspector, port);
  } catch (error) {
    await inspector.close();
    throw new CommandFailure(EXIT_FAILED, describeListening(error, { port }), { cause: error });
  }
}

async function announce({ url }: InspectorListener, open: boolean): Promise<void> {
  const out = createTerminal(process.stdout);
  // Only ever our own address; a screen is not everywhere.
  const opened = open && (await openBrowser(url));
  const how = opened ? 'Your browser opens the inspector' : 'Open the inspector in a browser on this machine';
  out.write(
    `${how}:\n  ${out.style('bold', url.href)}\nKeep this address private: it allows starting programs on this machine. Press Ctrl-C to stop.\n`,
  );
}

function inspectedTarget(
  { target }: ResolvedTarget,
  connectMs: number,
): Parameters<ReturnType<typeof createInspector>['core']['servers']['create']>[0] {
  if ('url' in target) {
    const headers = typeof target.headers === 'object' ? target.headers : {};
    return { kind: 'url', url: String(target.url), headers };
  }
  const { command, args = [], env = {}, cwd, inheritEnv } = target;
  return { kind: 'command', command, args, env: definedOnly(env), cwd, inheritEnv, connectMs };
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
