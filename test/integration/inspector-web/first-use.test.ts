/** What a new user does first: servers of other clients are added, and the page opens on a tool that is ready to try. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clientConfigs } from '../../../src/cli/target/client-configs.js';
import { call, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 90_000;
const path = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const DEMO = { command: process.execPath, args: [path('dist/cli/plumb.cjs'), 'demo', '--stdio'] };
const EVERYTHING = {
  command: process.execPath,
  args: [path('node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'],
};
const HOSTILE = path('test/fixtures/hostile-server.mjs');

let home: string;
let inspected: Inspected;
let page: Page;

const config = (file: string, mcpServers: object): void => {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), JSON.stringify({ mcpServers }));
};

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'plumb-first-use-'));
  config('.cursor/mcp.json', {
    demo: DEMO,
    everything: EVERYTHING,
    // Cannot be added: its variable is not set.
    unset: { command: 'node', args: [`\${PLUMB_TEST_NOT_SET}`] },
  });
  config('.codeium/windsurf/mcp_config.json', { demo: DEMO, again: DEMO });
  const environment = { HOME: home, PATH: process.env.PATH };
  const configs = clientConfigs({ home, directory: home, platform: 'linux', environment });
  inspected = await startInspected({ configs });
  page = await inspected.open();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  rmSync(home, { recursive: true, force: true });
});

const idOf = (name: string): string =>
  inspected.inspector.core.servers.all().find((server) => server.name === name)?.id ?? '';
const card = (name: string) => page.getByRole('article', { name, exact: true });

it('adds all servers of all clients at once, each of them once', { timeout: TIMEOUT_MS }, async () => {
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'On this machine' }).click();
  const cursor = dialog.getByRole('region', { name: 'Cursor' });
  await cursor.getByText('PLUMB_TEST_NOT_SET').first().waitFor();
  await cursor.getByRole('button', { name: 'Add all 2' }).waitFor();
  await dialog.getByRole('button', { name: 'Add all 3 of all clients' }).click();
  await dialog.waitFor({ state: 'detached' });
  for (const name of ['demo', 'everything', 'again'])
    await card(name).getByText('ready', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Add a server' }).click();
  await dialog.getByRole('tab', { name: 'On this machine' }).click();
  await cursor.getByRole('button', { name: 'Added' }).first().waitFor();
  expect(await dialog.getByRole('button', { name: /^Add all/ }).count()).toBe(0);
  await page.keyboard.press('Escape');
});

it('opens on what a single server offers, with a tool ready to try and counts', {
  timeout: TIMEOUT_MS,
}, async () => {
  const single = await startInspected();
  try {
    await single.inspector.core.servers.add({ kind: 'command', ...DEMO, name: 'Demo' });
    const view = await single.open();
    await view.getByRole('list', { name: 'Tools' }).getByRole('link').first().waitFor();
    await view.getByRole('button', { name: 'Call', exact: true }).waitFor();
    for (const panel of ['Tools', 'Resources', 'Prompts'])
      await view.getByRole('link', { name: new RegExp(`^${panel}\\s*\\d+$`) }).waitFor();
    expect(single.errors).toEqual([]);
  } finally {
    await single.close();
  }
});

it('has the time that a server may take to start among its settings', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, '#/servers');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Command' }).click();
  await dialog.getByRole('textbox', { name: 'Command' }).fill(`node ${HOSTILE} --slow 30`);
  await dialog.getByLabel('Start time-out (s)').fill('1');
  await dialog.getByRole('button', { name: 'Add and connect' }).click();
  await dialog.waitFor({ state: 'detached' });
  const server = page.getByRole('region', { name: /^Server / });
  await server
    .getByText(/within 1000 ms; raise the start time-out of the server/)
    .first()
    .waitFor();
});

it('takes several lines for an argument of a prompt', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/prompts/${idOf('demo')}/review`);
  const code = page.getByLabel(/^code/i);
  await code.click();
  await page.keyboard.insertText('const a = 1;');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.insertText('const b = 2;');
  expect(await code.inputValue()).toBe('const a = 1;\nconst b = 2;');
});

it('shows a picture at its own size', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/tools/${idOf('demo')}/image`);
  await call(page);
  const picture = page.locator('.content-image');
  await picture.waitFor();
  const [natural, shown, rendering] = (await page.evaluate(
    `(() => {
      const image = document.querySelector('.content-image');
      return [image.naturalWidth, image.clientWidth, getComputedStyle(image).imageRendering];
    })()`,
  )) as [number, number, string];
  expect(natural).toBeGreaterThan(0);
  expect(shown).toBe(natural);
  expect(rendering).toBe('auto');
});

it('nothing went wrong in the page', () => {
  expect(inspected.errors).toEqual([]);
  expect(inspected.foreign).toEqual([]);
});
