/** Twenty servers at once: the overview stays quick, also while all of them are busy. */

import type { Page } from 'playwright-core';
import { createServer } from 'plumb-mcp/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { frameTime, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 90_000;
const SERVERS = 20;

const server = createServer({ name: 'one of many', version: '1.0.0' });
server.tool('ping', { description: 'Answers.' }, () => 'pong');
let inspected: Inspected;
let page: Page;

beforeAll(async () => {
  const { url } = await server.http({ port: 0 });
  inspected = await startInspected();
  for (let count = 1; count <= SERVERS; count += 1) {
    await inspected.inspector.core.servers.add({ kind: 'url', url, name: `server ${count}` });
  }
  page = await inspected.open();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await server.close({ drain: 0 });
});

it('opens on an overview of all servers, with the health of each', { timeout: TIMEOUT_MS }, async () => {
  await page.getByRole('heading', { name: 'Servers' }).waitFor();
  await expect
    .poll(() => page.getByRole('article').getByText('ready', { exact: true }).count())
    .toBe(SERVERS);
  await expect.poll(() => page.getByText(/\d+ requests?, 0 failures/).count()).toBe(SERVERS);
});

it('draws frames quickly while every server is called', { timeout: TIMEOUT_MS }, async () => {
  const { core } = inspected.inspector;
  let running = true;
  const calls = core.servers.all().map(async ({ client }) => {
    while (running) await client.tools.call('ping', {});
  });
  const busy = await frameTime(page, '');
  await goTo(page, `#/tools/${core.servers.all()[0]?.id}/ping`);
  await page.getByRole('listbox', { name: 'Traffic' }).getByText('pong').first().waitFor();
  const withTraffic = await frameTime(page, '');
  running = false;
  await Promise.all(calls);
  expect(busy).toBeLessThan(50);
  expect(withTraffic).toBeLessThan(50);
  expect(inspected.errors).toEqual([]);
});
