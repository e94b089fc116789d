import { existsSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chain as createChain, type Destination } from '../../chain/index.js';
import { McpError } from '../../protocol/errors.js';
import { UsageError } from '../failure.js';
import type { ListenFlags } from '../http-options.js';
import { type Serving, serveChain } from '../serve-chain.js';
import { loadConfig, resolveServer } from '../target/config-file.js';

export interface ChainFlags extends ListenFlags {
  readonly mcp?: string;
  /** False with `--no-reload`. */
  readonly reload?: boolean;
}

const MODULES: ReadonlySet<string> = new Set(['.js', '.mjs', '.cjs', '.ts', '.mts']);

export async function chain(file: string | undefined, flags: ChainFlags): Promise<number> {
  if (flags.mcp !== undefined) {
    if (file !== undefined) throw new UsageError('Give a chain file or --mcp, not both');
    return serveChain(fromClientConfig(flags.mcp), flags, 'The chain');
  }
  if (file === undefined)
    throw new UsageError('No chain: give a module, a YAML or JSON file, or --mcp mcp.json');
  const path = resolve(file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}`);
  if (MODULES.has(extname(path))) return serveChain(await fromModule(path), flags, 'The chain');
  return fromConfig(path, flags);
}

async function fromConfig(path: string, flags: ChainFlags): Promise<number> {
  const { loadChain, followConfig } = await import('../../chain/node-config-file.js');
  try {
    const serving = await loadChain(path);
    const unfollow =
      flags.reload === false
        ? () => {}
        : followConfig(serving, path, ({ error }) => {
            const outcome =
              error === undefined ? 'was read again' : `has an error; nothing changed: ${message(error)}`;
            process.stderr.write(`plumb: ${path} ${outcome}\n`);
          });
    try {
      return await serveChain(serving, flags, 'The chain');
    } finally {
      unfollow();
    }
  } catch (error) {
    if (error instanceof McpError && error.code === 'invalid_config')
      throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** One endpoint for all servers that a client has configured. */
function fromClientConfig(path: string): Serving {
  const file = loadConfig(path);
  const names = [...(file?.servers.keys() ?? [])];
  if (file === undefined || names.length === 0) throw new UsageError(`${path} has no servers`);
  const destinations = names.map((name): [string, Destination] => {
    const target = resolveServer(file, name);
    if (target === undefined) throw new UsageError(`${path}: "${name}" is no server`);
    return [name, target];
  });
  return createChain().to(Object.fromEntries(destinations));
}

async function fromModule(path: string): Promise<Serving> {
  const module: Readonly<Record<string, unknown>> = await import(pathToFileURL(path).href);
  const exported = [module.default, ...Object.values(module)];
  const found = exported.find(isServing);
  if (found !== undefined) return found;
  throw new UsageError(`${path} exports no chain; write: export default chain().to(...)`);
}

function isServing(value: unknown): value is Serving {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['http', 'stdio', 'close'].every(
      (name) => name in value && typeof Reflect.get(value, name) === 'function',
    )
  );
}

function message(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
