/** The traffic drawer beside a tool, with servers of others, in every size; and a chain from both sides. */

import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { ChainWatch } from '../../../src/inspector/watch-chain.js';
import { call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 90_000;
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const SERVERS = {
  'SDK v1': {
    args: [file('../interop/fixtures/sdk-v1-server.mjs')],
    tool: 'add',
    values: { a: '2', b: '40' },
  },
  'SDK v2': {
    args: [file('../interop/fixtures/sdk-v2-server.mjs')],
    tool: 'add',
    values: { a: '2', b: '40' },
  },
  everything: {
    args: [file('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')],
    tool: 'get-sum',
    values: { a: '2', b: '40' },
  },
} as const;

const demo = createDemoServer();
let inspected: Inspected;
let page: Page;

beforeAll(async () => {
  inspected = await startInspected();
  const { servers } = inspected.inspector.core;
  for (const [name, { args }] of Object.entries(SERVERS)) {
    await servers.add({ kind: 'command', command: process.execPath, args, name });
  }
  const { url } = await demo.http({ port: 0 });
  await servers.add({ kind: 'url', url, name: 'demo' });
  page = await inspected.open();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await demo.close({ drain: 0 });
});

const idOf = (name: string) =>
  inspected.inspector.core.servers.all().find((each) => each.name === name)?.id ?? '';
const drawer = (on: Page = page) => on.getByRole('complementary', { name: 'Traffic' });
const rows = (on: Page = page) => drawer(on).getByRole('option');

describe.sequential('the drawer', () => {
  it.each(Object.entries(SERVERS))(
    'shows a call of %s as one row, beside it',
    {
      timeout: TIMEOUT_MS,
    },
    async (name, { tool, values }) => {
      await goTo(page, `#/tools/${idOf(name)}/${tool}`);
      for (const [argument, value] of Object.entries(values))
        await page.locator(`#arg_${argument}`).fill(value);
      await call(page);
      await expectResult(page, '42');
      const row = rows().filter({ hasText: tool });
      await expect.poll(() => row.count()).toBe(1);
      await row.getByText('ok', { exact: true }).waitFor();
      expect(await row.innerText()).toMatch(/a: 2, b: 40[\s\S]*→[\s\S]*42[\s\S]*ms/);
    },
  );

  it('puts progress, log messages and questions below their call, with their text', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await goTo(page, `#/tools/${idOf('demo')}/count`);
    await page.locator('#arg_to').fill('2');
    await page.locator('#arg_delayMs').fill('1');
    await call(page);
    await rows().filter({ hasText: '2/2' }).waitFor();
    const row = rows().filter({ hasText: 'tools/call' }).filter({ hasText: 'count' }).last();
    expect(await row.innerText()).toContain('200');
    await goTo(page, `#/tools/${idOf('demo')}/ask_form`);
    await call(page);
    await rows().filter({ hasText: 'input' }).last().waitFor();
    await page.getByRole('button', { name: 'Decline' }).click();
    await rows().filter({ hasText: 'round 2' }).waitFor();
  });

  it('opens a row, filters, closes and is remembered', { timeout: TIMEOUT_MS }, async () => {
    await rows().filter({ hasText: 'count' }).first().click();
    await drawer().getByRole('tab', { name: 'Response' }).click();
    await drawer().getByRole('tree').getByText('content').first().waitFor();
    await drawer().getByRole('button', { name: 'Close the message' }).click();
    await drawer().getByRole('searchbox').fill('ask_form');
    await expect.poll(() => rows().filter({ hasText: 'count' }).count()).toBe(0);
    await drawer().getByRole('searchbox').fill('');
    const grip = drawer().getByRole('separator');
    const before = Number(await grip.getAttribute('aria-valuenow'));
    await grip.press('ArrowUp');
    await page.reload();
    await expect.poll(async () => Number(await grip.getAttribute('aria-valuenow'))).toBeGreaterThan(before);
    await page.keyboard.press('t');
    await drawer().waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('button', { name: 'Traffic', exact: true }).click();
    await drawer().waitFor();
  });

  it.each([
    ['light', 400, 800],
    ['dark', 400, 800],
    ['light', 3_840, 2_160],
    ['dark', 3_840, 2_160],
  ] as const)('fits in %s at %i x %i', { timeout: TIMEOUT_MS }, async (colorScheme, width, height) => {
    const view = await inspected.open(`#/tools/${idOf('demo')}/add`, {
      viewport: { width, height },
      colorScheme,
    });
    const toggle = view.getByRole('button', { name: 'Traffic', exact: true });
    if (width < 760) await toggle.click();
    await rows(view).first().waitFor();
    for (const dock of ['right', 'bottom']) {
      await drawer(view)
        .getByRole('button', { name: `Dock the traffic at the ${dock}` })
        .click();
      const sticksOut = await view.evaluate(
        'document.documentElement.scrollWidth > innerWidth || document.querySelector(".drawer").getBoundingClientRect().right > innerWidth + 1',
      );
      expect(sticksOut, dock).toBe(false);
    }
    await view.close();
  });
});

describe.sequential('a watched chain', () => {
  it('is where the page opens, with each call as one exchange', { timeout: TIMEOUT_MS }, async () => {
    const watching = await startInspected();
    const watch = new ChainWatch(watching.inspector.core, 'Shop');
    const serving = createChain().to(watch.wrap({ demo: createDemoServer(), second: createDemoServer() }));
    const { url } = await serving.http({ port: 0, ...{ tap: watch.tap } });
    watch.listens(url);
    try {
      const view = await watching.open();
      await view.getByRole('heading', { name: 'Watching Shop' }).waitFor();
      await view.getByText(url).waitFor();
      const client = await connect(url);
      await client.tools.call('demo__add', { a: 2, b: 40 });
      await client.close();
      const row = view.getByRole('option').filter({ hasText: 'demo__add' });
      await row.getByText('via demo').waitFor();
      await row.click();
      await view.getByRole('tab', { name: 'Chain' }).click();
      const changes = view.getByRole('region', { name: 'Request to demo' });
      await changes.getByText('"name": "demo__add"').waitFor();
      await changes.getByText('"name": "add"').waitFor();
      await goTo(view, '#/tools');
      await view.getByRole('button', { name: 'Connect to Shop' }).click();
      await view.getByRole('list', { name: 'Tools' }).getByRole('link').first().waitFor();
      expect(watching.errors).toEqual([]);
    } finally {
      await watching.close();
      await serving.close({ drain: 0 });
    }
  });
});

it('nothing went wrong in the page', () => {
  expect(inspected.errors).toEqual([]);
  expect(inspected.foreign).toEqual([]);
});
