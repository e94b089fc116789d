/** Configuration files of the MCP clients that people have on their machines, and the servers in them. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { FoundConfig, FoundServer } from '../../inspector/api.js';
import type { ClientConfigs } from '../../inspector/servers/configs.js';
import { addressOf, type InspectedTarget } from '../../inspector/servers/target.js';
import type { JsonObject } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import {
  CONFIG_PATHS,
  type ConfigFile,
  type ConfiguredTarget,
  loadConfig,
  resolveServer,
} from './config-file.js';

interface Place {
  readonly client: string;
  readonly path: string;
  /** Settings of all kinds, of which servers may be one. */
  readonly mixed?: boolean;
}

export interface ConfigPlaces {
  /** A file named on the command line. */
  readonly named?: string | undefined;
  readonly directory?: string | undefined;
  readonly home?: string | undefined;
  readonly platform?: NodeJS.Platform | undefined;
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

const IN_PROJECT: Readonly<Record<string, string>> = {
  'mcp.json': 'mcp.json',
  '.mcp.json': 'Claude Code (project)',
  '.vscode/mcp.json': 'VS Code (workspace)',
  '.cursor/mcp.json': 'Cursor (project)',
};

export function clientConfigs(places: ConfigPlaces = {}): ClientConfigs {
  const known = placesOf(places);
  const existing = (): readonly Place[] => known.filter(({ path }) => existsSync(path));
  return {
    list: () =>
      existing().flatMap((place) => {
        const config = describe(place);
        return place.mixed === true && config.servers.length === 0 ? [] : [config];
      }),
    resolve: (path, server) => {
      // Only files that were shown: a page has no business with others.
      const place = existing().find((candidate) => candidate.path === path);
      const file = place === undefined ? undefined : loadConfig(path);
      const found = file === undefined ? undefined : resolveServer(file, server);
      if (place === undefined || found === undefined) {
        throw new UsageError(`There is no server ${JSON.stringify(server)} in ${path}`);
      }
      return { target: inspected(found.target, found.connectTimeout), client: place.client };
    },
  };
}

function placesOf({
  named,
  directory = process.cwd(),
  home = homedir(),
  platform = process.platform,
  environment = process.env,
}: ConfigPlaces): readonly Place[] {
  const settings = settingsFolder(home, platform, environment);
  const places: Place[] = [
    ...(named === undefined ? [] : [{ client: 'Given', path: resolve(directory, named) }]),
    ...CONFIG_PATHS.map((path) => ({ client: IN_PROJECT[path] ?? path, path: resolve(directory, path) })),
    { client: 'Claude Desktop', path: join(settings, 'Claude', 'claude_desktop_config.json') },
    { client: 'Claude Code', path: join(home, '.claude.json'), mixed: true },
    { client: 'Cursor', path: join(home, '.cursor', 'mcp.json') },
    { client: 'VS Code', path: join(settings, 'Code', 'User', 'mcp.json') },
    { client: 'Windsurf', path: join(home, '.codeium', 'windsurf', 'mcp_config.json') },
    { client: 'Gemini CLI', path: join(home, '.gemini', 'settings.json'), mixed: true },
  ];
  return places.filter(({ path }, index) => places.findIndex((other) => other.path === path) === index);
}

function settingsFolder(home: string, platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): string {
  if (platform === 'darwin') return join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment.APPDATA ?? join(home, 'AppData', 'Roaming');
  return environment.XDG_CONFIG_HOME ?? join(home, '.config');
}

function describe({ client, path }: Place): FoundConfig {
  try {
    const file = loadConfig(path);
    const servers =
      file === undefined ? [] : [...file.servers].map(([name, entry]) => entryOf(file, name, entry));
    return { path, client, servers };
  } catch (error) {
    return { path, client, servers: [], problem: messageOf(error) };
  }
}

function entryOf(file: ConfigFile, name: string, entry: JsonObject): FoundServer {
  const disabled = entry.disabled === true;
  try {
    const found = resolveServer(file, name);
    if (found === undefined) return { name, kind: 'unknown', summary: '', disabled };
    const address = addressOf(inspected(found.target));
    const summary = address.kind === 'url' ? address.url : [address.command, ...address.args].join(' ');
    return { name, kind: address.kind, summary, disabled };
  } catch (error) {
    return { name, kind: 'unknown', summary: '', disabled, problem: messageOf(error) };
  }
}

function inspected(target: ConfiguredTarget, connectMs?: number): InspectedTarget {
  if ('url' in target) return { kind: 'url', url: target.url, headers: target.headers };
  const { command, args, env, cwd } = target;
  return { kind: 'command', command, args, env, cwd, connectMs };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
