/**
 * Takes pictures of every panel of the inspector, in light and in dark, into docs/images/: `npm run shots`.
 * `node scripts/inspector-shots.mjs DIRECTORY` writes them elsewhere; PLUMB_CHROMIUM names another browser.
 */
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';
import { root } from './run.mjs';

const output = resolve(process.argv[2] ?? join(root, 'docs', 'images'));
const size = { width: 1280, height: 800 };

/** @typedef {import('playwright-core').Page} Page */

/**
 * What each panel shows, and how it gets there; `name` is the picture's.
 *
 * @type {{ name: string, hash: (server: string) => string, prepare?: (page: Page) => Promise<void> }[]}
 */
const pictures = [
  { name: 'servers', hash: (server) => `#/servers/${server}` },
  {
    name: 'tools',
    hash: (server) => `#/tools/${server}/add`,
    prepare: async (page) => {
      await page.getByLabel('a', { exact: false }).first().waitFor();
      await page.locator('#arg_a').fill('17');
      await page.locator('#arg_b').fill('23');
      await page.getByRole('button', { name: 'Call', exact: true }).click();
      await page.getByText('fits its schema').waitFor();
    },
  },
  {
    name: 'resources',
    hash: (server) => `#/resources/${server}/${encodeURIComponent('demo://readme')}`,
    prepare: (page) => page.getByRole('heading', { name: 'Contents' }).waitFor(),
  },
  {
    name: 'prompts',
    hash: (server) => `#/prompts/${server}/review`,
    prepare: async (page) => {
      await page.getByLabel('Code').fill('const line = plumb();');
      await page.getByLabel('Language').fill('typescript');
      await page.getByRole('button', { name: 'Get the messages' }).click();
      await page.getByRole('heading', { name: 'Messages' }).waitFor();
    },
  },
  {
    name: 'asks',
    hash: (server) => `#/tools/${server}/ask_form`,
    prepare: async (page) => {
      await page.getByRole('button', { name: /^Call/ }).click();
      await page.getByRole('heading', { name: 'A form to fill in' }).waitFor();
      await page.getByRole('link', { name: /^Asks/ }).click();
      await page.getByLabel('Name').waitFor();
    },
  },
  { name: 'logs', hash: (server) => `#/logs/${server}` },
  {
    name: 'timeline',
    hash: (server) => `#/timeline/${server}`,
    prepare: async (page) => {
      await page
        .getByRole('option', { name: /tools\/call/ })
        .first()
        .click();
      await page.getByRole('complementary').getByText('to the server').first().waitFor();
    },
  },
  {
    name: 'timeline-diagram',
    hash: (server) => `#/timeline/${server}`,
    prepare: (page) => page.getByRole('button', { name: 'Diagram' }).click(),
  },
  { name: 'auth', hash: (server) => `#/auth/${server}` },
  {
    name: 'comply',
    hash: (server) => `#/comply/${server}`,
    prepare: async (page) => {
      const again = page.getByRole('button', { name: 'Run again' });
      if (await again.isVisible()) return;
      await page.getByLabel('2026-07-28').check();
      await page.getByRole('button', { name: 'Run the validator' }).click();
      await page.getByText('Verdict').waitFor({ timeout: 120_000 });
    },
  },
];

const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}
const dist = (/** @type {string} */ path) => import(join(root, 'dist', path));
const { createInspector, listenInspector } = await dist('inspector/inspector.js');
const { createDemoServer } = await dist('cli/demo/server.js');

const demo = createDemoServer();
const { url } = await demo.http({ port: 0 });
const inspector = createInspector();
const listener = await listenInspector(inspector, 0);
const browser = await chromium.launch({
  executablePath: process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
});
mkdirSync(output, { recursive: true });
try {
  for (const colours of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({ viewport: size, colorScheme: colours });
    page.setDefaultTimeout(20_000);
    page.on('pageerror', (error) => console.error(error));
    await page.goto(listener.url.href);
    if (colours === 'light') await addServer(page, url);
    const server = await page.getByLabel('Server', { exact: true }).inputValue();
    await warmUp(page, server);
    for (const { name, hash, prepare } of pictures) {
      await page.goto(new URL(hash(server), listener.url).href);
      await prepare?.(page);
      await page.waitForTimeout(250);
      await page.screenshot({ path: join(output, `inspector-${name}-${colours}.png`) });
      console.log(`inspector-${name}-${colours}.png`);
      if (name === 'asks') await page.getByRole('button', { name: 'Decline' }).click();
    }
    await page.close();
  }
} finally {
  await browser.close();
  await listener.close();
  await demo.close(0);
}

/**
 * @param {Page} page
 * @param {string} address
 */
async function addServer(page, address) {
  await page.getByRole('button', { name: 'Add a server' }).click();
  await page.getByRole('textbox', { name: 'URL' }).fill(address);
  await page.getByRole('button', { name: 'Add and connect' }).click();
  await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
  await page.getByText('stateless era').waitFor();
}

/**
 * Some traffic and some logs to look at.
 *
 * @param {Page} page
 * @param {string} server
 */
async function warmUp(page, server) {
  await page.goto(new URL(`#/logs/${server}`, listener.url).href);
  await page.getByLabel('Level asked of the server').selectOption('debug');
  for (const tool of ['count', 'fail']) {
    await page.goto(new URL(`#/tools/${server}/${tool}`, listener.url).href);
    await page.getByRole('button', { name: /^Call/ }).click();
    await page.getByRole('heading', { name: 'Result' }).waitFor();
  }
}
