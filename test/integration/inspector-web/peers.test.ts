/** Servers of others over stdio, used through the page. */

import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  addByCommand,
  call,
  expectResult,
  goTo,
  type Inspected,
  startInspected,
  write,
} from './inspected.js';

const TIMEOUT_MS = 60_000;
const SDK_V2 = fileURLToPath(new URL('../interop/fixtures/sdk-v2-server.mjs', import.meta.url));
const EVERYTHING = fileURLToPath(
  new URL('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url),
);

let inspected: Inspected;
let page: Page;

beforeAll(async () => {
  inspected = await startInspected();
  page = await inspected.open();
}, TIMEOUT_MS);
afterAll(() => inspected?.close());

it('the official SDK v2: connects in the newest revision, calls, reads, prompts', {
  timeout: TIMEOUT_MS,
}, async () => {
  const server = await addByCommand(page, `"${process.execPath}" "${SDK_V2}"`);
  await page.getByText('stateless era').waitFor();
  await goTo(page, `#/tools/${server}/add`);
  await page.locator('#arg_a').fill('1.5');
  await page.locator('#arg_b').fill('2');
  await call(page);
  await expectResult(page, /fits its schema/);
  await goTo(page, `#/resources/${server}/${encodeURIComponent('test://fixed')}`);
  await page.getByRole('region', { name: 'Contents' }).getByText('fixed', { exact: true }).waitFor();
  await goTo(page, `#/prompts/${server}/greet`);
  await page.getByLabel('name').fill('Ada');
  await page.getByRole('button', { name: 'Get the messages' }).click();
  await page.getByRole('region', { name: 'Messages' }).getByText('Hello Ada').waitFor();
});

it('server-everything: connects, calls with arguments written as JSON, completes them', {
  timeout: TIMEOUT_MS,
}, async () => {
  await goTo(page, '#/servers');
  const server = await addByCommand(page, `"${process.execPath}" "${EVERYTHING}" stdio`);
  await goTo(page, `#/tools/${server}/echo`);
  await page.getByRole('tab', { name: 'JSON' }).click();
  const editor = page.getByRole('textbox', { name: 'Arguments as JSON' });
  await write(page, 'Arguments as JSON', '{ "');
  await editor.pressSequentially('m');
  await page.getByRole('option', { name: /^message/ }).waitFor();
  await editor.press('Enter');
  await editor.pressSequentially('written by hand');
  await editor.press('End');
  await editor.pressSequentially(' }');
  await call(page);
  await expectResult(page, /written by hand/);
});

it('a program that fails says why, with what it wrote to stderr', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, '#/servers');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Command' }).click();
  const script = `console.error('no such luck'); process.exit(3)`;
  await dialog.getByRole('textbox', { name: 'Command' }).fill(`"${process.execPath}" -e "${script}"`);
  await dialog.getByRole('button', { name: 'Add and connect' }).click();
  await page.getByRole('alert').first().waitFor();
  await page.getByRole('region', { name: 'Standard error' }).getByText('no such luck').first().waitFor();
});

it('stayed inside the inspector', () => {
  expect(inspected.foreign).toEqual([]);
  expect(inspected.errors).toEqual([]);
});
