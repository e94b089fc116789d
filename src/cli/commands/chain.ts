import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { OAuth } from '../../auth/index.js';
import { type ChainOptions, createChain, type Destination } from '../../chain/index.js';
import { followFile } from '../../chain/node-follow-file.js';
import type { Destinations } from '../../chain/targets.js';
import type { ChainWatch } from '../../inspector/watch-chain.js';
import { McpError } from '../../protocol/errors.js';
import { UsageError } from '../failure/failure.js';
import type { ListenFlags } from '../options/http-options.js';
import { type UpstreamLoginFlags, withUpstreamLogin } from '../options/upstream-login.js';
import { followModule, loadModule, prepareModule } from '../serving/chain-module.js';
import { type Serving, serveChain } from '../serving/serve-chain.js';
import { type ReportFlags, UpstreamReport } from '../serving/upstream-report.js';
import { withInspector } from '../serving/with-inspector.js';
import { protectedUrl } from '../session/credentials.js';
import { loadConfig, resolveServer } from '../target/config-file.js';
import { mayExist } from '../target/find-program.js';

export interface ChainFlags extends ListenFlags, ReportFlags, Pick<UpstreamLoginFlags, 'browser'> {
  readonly mcp?: string;
  /** False with `--no-reload`. */
  readonly reload?: boolean;
}

const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts']);

export function chain(file: string | undefined, flags: ChainFlags): Promise<number> {
  return withInspector(flags, 'Chain', (watch) => serve(file, flags, watch));
}

async function serve(
  file: string | undefined,
  flags: ChainFlags,
  watch: ChainWatch | undefined,
): Promise<number> {
  if (flags.mcp !== undefined) {
    if (file !== undefined) throw new UsageError('Give a chain file or --mcp, not both');
    return fromClientConfig(resolve(flags.mcp), flags, watch);
  }
  if (file === undefined)
    throw new UsageError('No chain: give a module, a YAML or JSON file, or --mcp mcp.json');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`${path} does not exist; check the path`);
  return MODULES.has(extname(path)) ? fromModule(path, flags, watch) : fromConfig(path, flags, watch);
}

async function fromModule(path: string, flags: ChainFlags, watch: ChainWatch | undefined): Promise<number> {
  const serving = await loadModule(path);
  const prepare = (servers: Destination | Destinations): Destination | Destinations =>
    watch?.wrap(servers) ?? servers;
  if (watch !== undefined) await prepareModule(serving, prepare);
  return following(serving, flags, watch, () => followModule(serving, path, reloaded(path), prepare));
}

async function fromConfig(path: string, flags: ChainFlags, watch: ChainWatch | undefined): Promise<number> {
  const { loadChain, followConfig } = await import('../../chain/node-config-file.js');
  return withServers(flags, watch, async (options, prepare) => {
    const serving = await loadChain(path, prepare, options).catch((error: unknown) => {
      if (error instanceof McpError && error.code === 'invalid_config')
        throw new UsageError(error.message, { cause: error });
      throw error;
    });
    return following(serving, flags, watch, () => followConfig(serving, path, reloaded(path), prepare));
  });
}

/** One endpoint for all servers that a client has configured, also for those that it configures later. */
function fromClientConfig(path: string, flags: ChainFlags, watch: ChainWatch | undefined): Promise<number> {
  const servers = clientServers(path);
  return withServers(flags, watch, (options, prepare) => {
    const serving = createChain(options).to(prepare(servers));
    const onReload = reloaded(path);
    const reload = async (): Promise<void> => {
      try {
        await serving.replace(prepare(clientServers(path)));
        onReload({});
      } catch (error) {
        onReload({ error });
      }
    };
    return following(serving, flags, watch, () => followFile(path, reload));
  });
}

/** With what all chains of this command have: the report on stderr, credentials, and the inspector. */
function withServers(
  flags: ChainFlags,
  watch: ChainWatch | undefined,
  work: (options: ChainOptions, prepare: (servers: Destinations) => Destinations) => Promise<number>,
): Promise<number> {
  const report = new UpstreamReport(flags);
  const reported = new Set<string>();
  return withUpstreamLogin(flags, (auth) => {
    const prepare = (servers: Destinations): Destinations => {
      if (flags.http !== undefined) reportMissing(servers, reported);
      const completed = authorized(report.prepare(servers), auth);
      return watch?.wrap(completed) ?? completed;
    };
    return work({ ...report.options, replaceable: flags.reload !== false }, prepare);
  });
}

/** The first client would find out; the operator, who starts the chain or edits its file, is there now. */
function reportMissing(servers: Destinations, reported: Set<string>): void {
  for (const [name, server] of Object.entries(servers)) {
    if (typeof server !== 'object' || !('command' in server) || mayExist(server)) continue;
    const command = JSON.stringify(server.command);
    const line = `plumb: ${name}: command not found: ${command}; check that it is installed and on the PATH\n`;
    if (!reported.has(line)) process.stderr.write(line);
    reported.add(line);
  }
}

/** Serves until the end, and reads the file again when it changes. */
async function following(
  serving: Serving,
  flags: ChainFlags,
  watch: ChainWatch | undefined,
  follow: () => () => void,
): Promise<number> {
  const unfollow = flags.reload === false ? () => {} : follow();
  try {
    return await serveChain(serving, flags, 'The chain', watch);
  } finally {
    unfollow();
  }
}

function reloaded(path: string) {
  return ({ error }: { readonly error?: unknown }): void => {
    const outcome =
      error === undefined ? 'was read again' : `has an error; nothing changed: ${message(error)}`;
    process.stderr.write(`plumb: ${path} ${outcome}\n`);
  };
}

function clientServers(path: string): Destinations {
  const file = loadConfig(path);
  const names = [...(file?.servers ?? [])].flatMap(([name, { disabled }]) =>
    disabled === true ? [] : [name],
  );
  if (file === undefined || names.length === 0)
    throw new UsageError(`${path} has no servers; add one under "mcpServers"`);
  const destinations = names.map((name): [string, Destination] => {
    const found = resolveServer(file, name);
    if (found === undefined) throw new UsageError(`${path}: "${name}" is not a server`);
    const { target, connectTimeout } = found;
    return [name, connectTimeout === undefined ? target : { ...target, initTimeout: connectTimeout }];
  });
  return Object.fromEntries(destinations);
}

/** Servers behind a URL that bring no credentials of their own get those of `plumb login`. */
function authorized(servers: Destinations, auth: OAuth): Destinations {
  const entries = Object.entries(servers).map(([name, server]): [string, Destination] => [
    name,
    typeof server === 'string' ? { url: server, auth } : needsLogin(server) ? { ...server, auth } : server,
  ]);
  return Object.fromEntries(entries);
}

function needsLogin(server: Destination): server is Extract<Destination, { readonly url: unknown }> {
  if (typeof server !== 'object' || !('url' in server)) return false;
  return protectedUrl({ target: server }) !== undefined;
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
