/** What outlives a page, and what takes long: starts, time-outs, reloads, second tabs. */

import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addByCommand, call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 90_000;
const HOSTILE = fileURLToPath(new URL('../../fixtures/hostile-server.mjs', import.meta.url));

let inspected: Inspected;
let page: Page;
let id: string;

beforeAll(async () => {
  inspected = await startInspected();
  page = await inspected.open();
  id = await addByCommand(page, `node ${HOSTILE}`);
}, TIMEOUT_MS);
afterAll(() => inspected?.close());

const running = () => page.getByRole('region', { name: 'Call under way' });

describe.sequential('a call', () => {
  it('is given up after its time-out, says so, and offers more time before', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await goTo(page, `#/tools/${id}/slow`);
    await page.getByLabel('Time-out').fill('2');
    await call(page);
    await running()
      .getByText(/given up in \d s/)
      .waitFor();
    await running().getByRole('button', { name: 'Wait another minute' }).waitFor();
    await expectResult(page, /did not answer within 2 s.*longer time-out/);
    await page.getByRole('listbox', { name: 'Traffic' }).getByText('cancelled').first().waitFor();
  });

  it('goes on when it is given more time, and until it is cancelled', { timeout: TIMEOUT_MS }, async () => {
    await page.getByLabel('Time-out').fill('3');
    await call(page);
    await running().getByRole('button', { name: 'Wait without a limit' }).click();
    await running().getByText('waited for without a limit').waitFor();
    await running().getByRole('button', { name: 'Cancel' }).click();
    await expectResult(page, /cancelled/);
  });

  it('has its time anew with each progress', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, `#/tools/${id}/steps`);
    // Eight steps of a quarter of a second each.
    await page.getByLabel('Time-out').fill('1.2');
    await call(page);
    await expectResult(page, 'all steps done');
  });

  it('survives a reload while it runs, with its draft, result and pin', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, `#/tools/${id}/anchor`);
    await page.locator('#arg_count').fill('42');
    await call(page);
    await expectResult(page, '42');
    await page.locator('#arg_count').fill('43');
    await page
      .getByRole('listbox', { name: 'Traffic' })
      .getByRole('option')
      .filter({ hasText: 'anchor' })
      .last()
      .click();
    await page.getByRole('button', { name: /^Pin/ }).click();
    await goTo(page, `#/tools/${id}/slow`);
    await page.getByLabel('Time-out').fill('0');
    await call(page);
    await running().waitFor();
    await page.reload();
    await running().getByText('waited for without a limit').waitFor();
    await running().getByRole('button', { name: 'Cancel' }).click();
    await expectResult(page, /cancelled/);
    await page.goBack();
    await expectResult(page, '42');
    expect(await page.locator('#arg_count').inputValue()).toBe('43');
    expect(inspected.inspector.core.desk.pins).toHaveLength(1);
  });

  it('is seen by a second tab', { timeout: TIMEOUT_MS }, async () => {
    const other = await inspected.open(`#/tools/${id}/anchor`);
    await other.getByRole('region', { name: 'Result' }).filter({ hasText: '42' }).waitFor();
    expect(await other.locator('#arg_count').inputValue()).toBe('43');
    await other.close();
  });
});

it('shows what a slow program prints while it starts', { timeout: TIMEOUT_MS }, async () => {
  const { id: slow } = await inspected.inspector.core.servers.add({
    kind: 'command',
    command: process.execPath,
    args: [HOSTILE, '--slow', '4'],
    name: 'slow starter',
  });
  await goTo(page, `#/tools/${slow}`);
  const starting = page.getByRole('region', { name: 'Starting slow starter' });
  await starting.getByText('downloading packages').waitFor();
  await starting.getByText('waited for up to 60 s').waitFor();
  await page.getByRole('list', { name: 'Tools' }).getByText('dangling').first().waitFor();
  expect(inspected.errors).toEqual([]);
});
