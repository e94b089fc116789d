/** `plumb inspect` and `plumb start`, as users run them. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../support/free-port.js';
import { InspectorPage } from '../../support/inspector-page.js';
import { DEMO, type Running, start } from '../cli/plumb.js';

function run(
  words: readonly string[],
  home = mkdtempSync(join(tmpdir(), 'plumb-home-')),
): Running & { readonly home: string } {
  const env = { XDG_CONFIG_HOME: home, HOME: home, BROWSER: '', DISPLAY: '', WAYLAND_DISPLAY: '' };
  const running = start(words, { env });
  onTestFinished(async () => {
    running.process.kill('SIGKILL');
    await running.ended;
    rmSync(home, { recursive: true, force: true });
  });
  return Object.assign(running, { home });
}

async function addressOf(running: Running): Promise<URL> {
  const find = (): string | undefined => /http:\/\/127\.0\.0\.1:\d+\/t\/[\w-]+\//.exec(running.stdout())?.[0];
  await expect.poll(find, { interval: 20 }).toBeDefined();
  return new URL(find() ?? '');
}

it('inspect opens on its target, and Ctrl-C ends it with the servers it started', async () => {
  const running = run(['inspect', '--no-open', ...DEMO]);
  const page = await InspectorPage.at(await addressOf(running));
  const server = await page.ready();
  expect(server).toMatchObject({ source: { kind: 'command line' }, address: { kind: 'command' } });
  const outcome = await page.call(server.id, { kind: 'raw', method: 'tools/list', params: {} });
  expect(outcome).toMatchObject({ ok: true });
  running.process.kill('SIGINT');
  expect((await running.ended).code).toBe(130);
});

it('inspect pins a revision, and without a target opens with the servers of earlier runs', async () => {
  const pinned = run(['inspect', '--no-open', '--revision', '2025-03-26', ...DEMO]);
  const page = await InspectorPage.at(await addressOf(pinned));
  const { snapshot } = await page.event('hello');
  expect(snapshot.servers).toMatchObject([{ pinned: '2025-03-26' }]);
  const empty = run(['inspect', '--no-open']);
  const other = await InspectorPage.at(await addressOf(empty));
  expect((await other.event('hello')).snapshot.servers).toEqual([]);
  await other.command('servers.add', {
    kind: 'url',
    url: 'http://127.0.0.1:9/mcp',
    name: 'kept',
    connect: false,
  });
  const again = run(['inspect', '--no-open'], empty.home);
  const later = await InspectorPage.at(await addressOf(again));
  expect((await later.event('hello')).snapshot.servers).toMatchObject([{ name: 'kept', state: 'idle' }]);
});

it('start opens on the demo, with the chain watched', async () => {
  const port = String(await freePort());
  const running = run(['start', '--no-open', '--port', port]);
  const url = await addressOf(running);
  const response = await fetch(url);
  expect(response.status).toBe(200);
  const html = await response.text();
  const assets = [...html.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map((match) => match[1] ?? '');
  const loaded = await Promise.all(
    assets.map((asset) => fetch(new URL(asset, url)).then(({ status }) => status)),
  );
  const page = await InspectorPage.at(url);
  const ready = await page.ready();
  const { tools } = await page.command('catalogue.get', { server: ready.id });
  expect(tools.items.length).toBeGreaterThan(0);
  expect(assets.length).toBeGreaterThan(0);
  expect(new Set(loaded)).toEqual(new Set([200]));
  const { snapshot } = await page.event('hello');
  expect(snapshot.chains).toMatchObject([{ name: 'Demo chain' }]);
  const outcome = await page.call(ready.id, { kind: 'tool', name: 'add', arguments: { a: 2, b: 3 } });
  expect(outcome).toMatchObject({ ok: true });
  const hops = (await page.messages({ methods: ['tools/call'], kinds: ['request'] })).map(({ hop }) => hop);
  expect(hops).toEqual(['direct', 'client', 'upstream']);
  expect((await fetch(url.origin)).status).toBe(401);
  expect((await fetch(new URL('/metrics', url))).status).toBe(200);
  running.process.kill('SIGTERM');
  await running.ended;
});

it('a chain that is served with --inspect can be watched from both sides', async () => {
  const running = run(['proxy', '--http', '0', '--inspect', ...DEMO]);
  const said = (pattern: RegExp): string | undefined => pattern.exec(running.stderr())?.[1];
  await expect.poll(() => said(/listens at (\S+?)\. /)).toBeDefined();
  const page = await InspectorPage.at(new URL(said(/inspector is at (\S+)/) ?? ''));
  const { snapshot } = await page.event('hello');
  expect(snapshot.chains).toMatchObject([{ name: 'Proxy', upstreams: ['server'] }]);
  const { id } = await page.connect({ kind: 'url', url: said(/listens at (\S+?)\. /) ?? '' });
  await page.call(id, { kind: 'tool', name: 'add', arguments: { a: 2, b: 3 } });
  const calls = await page.messages({ methods: ['tools/call'], kinds: ['request'] });
  expect(calls.map(({ hop, transport }) => `${hop} ${transport}`)).toEqual([
    'direct http',
    'client http',
    'upstream stdio',
  ]);
  running.process.kill('SIGINT');
  await running.ended;
});
