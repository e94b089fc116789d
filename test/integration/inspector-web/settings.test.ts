/** Servers: added by pasting, changed, duplicated, put in order, and kept for the next run. */

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInspector } from '../../../src/inspector/inspector.js';
import { goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 90_000;
const HOSTILE = fileURLToPath(new URL('../../fixtures/hostile-server.mjs', import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

let folder: string;
let inspected: Inspected;
let page: Page;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-settings-'));
  inspected = await startInspected({ savedServers: folder });
  page = await inspected.open();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await rm(folder, { recursive: true, force: true });
});

const card = (name: string) => page.getByRole('article', { name, exact: true });
const names = () => page.getByRole('article').getByRole('heading').allInnerTexts();
const savedNames = async () => {
  const { servers } = JSON.parse(await readFile(join(folder, 'inspector-servers.json'), 'utf8'));
  return servers.map((server: { name: string }) => server.name);
};

describe.sequential('servers', () => {
  it('are added from a pasted mcpServers block, all at once', { timeout: TIMEOUT_MS }, async () => {
    await page.getByRole('button', { name: 'Add a server' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('tab', { name: 'Paste' }).click();
    const mcpServers = {
      hostile: { command: 'node', args: [HOSTILE], env: { SECRET_TOKEN: 'hush-hush-hush' } },
      everything: { command: 'node', args: [EVERYTHING] },
    };
    await dialog.getByRole('textbox').fill(JSON.stringify({ mcpServers }));
    await dialog.getByRole('button', { name: 'Add 2 servers and connect' }).click();
    await dialog.waitFor({ state: 'detached' });
    // Several servers: an overview with the health of each.
    for (const name of ['hostile', 'everything']) {
      await card(name).getByText('ready', { exact: true }).waitFor();
      await card(name)
        .getByText(/\d+ requests?, \d+ failures?.*p50/)
        .waitFor();
    }
  });

  it('are changed without losing what the page does not see', { timeout: TIMEOUT_MS }, async () => {
    await card('hostile').getByRole('button', { name: 'Settings of hostile' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByLabel('Environment').inputValue()).toBe('SECRET_TOKEN=••••••');
    await dialog.getByLabel('Environment').fill('SECRET_TOKEN=••••••\nOTHER=1');
    await dialog.getByLabel('Name').fill('renamed');
    await dialog.getByLabel('Start time-out (s)').fill('90');
    await dialog.getByLabel('Call time-out (s)').fill('5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await card('renamed').getByText('ready', { exact: true }).waitFor();
    const server = inspected.inspector.core.servers.all().find(({ name }) => name === 'renamed');
    expect(server?.target).toMatchObject({ env: { SECRET_TOKEN: 'hush-hush-hush', OTHER: '1' } });
    expect(server?.settings).toEqual({ startTimeoutMs: 90_000, callTimeoutMs: 5_000 });
    await goTo(page, `#/tools/${server?.id}/slow`);
    expect(await page.getByLabel('Time-out').getAttribute('placeholder')).toBe('5');
  });

  it('are duplicated and put in another order', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, '#/servers');
    await card('everything').getByRole('button', { name: 'Duplicate everything' }).click();
    await card('everything (2)').waitFor();
    await card('everything (2)').getByRole('button', { name: 'Move everything (2) up' }).click();
    await expect.poll(names).toEqual(['renamed', 'everything (2)', 'everything']);
    await expect.poll(savedNames).toEqual(['renamed', 'everything (2)', 'everything']);
  });

  it('are kept in files of the user alone, secrets apart', { timeout: TIMEOUT_MS }, async () => {
    for (const file of ['inspector-servers.json', 'inspector-secrets.json']) {
      expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600);
    }
    expect(await readFile(join(folder, 'inspector-servers.json'), 'utf8')).not.toContain('hush-hush');
    expect(await readFile(join(folder, 'inspector-secrets.json'), 'utf8')).toContain('hush-hush');
    const later = createInspector({ savedServers: folder });
    later.core.servers.restore();
    expect(later.core.servers.all().map(({ name, view }) => [name, view.call])).toHaveLength(3);
    const [first] = later.core.servers.all();
    expect(first?.target).toMatchObject({ env: { SECRET_TOKEN: 'hush-hush-hush' } });
    expect(first?.view().state).toBe('idle');
    await later.close();
  });

  it('are removed', { timeout: TIMEOUT_MS }, async () => {
    await card('everything (2)').getByRole('button', { name: 'Remove everything (2)' }).click();
    await card('everything (2)').waitFor({ state: 'detached' });
    await expect.poll(savedNames).toEqual(['renamed', 'everything']);
    expect(inspected.errors).toEqual([]);
  });
});
