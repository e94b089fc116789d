/** `plumb proxy` and `plumb chain` in front of servers that start slowly, fail, or change: official clients, real servers. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { isAlive, untilGone } from '../../support/processes.js';
import { EVERYTHING, fixture, plumb } from './plumb.js';

const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const SERVER = EVERYTHING[2] ?? '';
const MEMORY = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-memory/dist/index.js', import.meta.url),
);
const SOON = { timeout: 30_000 };
const KEY = 'abcdefghijklmnop';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-starting-'));
  cleanup(() => rm(folder, { recursive: true, force: true }));
});

interface Front {
  readonly client: Client;
  readonly stderr: () => string;
  readonly connected: Promise<void>;
}

/** The v1 client in front of `plumb`. */
function front(words: readonly string[]): Front {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, ...words],
    stderr: 'pipe',
  });
  let stderr = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  const client = new Client({ name: 'test', version: '1' });
  cleanup(() => client.close());
  const connected = client.connect(transport);
  connected.catch(() => undefined);
  return { client, stderr: () => stderr, connected };
}

function slowStarter(): string[] {
  return fixture('slow-starter', join(folder, 'go'), SERVER, 'stdio');
}

function slowEntry(): object {
  const [, command, ...args] = slowStarter();
  return { command, args };
}

async function mcpJson(servers: object): Promise<string> {
  const path = join(folder, 'mcp.json');
  await writeFile(path, JSON.stringify({ mcpServers: servers }));
  return path;
}

const memory = { command: process.execPath, args: [MEMORY] };

async function prefixes(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  return [...new Set(tools.map(({ name }) => name.split('__')[0] ?? ''))];
}

describe('plumb proxy', () => {
  it('lets initialize wait for a slow server, and introduces the real one', async () => {
    const { client, stderr, connected } = front(['proxy', ...slowStarter()]);
    await expect
      .poll(stderr, SOON)
      .toMatch(/^plumb: server is still starting, [\d.]+ s of 60 s; stderr: npm warn exec/);
    await writeFile(join(folder, 'go'), '');
    await connected;
    expect(client.getServerVersion()?.name).toBe('mcp-servers/everything');
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(stderr()).toMatch(/plumb: server is ready after [\d.]+ s\n$/);
  }, 60_000);

  it('serves the v2 client of a slow server too', async () => {
    const client = new ClientV2({ name: 'test', version: '1' });
    cleanup(() => client.close());
    const connected = client.connect(
      new StdioV2({ command: process.execPath, args: [MAIN, 'proxy', ...slowStarter()], stderr: 'ignore' }),
    );
    await writeFile(join(folder, 'go'), '');
    await connected;
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  }, 60_000);

  it('names the limit that its server reached', async () => {
    const { stderr, connected } = front(['proxy', '--connect-timeout', '500ms', ...slowStarter()]);
    await expect(connected).rejects.toThrow(/is not available: it did not answer within 0.5 s of its start/);
    expect(stderr()).toMatch(
      /^plumb: server did not answer within 500 ms and was ended; raise --connect-timeout, .*; stderr: npm warn .*\(attempt 1 of 5\); next attempt in 1 s at the earliest\n$/,
    );
  }, 60_000);

  it('reports a command that does not exist to its client and its operator', async () => {
    const { stderr, connected } = front(['proxy', '--', 'no-such-command']);
    await expect(connected).rejects.toThrow(/is not available: its command could not be started/);
    expect(stderr()).toMatch(
      /^plumb: server could not be started: Command not found: "no-such-command"[^\n]*\n$/,
    );
    expect(await plumb(['proxy', '--http', '0', '--', 'no-such-command'])).toMatchObject({
      code: 3,
      stderr: 'plumb: Command not found: "no-such-command"; check that it is installed and on the PATH\n',
    });
  }, 60_000);

  it('shows the stderr of its server with --stderr, and one line for its failure without secrets', async () => {
    const script = `console.error('token is ${KEY}'); throw new Error('no access with --api-key ${KEY}')`;
    const command = ['--env', `API_KEY=${KEY}`, '--', process.execPath, '-e', script];
    const shown = front(['proxy', '--stderr', ...command]);
    await expect(shown.connected).rejects.toThrow(/it ended/);
    expect(shown.stderr()).toContain('token is abc••••\n');
    const quiet = front(['proxy', ...command]);
    await expect(quiet.connected).rejects.toThrow(/it ended/);
    expect(quiet.stderr()).toMatch(
      /^plumb: server ended with exit code 1 while it started; stderr: Error: no access with --api-key abc•••• \(attempt 1 of 5\); next attempt in 1 s at the earliest\n$/,
    );
    expect(shown.stderr() + quiet.stderr()).not.toContain(KEY);
  }, 60_000);
});

describe('plumb chain', () => {
  it('answers its first client without a slow server, which joins with a notification', async () => {
    const path = await mcpJson({
      memory,
      slow: slowEntry(),
      exits: { command: process.execPath, args: ['-e', 'process.exit(7)'] },
    });
    const { client, stderr, connected } = front(['chain', '--mcp', path]);
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    await connected;
    expect(client.getServerCapabilities()).toMatchObject({
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true },
    });
    expect(await prefixes(client)).toEqual(['memory']);
    await writeFile(join(folder, 'go'), '');
    await expect.poll(() => changes, SOON).toBeGreaterThan(0);
    expect(await prefixes(client)).toEqual(['memory', 'slow']);
    const sum = await client.callTool({ name: 'slow__get-sum', arguments: { a: 2, b: 3 } });
    expect(JSON.stringify(sum.content)).toContain('5');
    expect(stderr()).toMatch(/^plumb: exits ended with exit code 7 while it started \(attempt 1 of 5\)/m);
    for (const line of stderr().trimEnd().split('\n')) expect(line).toMatch(/^plumb: (?:exits|slow) /);
  }, 90_000);

  it('takes the limit of all servers from its flag, and of one from a chain file', async () => {
    const entry = slowEntry();
    const path = join(folder, 'chain.json');
    await writeFile(path, JSON.stringify({ servers: { slow: { ...entry, connectTimeout: '400ms' } } }));
    await expect(front(['chain', path]).connected).rejects.toThrow(/did not answer within 0.4 s/);
    const limited = front(['chain', path, '--connect-timeout', '300ms']);
    await expect(limited.connected).rejects.toThrow(/did not answer within 0.3 s/);
  }, 60_000);

  it('reads the client configuration again: servers come and go while clients are connected', async () => {
    const path = await mcpJson({ memory });
    const { client, stderr, connected } = front(['chain', '--mcp', path]);
    let changes = 0;
    client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
      changes += 1;
    });
    await connected;
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('read_graph');
    const everything = { command: process.execPath, args: [SERVER, 'stdio'] };
    await mcpJson({ memory, everything });
    await expect.poll(() => changes, SOON).toBeGreaterThan(0);
    expect(await prefixes(client)).toEqual(['memory', 'everything']);
    await writeFile(path, '{ "mcpServers": { "memory": ');
    await expect
      .poll(stderr, SOON)
      .toMatch(/mcp\.json has an error; nothing changed: [^\n]+ is not valid JSON[^\n]*\n$/);
    expect(await prefixes(client)).toEqual(['memory', 'everything']);
    changes = 0;
    await mcpJson({ everything, memory: { ...memory, disabled: true } });
    await expect.poll(() => changes, SOON).toBeGreaterThan(0);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('get-sum');
    expect(names).not.toContain('memory__read_graph');
  }, 90_000);

  it('ends a server that is still starting when its client leaves', async () => {
    const [, command, ...args] = fixture('silent', 'announce');
    const path = await mcpJson({ memory, silent: { command, args } });
    const { client, stderr, connected } = front(['chain', '--mcp', path, '--stderr']);
    await connected;
    const pid = Number(/silent: pid (\d+)/.exec(stderr())?.[1]);
    expect(isAlive(pid)).toBe(true);
    await client.close();
    await untilGone(pid);
  }, 60_000);
});
