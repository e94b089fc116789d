/**
 * Takes pictures of every panel of the inspector, in light and in dark, into docs/images/: `npm run shots`.
 * `node scripts/inspector-shots.mjs DIRECTORY [NAME...]` writes some elsewhere; PLUMB_CHROMIUM names another browser.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { build } from './build.mjs';
import { root } from './run.mjs';
import { pictures, warmUp } from './shots/pictures.mjs';
import { smallPng } from './shots/small-png.mjs';
import { createWorld } from './shots/world.mjs';

const [directory = join(root, 'docs', 'images'), ...names] = process.argv.slice(2);
const output = resolve(directory);
const wanted = pictures.filter(({ name }) => names.length === 0 || names.includes(name));
/** The narrow one shows that the page fits a phone. */
const sizes = {
  light: { width: 1280, height: 800 },
  dark: { width: 1280, height: 800 },
  narrow: { width: 400, height: 800 },
};

const built = await build();
if (!built.ok) {
  process.stderr.write(built.output);
  process.exit(1);
}
mkdirSync(output, { recursive: true });
const world = await createWorld();
const browser = await chromium.launch({
  executablePath: process.env.PLUMB_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
});
try {
  for (const kind of /** @type {const} */ (['light', 'dark', 'narrow'])) await shoot(kind);
} finally {
  await browser.close();
  await world.close();
}

/** @param {'light' | 'dark' | 'narrow'} kind */
async function shoot(kind) {
  const page = await browser.newPage({
    viewport: sizes[kind],
    colorScheme: kind === 'dark' ? 'dark' : 'light',
  });
  page.setDefaultTimeout(30_000);
  page.on('pageerror', (error) => console.error(error));
  await page.goto(new URL(`#/servers/${world.demo}`, world.url).href);
  await page.getByRole('heading', { name: 'Capabilities' }).waitFor();
  if (kind === 'light') await warmUp(page, world);
  for (const { name, hash, prepare, after } of kind === 'narrow'
    ? wanted.filter(({ narrow }) => narrow)
    : wanted) {
    await page.goto(new URL(hash(world), world.url).href);
    await prepare?.(page, world);
    // What moves has come to rest.
    await page.waitForTimeout(300);
    writeFileSync(join(output, `inspector-${name}-${kind}.png`), smallPng(await page.screenshot()));
    console.log(`inspector-${name}-${kind}.png`);
    await after?.(page);
  }
  await page.close();
}
