/** The clients, as their documentation describes them. */

import { isRecord } from '../../jsonrpc/message.js';
import { UsageError } from '../failure/failure.js';
import type { ClientDefinition, Scope } from './client-definition.js';
import { type Dialect, readEntry, writeEntry } from './dialect.js';
import type { Container } from './editors/editor.js';
import { type ClientPlaces, configFolder, joinPath, settingsFolder } from './places.js';
import type { ServerEntry } from './server-entry.js';
import { writeCodex, writeGoose } from './variable-names.js';

const STDIO = ['command', 'args', 'env', 'cwd'] as const;
const REMOTE = ['url', 'headers'] as const;

const envColon = (name: string): string => `\${env:${name}}`;

/** Files by scope, as paths below the home folder and below the project. */
function inFolders(home: string, project?: string): ClientDefinition['files'] {
  return (scope, places) => {
    const path = scope === 'global' ? home : project;
    if (path === undefined) return [];
    return [joinPath(places, scope === 'global' ? places.home : places.directory, ...path.split('/'))];
  };
}

function at(...path: string[]): (document: unknown) => Container {
  return () => ({ path });
}

function speaking(dialect: Dialect): Pick<ClientDefinition, 'write' | 'read'> {
  return { write: (entry) => writeEntry(entry, dialect), read: readEntry };
}

const ANY: readonly ServerEntry['kind'][] = ['stdio', 'http', 'sse'];

export const CLIENTS: readonly ClientDefinition[] = [
  {
    id: 'claude-desktop',
    name: 'Claude Desktop',
    format: 'json',
    documentation: 'https://modelcontextprotocol.io/docs/develop/connect-local-servers',
    files: (scope, places) =>
      scope === 'project'
        ? []
        : [joinPath(places, settingsFolder(places), 'Claude', 'claude_desktop_config.json')],
    container: at('mcpServers'),
    fields: ['type', ...STDIO],
    // Remote servers are added as connectors, in the settings of the application.
    transports: ['stdio'],
    references: 'nowhere',
    ...speaking({}),
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    format: 'json',
    documentation: 'https://code.claude.com/docs/en/mcp',
    files: inFolders('.claude.json', '.mcp.json'),
    container: at('mcpServers'),
    mixed: true,
    fields: ['type', ...STDIO, ...REMOTE, 'headersHelper', 'oauth', 'timeout', 'alwaysLoad'],
    transports: ANY,
    references: 'everywhere',
    ...speaking({ types: { stdio: 'stdio', http: 'http', sse: 'sse' } }),
  },
  {
    id: 'cursor',
    name: 'Cursor',
    format: 'json',
    documentation: 'https://cursor.com/docs/context/mcp',
    files: inFolders('.cursor/mcp.json', '.cursor/mcp.json'),
    container: at('mcpServers'),
    fields: ['type', ...STDIO, ...REMOTE, 'envFile', 'auth', 'disabled'],
    transports: ANY,
    references: 'everywhere',
    ...speaking({ reference: envColon }),
  },
  {
    id: 'windsurf',
    name: 'Windsurf',
    format: 'json',
    documentation: 'https://docs.windsurf.com/windsurf/cascade/mcp',
    files: inFolders('.codeium/windsurf/mcp_config.json'),
    container: at('mcpServers'),
    fields: ['type', ...STDIO, 'serverUrl', ...REMOTE, 'disabled', 'disabledTools', 'alwaysAllow'],
    transports: ANY,
    references: 'everywhere',
    ...speaking({ url: 'serverUrl', reference: envColon }),
  },
  {
    id: 'vscode',
    name: 'VS Code',
    format: 'json',
    documentation: 'https://code.visualstudio.com/docs/copilot/reference/mcp-configuration',
    files: (scope, places) =>
      scope === 'global'
        ? [joinPath(places, settingsFolder(places), 'Code', 'User', 'mcp.json')]
        : [joinPath(places, places.directory, '.vscode', 'mcp.json')],
    container: at('servers'),
    fields: [
      'type',
      ...STDIO,
      ...REMOTE,
      'envFile',
      'dev',
      'gallery',
      'version',
      'sandboxEnabled',
      'sandbox',
    ],
    transports: ANY,
    references: 'everywhere',
    ...speaking({ types: { stdio: 'stdio', http: 'http', sse: 'sse' }, reference: envColon }),
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    format: 'json',
    documentation: 'https://opencode.ai/docs/mcp-servers/',
    files: (scope, places) => {
      const folder =
        scope === 'global' ? joinPath(places, configFolder(places), 'opencode') : places.directory;
      return ['opencode.json', 'opencode.jsonc'].map((name) => joinPath(places, folder, name));
    },
    // Version 2 has them one level deeper, and still reads the place of version 1 (https://opencode.ai/docs/migrate-v1/).
    container: (document) => {
      const mcp = isRecord(document) ? document.mcp : undefined;
      const servers = isRecord(mcp) ? mcp.servers : undefined;
      const deeper = isRecord(servers) && typeof servers.type !== 'string';
      return { path: deeper ? ['mcp', 'servers'] : ['mcp'] };
    },
    initialText: '{\n  "$schema": "https://opencode.ai/config.json"\n}\n',
    mixed: true,
    fields: ['type', 'command', 'environment', 'cwd', ...REMOTE, 'enabled', 'disabled', 'timeout', 'oauth'],
    transports: ['stdio', 'http'],
    references: 'everywhere',
    // Switches a server of the organisation on or off.
    isPartial: ({ type }) => type === undefined,
    ...speaking({
      types: { stdio: 'local', http: 'remote' },
      commandList: true,
      env: 'environment',
      reference: (name) => `{env:${name}}`,
    }),
  },
  {
    id: 'continue',
    name: 'Continue',
    format: 'yaml',
    documentation: 'https://docs.continue.dev/reference#mcpservers',
    files: inFolders('.continue/config.yaml', '.continue/config.yaml'),
    container: () => ({ path: ['mcpServers'], nameField: 'name' }),
    initialText: 'name: Local Config\nversion: 1.0.0\nschema: v1\n',
    mixed: true,
    fields: [
      'name',
      'type',
      ...STDIO,
      'url',
      'requestOptions',
      'connectionTimeout',
      'faviconUrl',
      'sourceFile',
    ],
    transports: ANY,
    references: 'everywhere',
    write: (entry) => {
      const { headers, ...fields } = writeEntry(entry, {
        types: { stdio: 'stdio', http: 'streamable-http', sse: 'sse' },
        reference: (name) => `\${{ secrets.${name} }}`,
      });
      return headers === undefined ? fields : { ...fields, requestOptions: { headers } };
    },
    read: readEntry,
  },
  {
    id: 'goose',
    name: 'Goose',
    format: 'yaml',
    documentation: 'https://block.github.io/goose/docs/guides/config-files',
    files: (scope, places) => {
      if (scope === 'project') return [];
      const { platform } = places;
      if (platform === 'win32')
        return [joinPath(places, settingsFolder(places), 'Block', 'goose', 'config', 'config.yaml')];
      return [joinPath(places, configFolder(places), 'goose', 'config.yaml')];
    },
    container: at('extensions'),
    mixed: true,
    fields: [
      ...['type', 'name', 'display_name', 'description', 'enabled', 'bundled', 'timeout', 'available_tools'],
      ...['cmd', 'args', 'envs', 'env_keys', 'uri', 'headers', 'socket', 'cwd'],
    ],
    transports: ['stdio', 'http'],
    // Variables by name, from the keychain or the environment; headers are sent as they are written.
    references: 'env',
    isPartial: ({ type }) => type !== 'stdio' && type !== 'sse' && type !== 'streamable_http',
    write: writeGoose,
    read: readEntry,
  },
  {
    id: 'codex',
    name: 'Codex',
    format: 'toml',
    documentation: 'https://developers.openai.com/codex/mcp',
    files: (scope, places) => {
      const home = places.environment.CODEX_HOME || joinPath(places, places.home, '.codex');
      return [
        joinPath(
          places,
          scope === 'global' ? home : joinPath(places, places.directory, '.codex'),
          'config.toml',
        ),
      ];
    },
    container: at('mcp_servers'),
    mixed: true,
    fields: [
      ...[
        ...STDIO,
        'env_vars',
        'url',
        'bearer_token_env_var',
        'http_headers',
        'env_http_headers',
        'scopes',
        'oauth',
      ],
      ...[
        'enabled',
        'required',
        'startup_timeout_sec',
        'startup_timeout_ms',
        'tool_timeout_sec',
        'oauth_resource',
      ],
      ...[
        'enabled_tools',
        'disabled_tools',
        'tools',
        'supports_parallel_tool_calls',
        'default_tools_approval_mode',
      ],
    ],
    transports: ['stdio', 'http'],
    references: 'everywhere',
    write: writeCodex,
    read: readEntry,
  },
  {
    id: 'gemini',
    name: 'Gemini CLI',
    format: 'json',
    documentation: 'https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md',
    files: inFolders('.gemini/settings.json', '.gemini/settings.json'),
    container: at('mcpServers'),
    mixed: true,
    fields: [
      ...['type', ...STDIO, 'httpUrl', ...REMOTE, 'tcp', 'timeout', 'trust', 'description', 'includeTools'],
      ...['excludeTools', 'oauth', 'authProviderType', 'targetAudience', 'targetServiceAccount', 'extension'],
    ],
    transports: ANY,
    references: 'everywhere',
    ...speaking({ url: 'httpUrl', sseUrl: 'url' }),
    read: (entry) => {
      const read = readEntry(entry);
      const old = read?.kind === 'http' && entry.httpUrl === undefined && entry.type !== 'http';
      return old ? { ...read, kind: 'sse' } : read;
    },
  },
  {
    id: 'copilot-cli',
    name: 'Copilot CLI',
    format: 'json',
    documentation: 'https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers',
    files: (scope, places) => {
      if (scope === 'project') return [joinPath(places, places.directory, '.github', 'mcp.json')];
      const home = places.environment.COPILOT_HOME || joinPath(places, places.home, '.copilot');
      return [joinPath(places, home, 'mcp-config.json')];
    },
    container: at('mcpServers'),
    fields: ['type', ...STDIO, ...REMOTE, 'tools', 'timeout', 'isDefaultServer', 'oauth', 'filterMapping'],
    transports: ANY,
    // https://github.com/github/copilot-cli/issues/903: expanded in the "env" block.
    references: 'env',
    ...speaking({ types: { stdio: 'local', http: 'http', sse: 'sse' }, extra: { tools: ['*'] } }),
  },
  {
    id: 'antigravity',
    name: 'Antigravity',
    format: 'json',
    documentation: 'https://antigravity.google/docs/mcp',
    files: (scope, places) => {
      if (scope === 'project') return [joinPath(places, places.directory, '.agents', 'mcp_config.json')];
      // Version 1 kept it in the second place.
      return ['config', 'antigravity'].map((folder) =>
        joinPath(places, places.home, '.gemini', folder, 'mcp_config.json'),
      );
    },
    container: at('mcpServers'),
    fields: [
      'type',
      ...STDIO,
      'serverUrl',
      ...REMOTE,
      'disabled',
      'disabledTools',
      'authProviderType',
      'oauth',
    ],
    transports: ANY,
    references: 'nowhere',
    ...speaking({ url: 'serverUrl' }),
  },
];

const CLIENT_IDS: readonly string[] = CLIENTS.map(({ id }) => id);

export function clientById(id: string): ClientDefinition {
  const found = CLIENTS.find((client) => client.id === id.toLowerCase());
  if (found === undefined)
    throw new UsageError(`"${id}" is not a client; choose from: ${CLIENT_IDS.join(', ')}`);
  return found;
}

/** The file of a client that exists, or the one to create; undefined when the client has none in this scope. */
export function fileOf(
  client: ClientDefinition,
  scope: Scope,
  places: ClientPlaces,
  exists: (path: string) => boolean,
): string | undefined {
  const files = client.files(scope, places);
  return files.find(exists) ?? files[0];
}

/** Where a client has files. In the home folder, the file of the project may be the global one. */
export function scopesOf(client: ClientDefinition, places: ClientPlaces): Scope[] {
  const global = client.files('global', places);
  const project = client.files('project', places);
  const own = project.some((path) => !global.includes(path));
  return [...(global.length > 0 ? (['global'] as const) : []), ...(own ? (['project'] as const) : [])];
}
