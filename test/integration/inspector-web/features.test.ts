/** What else the panels do: forms of every kind, completion, saved calls, roots, logs, and a chain that is watched. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { createChain } from 'plumb-mcp/chain';
import { createServer } from 'plumb-mcp/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { ChainWatch } from '../../../src/inspector/watch-chain.js';
import { addByUrl, call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 60_000;

const forms = createServer({ name: 'forms', version: '1.0.0' });
forms.tool(
  'order',
  {
    input: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        size: { $ref: '#/$defs/size' },
        drink: {
          type: 'string',
          oneOf: [
            { const: 'tea', title: 'A pot of tea' },
            { const: 'coffee', title: 'A cup of coffee' },
          ],
        },
        extras: { type: 'array', items: { type: 'string', minLength: 2 }, minItems: 1 },
        seat: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
        payment: {
          oneOf: [
            {
              title: 'Cash',
              type: 'object',
              properties: { change: { type: 'boolean' } },
              required: ['change'],
            },
            {
              title: 'Card',
              type: 'object',
              properties: { number: { type: 'string', pattern: '^[0-9]{4}$' } },
              required: ['number'],
            },
          ],
        },
        guests: { type: 'integer', minimum: 1, maximum: 4, default: 2 },
      },
      required: ['size', 'extras'],
      $defs: { size: { type: 'string', enum: ['small', 'large'] } },
    },
    output: { type: 'object' },
  },
  (args) => ({ ...args }),
);

let inspected: Inspected;
let page: Page;
let demo: string;
let order: string;
let folder: string;
let watched: { close(options?: { drain?: number }): Promise<void> };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-page-'));
  inspected = await startInspected({ savedCalls: join(folder, 'calls.json') });
  const watch = new ChainWatch(inspected.inspector.core, 'A chain');
  const serving = createChain().to(watch.wrap({ demo: createDemoServer() }));
  watched = serving;
  const { url } = await serving.http({ port: 0, ...{ tap: watch.tap } });
  page = await inspected.open();
  demo = await addByUrl(page, url);
  await goTo(page, '#/servers');
  order = await addByUrl(page, (await forms.http({ port: 0 })).url);
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await watched?.close({ drain: 0 });
  await forms.close({ drain: 0 });
  await rm(folder, { recursive: true, force: true });
});

it('fills in a form of choices, lists, tuples, references and alternatives', {
  timeout: TIMEOUT_MS,
}, async () => {
  await goTo(page, `#/tools/${order}/order`);
  expect(await page.locator('#arg_guests').inputValue()).toBe('2');
  await page.locator('#arg_guests').fill('9');
  await page.getByLabel('drink').selectOption({ label: 'A cup of coffee' });
  await page.locator('#arg_extras_0').fill('x');
  await call(page);
  const alert = page.getByRole('alert');
  await alert.getByText('size is required').waitFor();
  await alert.getByText('guests must be at most 4').waitFor();
  await alert.getByText(/extras\.\d must have at least 2 characters/).waitFor();
  await page.locator('#arg_guests').fill('3');
  await page.getByLabel('size').selectOption('large');
  await page.locator('#arg_extras_0').fill('milk');
  await page.getByRole('group', { name: 'extras' }).getByRole('button', { name: 'Add an item' }).click();
  await page.locator('#arg_extras_1').fill('sugar');
  await page.getByRole('button', { name: 'Move item 2 up' }).click();
  await call(page);
  // What was left alone is not sent.
  const sent = page.getByRole('region', { name: 'Result' });
  await sent.getByText('fits its schema').waitFor();
  expect(await sent.innerText()).not.toMatch(/seat|payment/);
  await page.locator('#arg_seat_0').fill('window');
  await page.locator('#arg_seat_1').fill('7');
  await page.locator('select[id^=arg_payment]').selectOption({ label: 'Card' });
  await page.locator('#arg_payment_number').fill('1234');
  await call(page);
  const result = page.getByRole('region', { name: 'Result' });
  await result.getByText('"1234"').first().waitFor();
  const text = await result.innerText();
  expect(text.indexOf('"sugar"')).toBeLessThan(text.indexOf('"milk"'));
  for (const part of ['"large"', '"coffee"', '"milk"', '"window"', '7', '"1234"', '3'])
    expect(text).toContain(part);
});

it('saves a call, opens it again with its arguments, and forgets it', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/tools/${demo}/echo`);
  await page.locator('#arg_message').fill('to be kept');
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('Kept echo');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await readFile(join(folder, 'calls.json'), 'utf8')).toContain('to be kept');
  await page.locator('#arg_message').fill('something else');
  await goTo(page, `#/tools/${demo}/hello`);
  await page.getByRole('link', { name: /Kept echo/ }).click();
  await expect.poll(() => page.locator('#arg_message').inputValue()).toBe('to be kept');
  await page.getByRole('button', { name: 'Forget Kept echo' }).click();
  await page.getByRole('link', { name: /Kept echo/ }).waitFor({ state: 'detached' });
});

it('completes the variables of a template, one after the other', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/resources/${demo}/${encodeURIComponent('demo://cities/{country}/{city}')}`);
  await page.getByLabel('country').fill('it');
  await page.getByRole('option', { name: 'italy', exact: true }).click();
  const city = page.getByLabel('city');
  await city.focus();
  await page.getByRole('option', { name: 'rome', exact: true }).waitFor();
  expect(await page.getByRole('option', { name: 'kyoto', exact: true }).count()).toBe(0);
  await city.press('ArrowDown');
  await city.press('Enter');
  expect(await city.inputValue()).toBe('pisa');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await page
    .getByRole('region', { name: 'Contents' })
    .getByText('A tower that no plumb line would agree with.')
    .waitFor();
});

it('completes the arguments of a prompt', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/prompts/${demo}/review`);
  await page.getByLabel('Language').fill('ru');
  await page.getByRole('option', { name: 'rust', exact: true }).click();
  await page.getByLabel('Framework').focus();
  await page.getByRole('option', { name: 'axum', exact: true }).waitFor();
  await page.getByLabel('Code').fill('fn main() {}');
  await page.getByRole('button', { name: 'Get the messages' }).click();
  await page
    .getByRole('region', { name: 'Messages' })
    .getByText(/Review this rust code/)
    .waitFor();
});

it('tells the roots that were written down', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/servers/${demo}`);
  const roots = page.getByRole('region', { name: 'Roots' });
  await roots.getByRole('button', { name: 'Add a root' }).click();
  await roots.getByLabel('Root 1', { exact: true }).fill('file:///projects');
  await roots.getByLabel('Name of root 1').fill('Work');
  await roots.getByRole('button', { name: 'Save the roots' }).click();
  await goTo(page, `#/tools/${demo}/ask_roots`);
  await call(page);
  await expectResult(page, /Work: file:\/\/\/projects/);
});

it('shows logs of the level that was asked for', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/logs/${demo}`);
  await page.getByLabel('Level asked of the server').selectOption('debug');
  await goTo(page, `#/tools/${demo}/log`);
  await call(page);
  await expectResult(page, /done/);
  await goTo(page, `#/logs/${demo}`);
  const entries = page.getByRole('listbox', { name: 'Log entries' }).getByRole('option');
  await expect.poll(() => entries.count()).toBe(4);
  await page.getByLabel('Show at least').selectOption('warning');
  await expect.poll(() => entries.count()).toBe(2);
});

it('shows both sides of a chain next to each other, with charts', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/timeline/${demo}`);
  await page.getByRole('button', { name: 'Hops' }).click();
  await page.getByLabel('Search messages').fill('ask_roots');
  const rows = page.locator('.virtual-list .hops-row');
  // Each row has a place for either side, of which one is empty.
  const sides = async () => {
    const clientSide = await rows.locator('> :nth-child(2)').allInnerTexts();
    return new Set(clientSide.map((text) => (text === '' ? 'upstream' : 'client')));
  };
  await expect.poll(sides).toEqual(new Set(['client', 'upstream']));
  await page
    .getByRole('img', { name: /^Latency: p50/ })
    .first()
    .waitFor();
  await page.getByRole('button', { name: 'Clear the filter' }).click();
});

it('renames, pins another revision, disconnects, connects and removes', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/servers/${order}`);
  await page.getByRole('button', { name: 'Rename the server' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Café');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await page.getByRole('heading', { name: 'Café' }).waitFor();
  await page.getByLabel('Revision', { exact: true }).selectOption('2025-06-18');
  await page.getByText('handshake era').waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('button', { name: 'Connect', exact: true }).click();
  await page.getByRole('button', { name: 'Disconnect' }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'Café' }).waitFor({ state: 'detached' });
});

it('follows the system’s colours until told otherwise, and remembers', { timeout: TIMEOUT_MS }, async () => {
  const theme = () => page.evaluate('document.documentElement.dataset.theme');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect.poll(theme).toBe('dark');
  await page.getByRole('button', { name: /^Colours: system/ }).click();
  await expect.poll(theme).toBe('light');
  await page.reload();
  await expect.poll(theme).toBe('light');
});

it('a page without the token is not let in, and says so', { timeout: TIMEOUT_MS }, async () => {
  const lost = await inspected.open(new URL('/', inspected.url).href);
  expect(await lost.locator('body').innerText()).not.toContain('Add a server');
  await lost.close();
  expect(inspected.foreign).toEqual([]);
});
