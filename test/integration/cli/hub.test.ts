import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect as openSocket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { oauth } from 'plumb-mcp/auth';
import { expect, it, onTestFinished } from 'vitest';
import { Hub } from '../../../src/cli/hub/hub.js';
import { hubPlaces } from '../../../src/cli/hub/hub-places.js';
import { browserless, startAuthorizationServer } from '../../support/authorization-server.js';
import { InspectorPage } from '../../support/inspector-page.js';
import { descendantsOf, leftOf } from '../../support/process-tree.js';
import { startProtectedServer } from '../../support/protected-server.js';
import { plumb, start } from './plumb.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const MAIN = `${root}dist/cli/plumb.cjs`;
const SERVER = fileURLToPath(new URL('./fixtures/hub-server.mjs', import.meta.url));

interface HubHome {
  readonly home: string;
  readonly env: Record<string, string>;
}

/** A home folder with a hub of these servers, which ends with the test. */
function hubHome(servers: Record<string, object>): HubHome {
  const home = mkdtempSync(join(tmpdir(), 'plumb-hub-'));
  mkdirSync(join(home, '.config', 'plumb'), { recursive: true });
  writeFileSync(join(home, '.config', 'plumb', 'hub.json'), JSON.stringify({ mcpServers: servers }));
  const env = { HOME: home, PATH: process.env.PATH ?? '' };
  onTestFinished(async () => {
    await plumb(['hub', 'stop'], { env });
    rmSync(home, { recursive: true, force: true });
  });
  return { home, env };
}

async function connected({ env }: HubHome, name: string): Promise<{ client: Client; pid: number }> {
  const client = new Client({ name: 'v1', version: '1' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: 'file:///work' }] }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [MAIN, 'connect', name],
    env,
    stderr: 'pipe',
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, pid: transport.pid ?? 0 };
}

async function processOf(client: Client): Promise<number> {
  const { content } = await client.callTool({ name: 'pid', arguments: {} });
  const [first] = content as { text: string }[];
  return Number(first?.text);
}

async function status({
  env,
}: HubHome): Promise<{ running: boolean; pid: number; servers: { clients: number }[] }> {
  return JSON.parse((await plumb(['hub', 'status', '--json'], { env })).stdout);
}

it('runs ten servers once each for five official clients, and leaves no process behind when all are killed', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `server-${index}`);
  const entry = { command: process.execPath, args: [SERVER] };
  const home = hubHome(Object.fromEntries(names.map((name) => [name, entry])));
  // All at once, with no hub running: one of them starts it.
  const groups = await Promise.all(
    Array.from({ length: 5 }, () => Promise.all(names.map((name) => connected(home, name)))),
  );
  const pids = await Promise.all(groups.flat().map(({ client }) => processOf(client)));
  expect(new Set(pids).size).toBe(10);
  const { pid, servers } = await status(home);
  expect(servers.map(({ clients }) => clients)).toEqual(names.map(() => 5));
  const children = descendantsOf(pid);
  expect(children.filter(({ command }) => command.includes('hub-server.mjs'))).toHaveLength(10);

  for (const { pid: client } of groups[0] ?? []) process.kill(client, 'SIGKILL');
  await expect
    .poll(async () => (await status(home)).servers.map(({ clients }) => clients))
    .toEqual(names.map(() => 4));
  const survivor = groups[1]?.[0];
  expect(survivor === undefined ? 0 : await processOf(survivor.client)).toBe(pids[0]);

  process.kill(pid, 'SIGKILL');
  await expect.poll(() => leftOf(children, 'no such word')).toEqual([]);
  // Their ends of the hub go too, and the next client starts a new one.
  await expect.poll(() => groups.flat().filter(({ pid: client }) => isAlive(client))).toEqual([]);
  expect(await processOf((await connected(home, 'server-0')).client)).not.toBe(pids[0]);
}, 120_000);

it('listens where only its user can connect, once, and ends servers without clients', async () => {
  const home = hubHome({ one: { command: process.execPath, args: [SERVER] } });
  const first = start(['hub', 'run', '--idle', '300ms'], { env: home.env });
  const second = start(['hub', 'run', '--idle', '300ms'], { env: home.env });
  const loser = await Promise.race([first.ended, second.ended]);
  expect(loser).toMatchObject({ code: 0, stderr: expect.stringContaining('runs already') });
  const folder = join(home.home, '.config', 'plumb');
  await expect.poll(() => statSync(join(folder, 'hub.sock'), { throwIfNoEntry: false })?.mode).toBe(0o140600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);

  const { client } = await connected(home, 'one');
  const pid = await processOf(client);
  await client.close();
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await status(home)).toMatchObject({ running: true, servers: [] });
  expect((await plumb(['logs', 'one'], { env: home.env })).stdout).toContain('one ends because it is idle');
  await plumb(['hub', 'stop'], { env: home.env });
  expect(await status(home)).toMatchObject({ running: false });
});

it('gives each client its own process where the entry says so, or the server asks for roots', async () => {
  const command = process.execPath;
  const home = hubHome({
    own: { command, args: [SERVER], isolate: 'session' },
    curious: { command, args: [SERVER, 'roots'] },
  });
  for (const name of ['own', 'curious']) {
    const [one, other] = await Promise.all([connected(home, name), connected(home, name)]);
    for (const { client } of [one, other])
      await client.callTool({ name: 'roots', arguments: {} }).catch(() => {});
    expect(await processOf(one.client)).not.toBe(await processOf(other.client));
  }
});

it('refuses a name that it does not have, and takes one that is added while it runs', async () => {
  const home = hubHome({ one: { command: process.execPath, args: [SERVER] } });
  expect(await plumb(['connect', 'two'], { env: home.env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The hub has no server "two" (found: one)'),
  });
  const words = ['add', '--hub', 'two', '--client', 'cursor', '--', process.execPath, SERVER];
  expect(await plumb(words, { env: home.env })).toMatchObject({ code: 0 });
  const { mcpServers } = JSON.parse(readFileSync(join(home.home, '.cursor', 'mcp.json'), 'utf8'));
  expect(mcpServers.two.args.slice(-2)).toEqual(['connect', 'two']);
  expect(await processOf((await connected(home, 'two')).client)).toBeGreaterThan(0);
});

it('logs in once for clients that come at the same time', async () => {
  const issuer = await startAuthorizationServer();
  const server = await startProtectedServer(issuer.issuer);
  const home = hubHome({ protected: { url: server.url } });
  let logins = 0;
  const page = browserless();
  const auth = oauth({
    interaction: {
      open: (preferred) => {
        logins += 1;
        return page.open(preferred);
      },
    },
  });
  const places = hubPlaces({
    platform: 'linux',
    environment: {},
    home: home.home,
    temporary: tmpdir(),
    user: '',
  });
  const hub = await Hub.start({
    places,
    auth: () => Promise.resolve(auth),
    idleMs: 60_000,
    hubIdleMs: 60_000,
    inspect: () => Promise.reject(new Error('not here')),
  });
  onTestFinished(async () => {
    await hub?.close();
    await server.close();
    await issuer.close();
  });
  const answers = await Promise.all(Array.from({ length: 5 }, () => initialized(places.socket)));
  expect(answers).toEqual(Array.from({ length: 5 }, () => 'protected'));
  expect(logins).toBe(1);
});

/** The name of the server in the answer to `initialize`. */
async function initialized(path: string): Promise<unknown> {
  const socket = openSocket(path);
  onTestFinished(() => void socket.destroy());
  const params = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'raw', version: '1' },
  };
  socket.write(`${JSON.stringify({ plumb: 1, connect: 'protected' })}\n`);
  socket.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  let text = '';
  while (text.split('\n').length < 3) text += String((await once(socket, 'data'))[0]);
  return JSON.parse(text.split('\n')[1] ?? '{}').result?.serverInfo?.name;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

it('inspects clients and servers that are connected already, without starting a server again', async () => {
  const home = hubHome({ pids: { command: process.execPath, args: [SERVER] } });
  const { client } = await connected(home, 'pids');
  const before = await processOf(client);
  const { stdout } = await plumb(['hub', 'inspect'], { env: home.env });
  const page = await InspectorPage.at(new URL(/inspector is at (\S+)/.exec(stdout)?.[1] ?? ''));
  const { snapshot } = await page.event('hello');
  expect(snapshot.chains).toMatchObject([{ name: 'pids', upstreams: ['pids'] }]);
  expect(await processOf(client)).toBe(before);
  const later = await connected(home, 'pids');
  expect(await processOf(later.client)).toBe(before);
  const requests = await page.messages({ kinds: ['request'] });
  const seen = requests.map(({ connection, method }) => `${connection} ${method}`);
  expect(seen).toEqual(['1 initialize', '1 tools/call', '2 initialize', '2 tools/call']);
  expect(requests.every(({ pair, revision }) => pair !== undefined && revision !== undefined)).toBe(true);
  const { pid } = await status(home);
  await plumb(['hub', 'stop'], { env: home.env });
  await expect.poll(() => isOver(pid), { timeout: 20_000 }).toBe(true);
});

function isOver(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}
