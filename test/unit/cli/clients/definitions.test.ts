import { expect, it } from 'vitest';
import type { Scope } from '../../../../src/cli/clients/client-definition.js';
import { CLIENTS, clientById, fileOf } from '../../../../src/cli/clients/definitions.js';
import { entryFor } from '../../../../src/cli/clients/entry-for-client.js';
import type { ClientPlaces } from '../../../../src/cli/clients/places.js';
import type { ServerEntry } from '../../../../src/cli/clients/server-entry.js';

const LINUX: ClientPlaces = { home: '/home/ada', directory: '/project', platform: 'linux', environment: {} };
const MAC: ClientPlaces = { ...LINUX, home: '/Users/ada', platform: 'darwin' };
const WINDOWS: ClientPlaces = {
  home: 'C:\\Users\\ada',
  directory: 'C:\\work',
  platform: 'win32',
  environment: { APPDATA: 'D:\\Roaming' },
};

function path(id: string, scope: Scope, places: ClientPlaces): string | undefined {
  return fileOf(clientById(id), scope, places, () => false);
}

it('finds global files on Linux, also with XDG_CONFIG_HOME and the variables of the clients', () => {
  expect(CLIENTS.map(({ id }) => path(id, 'global', LINUX))).toEqual([
    '/home/ada/.config/Claude/claude_desktop_config.json',
    '/home/ada/.claude.json',
    '/home/ada/.cursor/mcp.json',
    '/home/ada/.codeium/windsurf/mcp_config.json',
    '/home/ada/.config/Code/User/mcp.json',
    '/home/ada/.config/opencode/opencode.json',
    '/home/ada/.continue/config.yaml',
    '/home/ada/.config/goose/config.yaml',
    '/home/ada/.codex/config.toml',
    '/home/ada/.gemini/settings.json',
    '/home/ada/.copilot/mcp-config.json',
    '/home/ada/.gemini/config/mcp_config.json',
  ]);
  const environment = { XDG_CONFIG_HOME: '/xdg', CODEX_HOME: '/codex', COPILOT_HOME: '/copilot' };
  const moved = { ...LINUX, environment };
  expect(
    ['vscode', 'opencode', 'goose', 'codex', 'copilot-cli'].map((id) => path(id, 'global', moved)),
  ).toEqual([
    '/xdg/Code/User/mcp.json',
    '/xdg/opencode/opencode.json',
    '/xdg/goose/config.yaml',
    '/codex/config.toml',
    '/copilot/mcp-config.json',
  ]);
});

it('finds global files on macOS and on Windows', () => {
  const ids = ['claude-desktop', 'vscode', 'goose', 'cursor'];
  expect(ids.map((id) => path(id, 'global', MAC))).toEqual([
    '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
    '/Users/ada/Library/Application Support/Code/User/mcp.json',
    '/Users/ada/.config/goose/config.yaml',
    '/Users/ada/.cursor/mcp.json',
  ]);
  expect(ids.map((id) => path(id, 'global', WINDOWS))).toEqual([
    'D:\\Roaming\\Claude\\claude_desktop_config.json',
    'D:\\Roaming\\Code\\User\\mcp.json',
    'D:\\Roaming\\Block\\goose\\config\\config.yaml',
    'C:\\Users\\ada\\.cursor\\mcp.json',
  ]);
  expect(path('vscode', 'global', { ...WINDOWS, environment: {} })).toBe(
    'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
  );
});

it('finds the files of a project', () => {
  expect(Object.fromEntries(CLIENTS.map(({ id }) => [id, path(id, 'project', LINUX)]))).toEqual({
    'claude-desktop': undefined,
    'claude-code': '/project/.mcp.json',
    cursor: '/project/.cursor/mcp.json',
    windsurf: undefined,
    vscode: '/project/.vscode/mcp.json',
    opencode: '/project/opencode.json',
    continue: '/project/.continue/config.yaml',
    goose: undefined,
    codex: '/project/.codex/config.toml',
    gemini: '/project/.gemini/settings.json',
    'copilot-cli': '/project/.github/mcp.json',
    antigravity: '/project/.agents/mcp_config.json',
  });
});

it('takes the file that exists where a client reads several', () => {
  const exists = (file: string): boolean => file.endsWith('.jsonc') || file.includes('/antigravity/');
  expect(fileOf(clientById('opencode'), 'project', LINUX, exists)).toBe('/project/opencode.jsonc');
  expect(fileOf(clientById('antigravity'), 'global', LINUX, exists)).toBe(
    '/home/ada/.gemini/antigravity/mcp_config.json',
  );
});

it('puts the servers of OpenCode where its version has them', () => {
  const { container } = clientById('opencode');
  expect(container({ mcp: { a: { type: 'local' } } }).path).toEqual(['mcp']);
  expect(container({ mcp: { servers: { a: {} } } }).path).toEqual(['mcp', 'servers']);
  // A server of version 1 that is called "servers".
  expect(container({ mcp: { servers: { type: 'local', command: ['x'] } } }).path).toEqual(['mcp']);
});

const SECRET_COMMAND: ServerEntry = { kind: 'stdio', command: 'run', args: [], env: { KEY: `\${KEY}` } };
const SECRET_REMOTE: ServerEntry = {
  kind: 'http',
  url: 'https://example.com/mcp',
  headers: { Authorization: `Bearer \${KEY}`, 'X-Key': `\${KEY}` },
};

it('writes a secret of a command in the syntax of each client', () => {
  const written = CLIENTS.map((client) => {
    const { written: fields, warnings } = entryFor(client, 'n', SECRET_COMMAND, { KEY: 'hush' });
    const { env, environment, envs, env_keys, env_vars } = fields;
    return [client.id, env_keys ?? env_vars ?? env ?? environment ?? envs, warnings.length];
  });
  expect(written).toEqual([
    ['claude-desktop', { KEY: 'hush' }, 1],
    ['claude-code', { KEY: `\${KEY}` }, 0],
    ['cursor', { KEY: `\${env:KEY}` }, 0],
    ['windsurf', { KEY: `\${env:KEY}` }, 0],
    ['vscode', { KEY: `\${env:KEY}` }, 0],
    ['opencode', { KEY: '{env:KEY}' }, 0],
    ['continue', { KEY: `\${{ secrets.KEY }}` }, 0],
    ['goose', ['KEY'], 0],
    ['codex', ['KEY'], 0],
    ['gemini', { KEY: `\${KEY}` }, 0],
    ['copilot-cli', { KEY: `\${KEY}` }, 0],
    ['antigravity', { KEY: 'hush' }, 1],
  ]);
});

it('writes a secret of a URL in the syntax of each client, and reads it back', () => {
  for (const client of CLIENTS.filter(({ transports }) => transports.includes('http'))) {
    const { written, warnings } = entryFor(client, 'n', SECRET_REMOTE, { KEY: 'hush' });
    const spelled = client.references !== 'everywhere';
    expect(JSON.stringify(written).includes('hush')).toBe(spelled);
    expect(warnings).toHaveLength(spelled ? 1 : 0);
    if (!spelled) expect(client.read(written)).toEqual(SECRET_REMOTE);
  }
  expect(clientById('codex').write(SECRET_REMOTE, 'n')).toEqual({
    url: 'https://example.com/mcp',
    bearer_token_env_var: 'KEY',
    env_http_headers: { 'X-Key': 'KEY' },
  });
});

it('warns of a secret that is given in full', () => {
  const entry: ServerEntry = {
    kind: 'stdio',
    command: 'run',
    args: [],
    env: { API_KEY: 'abc', LEVEL: 'debug' },
  };
  expect(entryFor(clientById('cursor'), 'n', entry, {}).warnings).toEqual([
    expect.stringContaining('API_KEY is written to the file of Cursor as plain text; --env API_KEY'),
  ]);
});

it('keeps the old transport apart where the client does', () => {
  const old: ServerEntry = { kind: 'sse', url: 'https://example.com/sse', headers: {} };
  expect(clientById('gemini').write(old, 'n')).toEqual({ url: 'https://example.com/sse' });
  expect(clientById('gemini').read({ url: 'https://example.com/sse' })).toEqual(old);
  expect(clientById('gemini').write({ ...old, kind: 'http' }, 'n')).toEqual({
    httpUrl: 'https://example.com/sse',
  });
  expect(() => entryFor(clientById('codex'), 'n', old, {})).toThrow(
    'Codex does not take servers of type sse',
  );
});

it('does not copy inputs of VS Code to clients that would send them as they stand', () => {
  const entry: ServerEntry = { kind: 'stdio', command: 'run', args: [], env: { KEY: `\${input:key}` } };
  expect(() => entryFor(clientById('cursor'), 'n', entry, {})).toThrow(
    'only VS Code asks for; give the value with --env',
  );
  expect(entryFor(clientById('vscode'), 'n', entry, {}).written).toMatchObject({ env: entry.env });
});
