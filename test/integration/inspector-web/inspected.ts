/** The real page in a real browser, with the inspector's process behind it. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import {
  createInspector,
  type Inspector,
  type InspectorOptions,
  listenInspector,
} from '../../../src/inspector/inspector.js';
import { launchChromium } from '../../support/chromium.js';

const BUILT = fileURLToPath(new URL('../../../dist/inspector/web/', import.meta.url));
/** The machine that runs the tests may be busy. */
const PATIENCE_MS = 60_000;

export interface Inspected {
  readonly inspector: Inspector;
  readonly browser: Browser;
  readonly url: URL;
  /** What the pages asked for outside the inspector, and what went wrong in them: both stay empty. */
  readonly foreign: string[];
  readonly errors: string[];
  /** Opens the page at a place. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>;
  close(): Promise<void>;
}

export async function startInspected(options: InspectorOptions = {}): Promise<Inspected> {
  if (!existsSync(join(BUILT, 'index.html'))) throw new Error('The page is not built: npm run build');
  const inspector = createInspector({ page: BUILT, ...options });
  const listener = await listenInspector(inspector, 0);
  const browser = await launchChromium();
  const foreign: string[] = [];
  const errors: string[] = [];
  return {
    inspector,
    browser,
    url: listener.url,
    foreign,
    errors,
    open: async (hash = '', context = {}) => {
      const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, ...context });
      page.setDefaultTimeout(PATIENCE_MS);
      page.on('request', (request) => {
        const { origin, protocol } = new URL(request.url());
        if (origin !== listener.url.origin && protocol !== 'data:' && protocol !== 'blob:')
          foreign.push(request.url());
      });
      page.on('pageerror', (error) => errors.push(String(error)));
      // Violations of the page's policy are told here too.
      page.on('console', (message) => {
        // A command that answers with an error is not the page's: it is shown to the user.
        const failed = message.text().startsWith('Failed to load resource');
        if (message.type() === 'error' && !failed) errors.push(message.text());
      });
      await page.goto(new URL(hash, listener.url).href);
      return page;
    },
    close: async () => {
      await browser.close();
      await listener.close();
    },
  };
}

/** Goes to a place inside the page, as a link would. */
export async function goTo(page: Page, hash: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
}

/** Adds a server by its address with the dialog, and waits until it is ready. Returns its id. */
export async function addByUrl(page: Page, url: string, revision = ''): Promise<string> {
  await goTo(page, '#/servers');
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox', { name: 'URL' }).fill(url);
  await dialog.getByLabel('Revision').selectOption(revision);
  await dialog.getByRole('button', { name: 'Add and connect' }).click();
  await dialog.waitFor({ state: 'detached' });
  return ready(page);
}

export async function addByCommand(page: Page, command: string): Promise<string> {
  await page.getByRole('button', { name: 'Add a server' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('tab', { name: 'Command' }).click();
  await dialog.getByRole('textbox', { name: 'Command' }).fill(command);
  await dialog.getByRole('button', { name: 'Add and connect' }).click();
  await dialog.waitFor({ state: 'detached' });
  return ready(page);
}

async function ready(page: Page): Promise<string> {
  await page
    .getByRole('region', { name: /^Server / })
    .getByText('ready', { exact: true })
    .first()
    .waitFor();
  return page.getByLabel('Server', { exact: true }).inputValue();
}

/** Writes into a code editor as its user would: with the keyboard, in place of what was there. */
export async function write(page: Page, label: string, text: string): Promise<void> {
  await page.getByRole('textbox', { name: label }).click();
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

/** Presses the button that calls the tool, whatever it says. */
export async function call(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Call( again)?$/ }).click();
}

export async function expectResult(page: Page, text: string | RegExp): Promise<void> {
  await page.getByRole('region', { name: 'Result' }).filter({ hasText: text }).waitFor();
}

/**
 * The processor time that the page takes for a frame, in milliseconds, while `step` runs before each of them: what other
 * programs have of the processor is not the page's.
 */
export async function frameTime(page: Page, step: string, frames = 20): Promise<number> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async (): Promise<number> => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
  };
  const before = await busy();
  await page.evaluate(`(async () => {
    for (let frame = 0; frame < ${frames}; frame += 1) {
      ${step}
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
    }
  })()`);
  const after = await busy();
  await devtools.detach();
  return ((after - before) * 1_000) / frames;
}
