import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseJsonc } from '../../../src/cli/target/jsonc.js';
import { SAMPLES } from '../../support/client-config-samples.js';
import { DEMO, plumb } from './plumb.js';

let home: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'plumb-add-'));
  project = join(home, 'work');
  mkdirSync(project);
  env = {
    HOME: home,
    USERPROFILE: home,
    XDG_CONFIG_HOME: '',
    APPDATA: '',
    CODEX_HOME: '',
    COPILOT_HOME: '',
    DOCS_TOKEN: 'hush',
  };
});

afterEach(() => rmSync(home, { recursive: true, force: true }));

function run(...words: string[]): ReturnType<typeof plumb> {
  return plumb(words, { cwd: project, env });
}

/** Writes a file below the home folder, and returns its path. */
function have(path: string, text: string): string {
  const file = join(home, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

it('adds a server that answers to several clients, lists it, uses it, and removes it without a trace', async () => {
  const cursor = have('.cursor/mcp.json', SAMPLES.cursor ?? '');
  const codex = have('.codex/config.toml', SAMPLES.codex ?? '');
  const goose = have('.config/goose/config.yaml', SAMPLES.goose ?? '');
  chmodSync(cursor, 0o640);

  const added = await run('add', 'demo', '--client', 'cursor,codex', '--client', 'goose', ...DEMO);
  expect(added).toMatchObject({ code: 0 });
  expect(added.stderr).toContain('Connected to plumb-demo');
  expect(added.stdout).toContain(`Added demo in Cursor (global): ${cursor}`);
  expect(parseJsonc(readFileSync(cursor, 'utf8'))).toMatchObject({
    mcpServers: { linear: {}, demo: { command: process.execPath } },
  });
  expect(readFileSync(codex, 'utf8')).toContain('[mcp_servers.demo]');
  if (process.platform !== 'win32') expect(statSync(cursor).mode & 0o777).toBe(0o640);
  expect(readdirSync(join(home, '.cursor'))).toEqual(['mcp.json']);

  const listed = await run('list', '--clients', '--json');
  const servers = JSON.parse(listed.stdout).clients.map(
    ({ client, servers: found }: { client: string; servers: { name: string }[] }) => [
      client,
      found.map(({ name }) => name),
    ],
  );
  expect(servers).toEqual([
    ['cursor', ['linear', 'demo']],
    ['goose', ['developer', 'gdrive', 'demo']],
    ['codex', ['context7', 'figma.com', 'demo']],
  ]);
  // The entry is one that the other commands take.
  const called = await run('call', 'demo', 'echo', 'message=hi', '--config', cursor);
  expect(called).toMatchObject({ code: 0, stdout: expect.stringContaining('hi') });

  const removed = await run('remove', 'demo', '--yes');
  expect(removed).toMatchObject({ code: 0 });
  expect(readFileSync(cursor, 'utf8')).toBe(SAMPLES.cursor);
  expect(readFileSync(codex, 'utf8')).toBe(SAMPLES.codex);
  expect(readFileSync(goose, 'utf8')).toBe(SAMPLES.goose);
});

it('gives back files in which nothing tells what was there before, and removes one that it created', async () => {
  const vscode = have('.config/Code/User/mcp.json', '{ }\n');
  const gemini = have('.gemini/settings.json', '{"ui": {}, "mcpServers": {\n}}');
  for (const name of ['one', 'two']) {
    expect(
      await run(
        'add',
        name,
        'https://example.com/mcp',
        '--no-verify',
        '--client',
        'vscode,gemini,copilot-cli',
      ),
    ).toMatchObject({ code: 0 });
  }
  for (const name of ['one', 'two']) expect(await run('remove', name, '--yes')).toMatchObject({ code: 0 });
  expect(readFileSync(vscode, 'utf8')).toBe('{ }\n');
  expect(readFileSync(gemini, 'utf8')).toBe('{"ui": {}, "mcpServers": {\n}}');
  expect(existsSync(join(home, '.copilot/mcp-config.json'))).toBe(false);
});

it('writes nothing when the server does not answer, and with --no-verify does', async () => {
  const script = 'console.error("no key"); process.exit(3)';
  const words = ['--client', 'cursor', '--', process.execPath, '-e', script];
  const refused = await run('add', 'broken', ...words);
  expect(refused).toMatchObject({ code: 3, stdout: '' });
  expect(refused.stderr).toContain(
    'before it answered; nothing was written, --no-verify writes anyway; its last stderr lines:\n  no key\n',
  );
  expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(false);
  expect(await run('add', 'broken', '--no-verify', ...words)).toMatchObject({ code: 0 });
  expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(true);
});

it('shows a diff with --dry-run and leaves the files alone', async () => {
  const cursor = have('.cursor/mcp.json', SAMPLES.cursor ?? '');
  const { code, stdout } = await run(
    'add',
    'docs',
    'https://example.com/mcp',
    '--client',
    'cursor',
    '--dry-run',
  );
  expect(code).toBe(0);
  expect(stdout).toContain('+\t\t"docs": {\n+\t\t\t"url": "https://example.com/mcp"\n+\t\t},\n');
  expect(stdout.split('\n').filter((line) => line.startsWith('-') && !line.startsWith('---'))).toEqual([]);
  expect(readFileSync(cursor, 'utf8')).toBe(SAMPLES.cursor);
  expect(existsSync(join(home, '.config/plumb'))).toBe(false);
});

it('writes secrets as references, and warns where a client has none', async () => {
  const header = `Authorization: Bearer \${DOCS_TOKEN}`;
  const clients = 'cursor,codex,opencode,antigravity';
  const added = await run(
    'add',
    'docs',
    'https://example.com/mcp',
    '--header',
    header,
    '--client',
    clients,
    '--no-verify',
  );
  expect(added).toMatchObject({ code: 0 });
  expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8')).toContain(`Bearer \${env:DOCS_TOKEN}`);
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toContain(
    'bearer_token_env_var = "DOCS_TOKEN"',
  );
  expect(readFileSync(join(home, '.config/opencode/opencode.json'), 'utf8')).toContain(
    'Bearer {env:DOCS_TOKEN}',
  );
  expect(readFileSync(join(home, '.gemini/config/mcp_config.json'), 'utf8')).toContain('Bearer hush');
  expect(added.stderr).toMatch(
    /warning: Antigravity .*value of DOCS_TOKEN is written to its file as plain text/,
  );
  expect(added.stderr.match(/warning/g)).toHaveLength(1);
  // Read back from one client, the reference gets the syntax of another.
  expect(await run('add', 'docs', '--from', 'codex', '--client', 'gemini', '--no-verify')).toMatchObject({
    code: 0,
  });
  expect(readFileSync(join(home, '.gemini/settings.json'), 'utf8')).toContain(`Bearer \${DOCS_TOKEN}`);
});

it('marks broken entries and files in the list, with the fix', async () => {
  have('.cursor/mcp.json', '{"mcpServers": {"gone": {"command": "no-such-program-here"}, "empty": {}}}');
  have('.codeium/windsurf/mcp_config.json', '{"mcpServers": {');
  have(
    '.codex/config.toml',
    '[mcp_servers.docs]\nurl = "https://example.com/mcp"\nheaders = { "X-A" = "b" }\n',
  );
  have('work/.vscode/mcp.json', '{"mcpServers": {"docs": {"url": "https://example.com/mcp"}}}');
  const { code, stdout } = await run('list', '--clients');
  expect(code).toBe(0);
  expect(stdout).toContain('broken: the command no-such-program-here is not found');
  expect(stdout).toContain(
    'fix: install no-such-program-here, or plumb remove gone --client cursor --scope global',
  );
  expect(stdout).toContain('broken: has neither a command nor a URL');
  expect(stdout).toMatch(/broken: not valid JSON at line 1/);
  expect(stdout).toContain('broken: VS Code reads "servers", and this file has "mcpServers"');
  expect(stdout).toContain('broken: has a field that Codex does not know: "headers"');
  const fix = 'add docs --from codex --client codex --scope global --force';
  expect(stdout).toContain(`fix: plumb ${fix}`);
  expect(await run(...fix.split(' '), '--no-verify')).toMatchObject({ code: 0 });
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe(
    '[mcp_servers.docs]\nurl = "https://example.com/mcp"\nhttp_headers = { X-A = "b" }\n',
  );
});

it('refuses what it cannot do, and changes no file then', async () => {
  const cursor = have('.cursor/mcp.json', '{"mcpServers": {"docs": {"url": "https://a.example/mcp"}}}');
  const broken = have('.gemini/settings.json', '{"mcpServers": {');
  const refused: [string[], string][] = [
    [
      ['docs', 'https://b.example/mcp', '--client', 'cursor'],
      'Cursor already has a server "docs"; use --force',
    ],
    [['x', 'https://b.example/mcp', '--client', 'cursor,gemini'], `${broken} is not valid JSON at line 1`],
    [
      ['x', 'https://b.example/mcp', '--client', 'claude-desktop'],
      'Claude Desktop does not take servers of type http',
    ],
    [['x', 'https://b.example/mcp', '--client', 'goose', '--scope', 'project'], 'use --scope global'],
    [
      ['x', 'https://b.example/mcp', '--client', 'nano'],
      '"nano" is not a client; choose from: claude-desktop',
    ],
    [['x', 'https://b.example/mcp'], 'Which client? Give --client (found on this machine: cursor'],
    [['x'], 'No target for "x"'],
    [['a b', 'https://b.example/mcp', '--client', 'cursor'], '"a b" is not a name'],
    [['x', '--from', 'cursor', '--client', 'codex'], 'Cursor has no server "x"'],
    [['x', '--client', 'antigravity', '--env', 'NOT_SET_HERE', '--', 'node'], 'NOT_SET_HERE is not set here'],
  ];
  for (const [words, message] of refused) {
    const { code, stderr } = await run('add', '--no-verify', ...words);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  }
  expect(await run('remove', 'nothing')).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /warning: .*settings.json is not valid JSON.*No client has a server "nothing"/s,
    ),
  });
  expect(readFileSync(cursor, 'utf8')).toBe('{"mcpServers": {"docs": {"url": "https://a.example/mcp"}}}');
  expect(readFileSync(broken, 'utf8')).toBe('{"mcpServers": {');
});

it('takes npm packages, server.json files and files of this folder, and keeps a symbolic link', async () => {
  const real = have('dotfiles/cursor.json', '{\n  "mcpServers": {}\n}\n');
  mkdirSync(join(home, '.cursor'));
  symlinkSync(real, join(home, '.cursor/mcp.json'));
  writeFileSync(join(project, 'server.js'), '');
  writeFileSync(
    join(project, 'server.json'),
    JSON.stringify({
      name: 'io.github.ada/weather',
      packages: [
        {
          registryType: 'npm',
          identifier: '@ada/weather',
          version: '1.2.0',
          transport: { type: 'stdio' },
          packageArguments: [{ type: 'named', name: '--units', value: 'si' }],
          environmentVariables: [{ name: 'WEATHER_KEY', isSecret: true, isRequired: true }],
        },
      ],
    }),
  );
  const into = ['--client', 'cursor', '--no-verify'];
  expect(await run('add', 'npm:@modelcontextprotocol/server-memory', ...into)).toMatchObject({ code: 0 });
  expect(
    await run('add', 'files', 'npm:@modelcontextprotocol/server-filesystem@1', '/data', ...into),
  ).toMatchObject({ code: 0 });
  expect(await run('add', 'server.json', ...into)).toMatchObject({ code: 0 });
  expect(await run('add', 'own', ...into, '--', 'node', 'server.js', '--fast')).toMatchObject({ code: 0 });
  expect(lstatSync(join(home, '.cursor/mcp.json')).isSymbolicLink()).toBe(true);
  expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual({
    mcpServers: {
      memory: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] },
      files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem@1', '/data'] },
      weather: {
        command: 'npx',
        args: ['-y', '@ada/weather@1.2.0', '--units', 'si'],
        env: { WEATHER_KEY: `\${env:WEATHER_KEY}` },
      },
      own: { command: 'node', args: [join(project, 'server.js'), '--fast'] },
    },
  });
});

it('knows that the project in the home folder has the global files', async () => {
  const codex = have('.codex/config.toml', SAMPLES.codex ?? '');
  const inHome = (...words: string[]): ReturnType<typeof plumb> => plumb(words, { cwd: home, env });
  expect(
    await inHome('add', 'x', 'https://example.com/mcp', '--client', 'codex', '--no-verify'),
  ).toMatchObject({ code: 0 });
  const { clients } = JSON.parse((await inHome('list', '--clients', '--json')).stdout);
  expect(clients).toMatchObject([{ client: 'codex', scope: 'global' }]);
  expect(clients).toHaveLength(1);
  expect(await inHome('remove', 'x')).toMatchObject({ code: 0 });
  expect(readFileSync(codex, 'utf8')).toBe(SAMPLES.codex);
});
