import { resolve } from 'node:path';
import { createChain } from '../../chain/index.js';
import type { Destinations } from '../../chain/targets.js';
import type { StdioTarget } from '../../client/target.js';
import type { ChainWatch } from '../../inspector/watch-chain.js';
import { printable, singleLine } from '../../protocol/display.js';
import { maskLine, secretValues } from '../../protocol/secrets.js';
import { callLog } from '../dev/call-log.js';
import { crashReport } from '../dev/crash-report.js';
import { DEV_CLIENT, DevLoop } from '../dev/dev-loop.js';
import { DevReport } from '../dev/dev-report.js';
import { SourceWatcher } from '../dev/source-watcher.js';
import { typescriptCommand } from '../dev/typescript.js';
import { UsageError } from '../failure/failure.js';
import { type ConnectFlags, DEFAULT_CONNECT_TIMEOUT_MS } from '../options/flags.js';
import type { ListenFlags } from '../options/http-options.js';
import { createTerminal } from '../output/terminal.js';
import { serveChain } from '../serving/serve-chain.js';
import { withInspector } from '../serving/with-inspector.js';
import { resolveTarget, type TargetFlags } from '../target/target.js';

export interface DevFlags extends ConnectFlags, ListenFlags, Pick<TargetFlags, 'env'> {
  readonly watch?: readonly string[];
  /** False with `--no-validate`. */
  readonly validate?: boolean;
}

export async function dev(
  words: readonly string[],
  command: readonly string[] | undefined,
  flags: DevFlags,
): Promise<number> {
  if (words.length > 0 || command === undefined)
    throw new UsageError('Give the command that starts the server, after --: plumb dev -- node server.ts');
  const { target } = resolveTarget([], typescriptCommand(command), flags);
  if (!('command' in target)) throw new UsageError('plumb dev starts a command; give it after --');
  const placed = withDefaults(flags);
  return withInspector(placed, 'Server', (watch) => {
    const prepare = (servers: Destinations): Destinations => watch?.wrap(servers) ?? servers;
    return develop(target, placed, { prepare, watch }, (loop, serving) => {
      loop.begin(serving);
      const listens = (url: string): void => {
        watch?.listens(url);
        watch?.connect(url);
      };
      const seen =
        watch === undefined ? undefined : { tap: watch.tap, listens, observer: () => watch.observer() };
      return serveChain(serving, placed, 'The server', seen);
    });
  });
}

/** At a terminal: HTTP and the inspector. Started by a client: stdin and stdout. */
function withDefaults(flags: DevFlags): DevFlags {
  if (flags.stdio === true || flags.http !== undefined || process.stdin.isTTY !== true) return flags;
  return { ...flags, http: 0, inspect: flags.inspect ?? true };
}

interface Surroundings {
  readonly prepare: (servers: Destinations) => Destinations;
  /** The inspector, where there is one. */
  readonly watch: ChainWatch | undefined;
}

async function develop(
  target: StdioTarget,
  flags: DevFlags,
  { prepare, watch }: Surroundings,
  serve: (loop: DevLoop, serving: ReturnType<ReturnType<typeof createChain>['to']>) => Promise<number>,
): Promise<number> {
  const out = createTerminal(process.stderr);
  const secrets = secretValues(target.env ?? {});
  const write = (line: string): void => void out.write(`${maskLine(line, secrets)}\n`);
  const directory = process.cwd();
  const report = new DevReport({
    out,
    write,
    directory,
    target,
    validates: flags.validate !== false,
    note: (level, text) => watch?.note(level, maskLine(text, secrets)),
    describeCrash: (stderr) => crashReport(stderr, directory),
  });
  const loop = new DevLoop({
    target,
    prepare,
    initTimeout: flags.connectTimeout ?? DEFAULT_CONNECT_TIMEOUT_MS,
    report: (event) => report.event(event),
    describe: (stderr) => maskLine(report.describe(stderr), secrets),
    stderr: (line) => {
      write(`${out.style('dim', 'server:')} ${printable(line)}`);
      watch?.stderr(maskLine(line, secrets));
    },
  });
  const serving = createChain({
    replaceable: true,
    // The loop reports what happens to its server.
    onServerEvent: (event) => report.server(event),
    onError: (error, method) => write(out.style('red', singleLine(`${method}: ${String(error)}`))),
  })
    .use(callLog({ out, write, except: DEV_CLIENT }), loop.middleware)
    .to(loop.destinations);
  const watcher = new SourceWatcher({
    roots: (flags.watch ?? ['.']).map((path) => resolve(path)),
    changed: (paths) => loop.restart(paths),
    failed: (message) => write(`plumb: ${message}`),
  });
  try {
    return await serve(loop, serving);
  } finally {
    watcher.close();
    report.close();
    await loop.close();
  }
}
