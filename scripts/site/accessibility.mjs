/** Looks at pages of the built site in Chromium, as narrow as a phone: axe finds nothing, and nothing is cut off. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { serveFolder } from './serve.mjs';

/** One page of each kind: home, guide, tabs, wide tables, long code, generated. */
const PAGES = [
  '',
  'start/server',
  'server/tools',
  'server/http',
  'chain/configuration',
  'limits',
  'benchmarks',
  'comparison',
  'migrating',
  'inspector',
  'reference/client',
];
const PHONE = { width: 400, height: 800 };
const PROGRAM = process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium';

/** Whether there is a browser to look with. */
export function canLook() {
  return existsSync(PROGRAM);
}

/**
 * @param {string} folder
 * @returns {Promise<string[]>} what is wrong
 */
export async function checkAccessibility(folder) {
  const site = await serveFolder(folder);
  const browser = await chromium.launch({ executablePath: PROGRAM, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    /** @type {string[]} */
    const problems = [];
    for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
      const page = await browser.newPage({ viewport: PHONE, colorScheme, reducedMotion: 'reduce' });
      for (const path of PAGES) {
        await page.goto(new URL(path, site.url).href, { waitUntil: 'networkidle' });
        problems.push(...(await problemsOf(page)).map((problem) => `/${path} in ${colorScheme}: ${problem}`));
      }
      await page.close();
    }
    return problems;
  } finally {
    await browser.close();
    site.close();
  }
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * @param {import('playwright-core').Page} page
 * @returns {Promise<string[]>}
 */
async function problemsOf(page) {
  await page.evaluate(AXE);
  const found = /** @type {string[]} */ (
    await page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then(({ violations }) =>
      violations.map(({ id, help, nodes }) => id + ': ' + help + ' (' + nodes.length + ' places, first ' + nodes[0].html.slice(0, 160) + ')'))`)
  );
  const overhang = Number(
    await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
  );
  return overhang > 0 ? [...found, `the page is ${overhang} px wider than the screen`] : found;
}
