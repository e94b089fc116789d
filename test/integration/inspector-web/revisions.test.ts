/** The demo server in every revision, used through the page. */

import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { HttpHandle } from '../../../src/server/http/service.js';
import { addByUrl, call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 60_000;

let inspected: Inspected;
const demo = createDemoServer();
let handle: HttpHandle;

beforeAll(async () => {
  handle = await demo.http({ port: 0, legacySse: true });
  inspected = await startInspected();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await demo.close({ drain: 0 });
});

/** Forms came with 2025-06-18. */
function elicits(version: string): boolean {
  return version >= '2025-06-18';
}

describe.sequential.each(REVISIONS.map(({ version, lifecycle }) => [version, lifecycle] as const))(
  'the demo in %s (%s)',
  (version, era) => {
    let page: Page;
    let server: string;

    beforeAll(async () => {
      page = await inspected.open();
      server = await addByUrl(page, handle.url, version);
    }, TIMEOUT_MS);
    afterAll(() => page?.close());

    it('connects in this revision and says so', { timeout: TIMEOUT_MS }, async () => {
      const detail = page.getByRole('region', { name: /^Server / });
      await detail.getByText(version, { exact: true }).first().waitFor();
      await detail.getByText(`${era} era`).waitFor();
      await detail.getByText('A server for trying clients.').waitFor();
    });

    it('calls a tool with its form, and says what is wrong with the arguments', {
      timeout: TIMEOUT_MS,
    }, async () => {
      await goTo(page, `#/tools/${server}/add`);
      await page.locator('#arg_a').fill('17');
      await call(page);
      await page.getByRole('alert').getByText('b is required').waitFor();
      await page.locator('#arg_b').fill('23');
      await call(page);
      await expectResult(page, /sum: 40/);
    });

    it('shows progress, and cancels', { timeout: TIMEOUT_MS }, async () => {
      await goTo(page, `#/tools/${server}/count`);
      await page.locator('#arg_to').fill('600');
      await page.locator('#arg_delayMs').fill('50');
      await call(page);
      const bar = page.getByRole('progressbar', { name: 'Progress of the call' });
      await expect.poll(async () => Number(await bar.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
      await page.getByRole('button', { name: 'Cancel' }).click();
      await expectResult(page, /cancelled/);
    });

    if (elicits(version)) {
      it('answers a form', { timeout: TIMEOUT_MS }, async () => {
        await goTo(page, `#/tools/${server}/book_table`);
        await call(page);
        const ask = page.getByRole('region', { name: 'A form to fill in' });
        await ask.getByText(/table for 2/).waitFor();
        await ask.getByLabel('Book it?').check();
        await ask.getByRole('button', { name: 'Accept' }).click();
        await expectResult(page, /is confirmed/);
      });
    }

    it('answers in place of the model', { timeout: TIMEOUT_MS }, async () => {
      await goTo(page, `#/tools/${server}/ask_model`);
      await call(page);
      await page.getByRole('link', { name: /^Elicitation/ }).click();
      const ask = page.getByRole('region', { name: 'Sampling: a request to the model' });
      await ask.getByText('What is a plumb line?').waitFor();
      await ask.getByRole('textbox', { name: 'Text' }).fill('A weight on a string.');
      await ask.getByRole('textbox', { name: 'Model' }).fill('me');
      await ask.getByRole('button', { name: 'Send the answer' }).click();
      await goTo(page, `#/tools/${server}/ask_model`);
      await expectResult(page, /me answered: A weight on a string\./);
    });

    it('sees a resource change that it subscribed to', { timeout: TIMEOUT_MS }, async () => {
      await goTo(page, `#/resources/${server}/${encodeURIComponent('demo://note')}`);
      await page.getByRole('region', { name: 'Contents' }).waitFor();
      await page.getByRole('button', { name: 'Subscribe' }).click();
      await page.getByRole('button', { name: 'Subscribed' }).waitFor();
      await goTo(page, `#/tools/${server}/write_note`);
      await page.locator('#arg_text').fill(`written in ${version}`);
      await call(page);
      await expectResult(page, /Noted/);
      await goTo(page, `#/resources/${server}/${encodeURIComponent('demo://note')}`);
      await page.getByText(/updated once/).waitFor();
      await page.getByRole('region', { name: 'Contents' }).getByText(`written in ${version}`).waitFor();
    });
  },
);

it('no page asked for anything outside the inspector, and none broke its policy', () => {
  expect(inspected.foreign).toEqual([]);
  expect(inspected.errors).toEqual([]);
});
