/** The timeline: filter, compare, replay, export, import, and a hundred thousand messages. */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import {
  addByUrl,
  call,
  expectResult,
  frameTime,
  goTo,
  type Inspected,
  startInspected,
  write,
} from './inspected.js';

const TIMEOUT_MS = 60_000;
const MANY = 100_000;

let inspected: Inspected;
let page: Page;
let server: string;
const demo = createDemoServer();

beforeAll(async () => {
  const { url } = await demo.http({ port: 0 });
  inspected = await startInspected();
  page = await inspected.open();
  server = await addByUrl(page, url);
  for (const message of ['first', 'second']) {
    await goTo(page, `#/tools/${server}/echo`);
    await page.locator('#arg_message').fill(message);
    await call(page);
    await expectResult(page, message);
  }
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await demo.close({ drain: 0 });
});

const rows = () => page.getByRole('listbox', { name: 'Messages' }).getByRole('option');
const detail = () => page.getByRole('complementary');

describe.sequential('the timeline', () => {
  it('narrows down to what was searched for', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, `#/timeline/${server}`);
    await expect.poll(() => rows().count()).toBeGreaterThan(6);
    await page.getByLabel('Method').selectOption('tools/');
    await page.getByLabel('Kind').selectOption('requests');
    await page.getByLabel('Search messages').fill('echo');
    await expect.poll(() => rows().count()).toBe(2);
  });

  it('shows a message with its headers and its pair', { timeout: TIMEOUT_MS }, async () => {
    await rows().first().click();
    await detail().getByText('"first"').waitFor();
    await detail().getByRole('tab', { name: 'HTTP' }).click();
    await detail().getByText('mcp-method').waitFor();
    await detail().getByRole('tab', { name: 'Call' }).click();
    await detail().getByText('2 messages').waitFor();
    const link = detail().getByRole('link', { name: /^#\d+$/ });
    await link.click();
    await detail().getByText('from the server').waitFor();
    await page.goBack();
  });

  it('compares two messages', { timeout: TIMEOUT_MS }, async () => {
    await detail().getByRole('button', { name: /^Pin/ }).click();
    await rows().nth(1).click();
    await detail().getByText('"second"').waitFor();
    await detail()
      .getByRole('button', { name: /^#\d+$/ })
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/lines differ/).waitFor();
    expect(await dialog.locator('[data-kind=removed]').allInnerTexts()).toContainEqual(
      expect.stringContaining('"message": "first"'),
    );
    expect(await dialog.locator('[data-kind=added]').allInnerTexts()).toContainEqual(
      expect.stringContaining('"message": "second"'),
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });

  it('replays a request with other params', { timeout: TIMEOUT_MS }, async () => {
    await detail().getByRole('tab', { name: 'Replay' }).click();
    await write(page, 'Params', JSON.stringify({ name: 'echo', arguments: { message: 'once more' } }));
    await detail().getByRole('button', { name: 'Replay' }).click();
    const answer = page.getByRole('region', { name: 'Answer to the replay' });
    await answer.getByText('"once more"').waitFor();
  });

  it('exports what is shown, forgets, and imports it again', { timeout: TIMEOUT_MS }, async () => {
    await expect.poll(() => rows().count()).toBe(3);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'JSON lines' }).click(),
    ]);
    const path = await download.path();
    expect(await readFile(path, 'utf8')).toContain('once more');
    const [har] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'HAR' }).click(),
    ]);
    const { log } = JSON.parse(await readFile(await har.path(), 'utf8')) as { log: { entries: unknown[] } };
    expect(log.entries).toHaveLength(3);
    await page.getByRole('button', { name: 'Forget all messages' }).click();
    await page.getByText('No messages yet').waitFor();
    await page.getByLabel('File to import').setInputFiles({
      name: 'traffic.jsonl',
      mimeType: 'application/x-ndjson',
      buffer: await readFile(path),
    });
    await page.getByText('3 messages imported.').waitFor();
    await expect.poll(() => rows().count()).toBe(3);
  });

  it('draws a sequence diagram', { timeout: TIMEOUT_MS }, async () => {
    await page.getByRole('button', { name: 'Diagram' }).click();
    await expect.poll(() => page.locator('.diagram-arrow').count()).toBe(3);
    await page.getByRole('button', { name: 'Messages', exact: true }).click();
  });

  it(`scrolls through ${MANY} messages without holding them all`, { timeout: 2 * TIMEOUT_MS }, async () => {
    const { timeline } = inspected.inspector.core;
    const template = timeline.get(timeline.totals().last);
    if (template === undefined) throw new Error('The imported messages are gone');
    const { group: _, ...alone } = template;
    for (let count = 0; count < MANY; count += 1) {
      timeline.add({ ...alone, method: 'ping', at: template.at + count });
    }
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await page.getByText(/^10\d,\d{3} messages/).waitFor();
    const list = page.getByRole('listbox', { name: 'Messages' });
    const scroll = `const list = document.querySelector('.virtual-list');
      list.focus();
      list.scrollTop = (list.scrollHeight / 120) * (frame + 1);`;
    expect(await frameTime(page, scroll, 120)).toBeLessThan(50);
    expect(await list.getByRole('option').count()).toBeLessThan(100);
    await page.keyboard.press('End');
    await expect.poll(() => list.getByRole('option').last().innerText()).toContain('ping');
  });

  it('stayed inside the inspector', () => {
    expect(inspected.foreign).toEqual([]);
    expect(inspected.errors).toEqual([]);
  });
});
