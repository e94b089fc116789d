/** The composer: any message, the history of calls, and collections that become test files. */

import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { addByUrl, call, expectResult, goTo, type Inspected, startInspected, write } from './inspected.js';

const TIMEOUT_MS = 90_000;
const demo = createDemoServer();
let inspected: Inspected;
let page: Page;
let id: string;

beforeAll(async () => {
  const { url } = await demo.http({ port: 0 });
  inspected = await startInspected();
  page = await inspected.open();
  id = await addByUrl(page, url);
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await demo.close({ drain: 0 });
});

const compose = async (method: string, params: object) => {
  await page.getByRole('combobox', { name: 'Method' }).fill(method);
  await write(page, 'Params as JSON', JSON.stringify(params));
};
const history = () => page.getByRole('list', { name: 'Call history' }).getByRole('listitem');

describe.sequential('the composer', () => {
  it('sends any request, with a template to begin with', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, `#/composer/${id}`);
    await page.getByRole('combobox', { name: 'Method' }).fill('tools/call');
    await page.getByText('"arguments"').first().waitFor();
    await compose('tools/call', { name: 'echo', arguments: { message: 'by hand' } });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expectResult(page, 'by hand');
  });

  it('sends what the revision does not know, after saying so', { timeout: TIMEOUT_MS }, async () => {
    await compose('no/such-method', {});
    await page.getByText('It is sent anyway').waitFor();
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await expectResult(page, '-32601');
  });

  it('sends notifications', { timeout: TIMEOUT_MS }, async () => {
    await page.getByRole('button', { name: 'Notification', exact: true }).click();
    await compose('notifications/cancelled', { requestId: 4711 });
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('notifications/cancelled was sent.').waitFor();
    await page.getByRole('listbox', { name: 'Traffic' }).getByText('4711').first().waitFor();
  });

  it('keeps every call, to look at and to make again', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, `#/tools/${id}/add`);
    await page.locator('#arg_a').fill('2');
    await page.locator('#arg_b').fill('40');
    await call(page);
    await expectResult(page, '42');
    await goTo(page, `#/composer/${id}`);
    const before = await history().count();
    await history().first().getByRole('button', { name: 'Run tools/call add again' }).click();
    await page.getByText(/tools\/call add again: done/).waitFor();
    await expect.poll(() => history().count()).toBe(before + 1);
    await history()
      .first()
      .getByRole('button', { name: /^tools\/call add/ })
      .click();
    await page.getByRole('textbox', { name: 'Params as JSON' }).getByText('40').waitFor();
  });

  it('saves calls in collections, which become files for plumb test', { timeout: TIMEOUT_MS }, async () => {
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('adds up');
    await dialog.getByLabel('Collection').fill('Smoke');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('tab', { name: 'Collections' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('region', { name: 'Smoke' }).getByRole('button', { name: 'plumb test' }).click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), 'utf8'));
    const [server] = Object.keys(file.servers);
    expect(file).toEqual({
      name: 'Smoke',
      servers: { [String(server)]: { url: expect.stringContaining('http://127.0.0.1:') } },
      requests: [
        {
          name: 'adds up',
          server,
          method: 'tools/call',
          params: { name: 'add', arguments: { a: 2, b: 40 } },
        },
      ],
    });
    expect(inspected.errors).toEqual([]);
  });
});
