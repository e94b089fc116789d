import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import type { OAuth } from '../../auth/index.js';
import { chain as createChain, type Destination, type Destinations } from '../../chain/index.js';
import type { ChainWatch } from '../../inspector/watch-chain.js';
import { McpError } from '../../protocol/errors.js';
import { followModule, loadModule } from '../chain-module.js';
import { protectedUrl } from '../credentials.js';
import { UsageError } from '../failure.js';
import type { ListenFlags } from '../http-options.js';
import { type Serving, serveChain } from '../serve-chain.js';
import { loadConfig, resolveServer } from '../target/config-file.js';
import { type UpstreamLoginFlags, withUpstreamLogin } from '../upstream-login.js';
import { withInspector } from '../with-inspector.js';

export interface ChainFlags extends ListenFlags, Pick<UpstreamLoginFlags, 'browser'> {
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
    const servers = clientServers(flags.mcp);
    return withCredentials(servers, flags, (completed) =>
      serveChain(createChain().to(watch?.wrap(completed) ?? completed), flags, 'The chain', watch),
    );
  }
  if (file === undefined)
    throw new UsageError('No chain: give a module, a YAML or JSON file, or --mcp mcp.json');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}`);
  return MODULES.has(extname(path)) ? fromModule(path, flags, watch) : fromConfig(path, flags, watch);
}

/** What a module sends to its servers is its own business: only its clients' side can be watched. */
async function fromModule(path: string, flags: ChainFlags, watch: ChainWatch | undefined): Promise<number> {
  const serving = await loadModule(path);
  return following(serving, flags, watch, () => followModule(serving, path, reloaded(path)));
}

async function fromConfig(path: string, flags: ChainFlags, watch: ChainWatch | undefined): Promise<number> {
  const { loadChain, followConfig } = await import('../../chain/node-config-file.js');
  return withUpstreamLogin(flags, async (auth) => {
    const prepare = (servers: Destinations): Destinations => {
      const completed = authorized(servers, auth);
      return watch?.wrap(completed) ?? completed;
    };
    const serving = await loadChain(path, prepare).catch((error: unknown) => {
      if (error instanceof McpError && error.code === 'invalid_config')
        throw new UsageError(error.message, { cause: error });
      throw error;
    });
    return following(serving, flags, watch, () => followConfig(serving, path, reloaded(path), prepare));
  });
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

/** One endpoint for all servers that a client has configured. */
function clientServers(path: string): Destinations {
  const file = loadConfig(path);
  const names = [...(file?.servers.keys() ?? [])];
  if (file === undefined || names.length === 0) throw new UsageError(`${path} has no servers`);
  const destinations = names.map((name): [string, Destination] => {
    const target = resolveServer(file, name);
    if (target === undefined) throw new UsageError(`${path}: "${name}" is no server`);
    return [name, target];
  });
  return Object.fromEntries(destinations);
}

function withCredentials(
  servers: Destinations,
  flags: ChainFlags,
  work: (servers: Destinations) => Promise<number>,
): Promise<number> {
  if (!Object.values(servers).some(needsLogin)) return work(servers);
  return withUpstreamLogin(flags, (auth) => work(authorized(servers, auth)));
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
