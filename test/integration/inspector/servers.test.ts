/** Servers in the inspector: where they come from, how their connections live, in every revision. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { clientConfigs } from '../../../src/cli/target/client-configs.js';
import { findRevision, REVISIONS } from '../../../src/protocol/revisions/index.js';
import { InspectorPage } from '../../support/inspector-page.js';
import { v1Sse, v2Handler } from '../interop/official-http-servers.js';

const file = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const EVERYTHING = file('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js');
const UNSTEADY = file('../../fixtures/stdio/unsteady.mjs');

async function demoUrl(): Promise<string> {
  const handle = await createDemoServer().http({ port: 0 });
  onTestFinished(() => handle.close({ drain: 0 }));
  return handle.url;
}

describe('connecting', () => {
  it.each(REVISIONS.map(({ version }) => version))('speaks %s when it is pinned', async (revision) => {
    const page = await InspectorPage.open();
    const { id, session, pinned } = await page.connect({ kind: 'url', url: await demoUrl(), revision });
    expect({ pinned, revision: session?.revision, era: session?.era }).toEqual({
      pinned: revision,
      revision,
      era: findRevision(revision)?.lifecycle,
    });
    expect(session?.server?.name).toBe('plumb-demo');
    const { tools, resources, templates, prompts } = await page.command('catalogue.get', { server: id });
    expect(tools.items.map(({ name }) => name)).toContain('add');
    expect([resources.items.length, templates.items.length, prompts.items.length].every((n) => n > 0)).toBe(
      true,
    );
    const outcome = await page.call(id, { kind: 'tool', name: 'add', arguments: { a: 2, b: 3 } });
    expect(outcome).toMatchObject({ ok: true });
    expect(JSON.stringify(outcome)).toContain('5');
    const [request] = await page.messages({ kinds: ['request'], methods: ['tools/call'] });
    expect(request).toMatchObject({ revision, subject: 'add', transport: 'http' });
  });

  it('uses a server on the official SDK v2, in the newest revision', async () => {
    const { url } = await v2Handler('reject');
    const page = await InspectorPage.open();
    const { id, session } = await page.connect({ kind: 'url', url });
    expect(session).toMatchObject({ era: 'stateless', server: { name: 'official v2' } });
    const outcome = await page.call(id, { kind: 'tool', name: 'echo', arguments: { text: 'hi' } });
    expect(outcome).toMatchObject({ ok: true, result: { content: [{ type: 'text', text: 'hi' }] } });
  });

  it('uses server-everything over stdio, and shows its stderr', async () => {
    const page = await InspectorPage.open();
    const { id, session, address } = await page.connect({
      kind: 'command',
      command: process.execPath,
      args: [EVERYTHING, 'stdio'],
    });
    expect(session).toMatchObject({ era: 'handshake', transport: 'stdio' });
    expect(address).toMatchObject({ kind: 'command', command: process.execPath });
    const outcome = await page.call(id, { kind: 'tool', name: 'echo', arguments: { message: 'hi' } });
    expect(outcome).toMatchObject({ ok: true });
    await page.event('stderr', ({ server }) => server === id);
    expect((await page.command('servers.stderr', { server: id })).text).not.toBe('');
  });

  it('tells which transport it is when a server speaks only HTTP+SSE', async () => {
    const { url } = await v1Sse();
    const page = await InspectorPage.open();
    const { session } = await page.connect({ kind: 'url', url });
    expect(session?.transport).toBe('sse');
    expect((await page.messages({ kinds: ['result'] })).at(-1)?.transport).toBe('sse');
  });

  it('pins another revision and goes back to the best one', async () => {
    const page = await InspectorPage.open();
    const { id } = await page.connect({ kind: 'url', url: await demoUrl() });
    const [oldest] = REVISIONS;
    await page.command('servers.pin', { server: id, revision: oldest?.version ?? '' });
    await page.event(
      'server',
      ({ server }) => server.session?.revision === oldest?.version && server.state === 'ready',
    );
    page.events.length = 0;
    await page.command('servers.pin', { server: id, revision: null });
    await page.event(
      'server',
      ({ server }) => server.session?.revision === REVISIONS.at(-1)?.version && server.state === 'ready',
    );
    expect(await page.refusal('servers.pin', { server: id, revision: '1999-01-01' })).toMatchObject({
      status: 400,
    });
  });

  it('tells of a connection that is lost and comes back', async () => {
    const page = await InspectorPage.open();
    const { id } = await page.connect({ kind: 'command', command: process.execPath, args: [UNSTEADY] });
    page.events.length = 0;
    await page.call(id, { kind: 'tool', name: 'leave', arguments: {} });
    const lost = await page.state(id, 'backoff');
    expect(lost.failure?.code).toBe('connection_closed');
    expect(lost.nextAttemptAt).toBeGreaterThan(Date.now() - 5_000);
    const back = await page.state(id, 'ready');
    expect(back.history.map(({ state }) => state)).toContain('backoff');
  });

  it('says why a program cannot be started, and stops trying', async () => {
    const page = await InspectorPage.open();
    const { id } = await page.command('servers.add', { kind: 'command', command: '/no/such/program' });
    const { failure } = await page.state(id, 'closed', 25_000);
    expect(failure?.message).toContain('/no/such/program');
    expect(await page.refusal('catalogue.get', { server: id })).toMatchObject({
      status: 409,
      code: 'not_connected',
    });
  });

  it('measures a round trip, disconnects, connects again and removes', async () => {
    const page = await InspectorPage.open();
    const { id } = await page.connect({ kind: 'url', url: await demoUrl() });
    const { health } = await page.command('servers.ping', { server: id });
    expect(health.ping?.durationMs).toBeGreaterThan(0);
    expect(await page.command('servers.disconnect', { server: id })).toMatchObject({ state: 'closed' });
    page.events.length = 0;
    await page.command('servers.connect', { server: id });
    await page.state(id, 'ready');
    await page.command('servers.remove', { server: id });
    await page.event('serverRemoved', ({ server }) => server === id);
    expect(await page.refusal('servers.ping', { server: id })).toMatchObject({ status: 404 });
  });

  it('has one connection however often it is asked to connect at once', async () => {
    const page = await InspectorPage.open();
    const { id } = await page.connect({ kind: 'command', command: process.execPath, args: [UNSTEADY] });
    await Promise.all([1, 2, 3].map(() => page.command('servers.connect', { server: id })));
    const pid = async (): Promise<string> =>
      JSON.stringify(await page.call(id, { kind: 'tool', name: 'pid', arguments: {} }).catch(() => ''));
    await expect.poll(pid).toMatch(/"text":"\d+"/);
    await page.command('servers.disconnect', { server: id });
    expect(await page.refusal('servers.ping', { server: id })).toMatchObject({ code: 'not_connected' });
  });

  it('shows a page that opens later everything at once', async () => {
    const page = await InspectorPage.open();
    await page.connect({ kind: 'url', url: await demoUrl(), name: 'first' });
    const second = await InspectorPage.at(page.url);
    const { snapshot } = await second.event('hello');
    expect(snapshot.servers).toMatchObject([{ name: 'first', state: 'ready' }]);
    expect(snapshot.revisions.map(({ version }) => version)).toEqual(REVISIONS.map(({ version }) => version));
    expect(snapshot.timeline.messages).toBeGreaterThan(0);
  });
});

describe('configuration files of other clients', () => {
  it('are found, listed without their secrets, and connected to', async () => {
    const home = mkdtempSync(join(tmpdir(), 'plumb-inspector-'));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    mkdirSync(join(home, '.cursor'));
    mkdirSync(join(home, '.config', 'Claude'), { recursive: true });
    const cursor = join(home, '.cursor', 'mcp.json');
    const demo = { command: process.execPath, args: [UNSTEADY], env: { API_KEY: 'abcdefghijklmnop' } };
    const remote = {
      url: 'https://example.com/mcp?api_key=abcdefghijklmnop',
      headers: { Authorization: 'Bearer abc' },
    };
    writeFileSync(cursor, JSON.stringify({ mcpServers: { demo, remote, off: { ...demo, disabled: true } } }));
    writeFileSync(join(home, '.config', 'Claude', 'claude_desktop_config.json'), '{ broken');
    const environment = { XDG_CONFIG_HOME: join(home, '.config') };
    const configs = clientConfigs({ home, directory: home, platform: 'linux', environment });
    const page = await InspectorPage.open({ configs });
    const { configs: found } = await page.command('configs.list', {});
    const [inProject, claude] = ['Cursor (project)', 'Claude Desktop'].map((client) =>
      found.find((config) => config.client === client),
    );
    expect(inProject?.servers).toMatchObject([
      { name: 'demo', kind: 'command', disabled: false },
      { name: 'remote', kind: 'url' },
      { name: 'off', disabled: true },
    ]);
    expect(claude?.problem).toContain('JSON');
    expect(JSON.stringify(found)).not.toContain('abcdefghijklmnop');
    const server = await page.connect({ kind: 'config', path: cursor, server: 'demo' });
    expect(server).toMatchObject({ name: 'demo', source: { kind: 'config', client: 'Cursor (project)' } });
    expect(JSON.stringify(page.events)).not.toContain('abcdefghijklmnop');
    expect(
      await page.refusal('servers.add', { kind: 'config', path: '/etc/passwd', server: 'demo' }),
    ).toMatchObject({
      status: 400,
    });
  });
});
