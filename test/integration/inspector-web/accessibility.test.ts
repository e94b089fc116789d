/** Every panel, light and dark, small and large: axe finds nothing serious, nothing overflows, keys are enough. */

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { addSkills } from '../../../src/cli/demo/skills.js';
import { addByUrl, call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 60_000;
const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

let inspected: Inspected;
let page: Page;
let server: string;
let task: string;
let axe: string;
const demo = createDemoServer();

beforeAll(async () => {
  await addSkills(demo);
  const { url } = await demo.http({ port: 0 });
  inspected = await startInspected();
  axe = await readFile(AXE, 'utf8');
  page = await inspected.open('', { reducedMotion: 'reduce' });
  server = await addByUrl(page, url);
  await goTo(page, `#/logs/${server}`);
  await page.getByLabel('Level asked of the server').selectOption('debug');
  await goTo(page, `#/tools/${server}/log`);
  await call(page);
  await expectResult(page, /done/);
  await goTo(page, `#/tools/${server}/render`);
  await call(page);
  await expectResult(page, /Rendered/);
  const address = await page.getByRole('link', { name: 'Its task' }).getAttribute('href');
  task = address?.split('/').at(-1) ?? '';
  // A question that waits while all panels are looked at.
  await goTo(page, `#/tools/${server}/ask_form`);
  await call(page);
  await page.getByRole('region', { name: 'A form to fill in' }).waitFor();
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await demo.close({ drain: 0 });
});

async function showResult(on: Page): Promise<void> {
  await on.getByRole('region', { name: 'Tool resources' }).waitFor();
  await call(on);
  await expectResult(on, /Lead falls straight/);
}

/** Each panel with what has to be there before it is judged. */
const PANELS: readonly (readonly [string, (id: string) => string, (on: Page) => Promise<unknown>])[] = [
  ['servers', (id) => `#/servers/${id}`, (on) => on.getByRole('heading', { name: 'Capabilities' }).waitFor()],
  ['tools', (id) => `#/tools/${id}/describe`, (on) => on.getByLabel('text', { exact: true }).waitFor()],
  ['results', (id) => `#/tools/${id}/resources`, showResult],
  [
    'resources',
    (id) => `#/resources/${id}/demo%3A%2F%2Freadme`,
    (on) => on.getByRole('heading', { name: 'Contents' }).waitFor(),
  ],
  [
    'templates',
    (id) => `#/resources/${id}/${encodeURIComponent('demo://cities/{country}/{city}')}`,
    (on) => on.getByLabel('country').waitFor(),
  ],
  ['prompts', (id) => `#/prompts/${id}/review`, (on) => on.getByLabel('Code').waitFor()],
  [
    'skills',
    (id) => `#/skills/${id}/${encodeURIComponent('skill://code-review/SKILL.md')}`,
    async (on) => {
      await on.getByRole('button', { name: /^Read( again)? SKILL.md/ }).click();
      await on.getByRole('region', { name: 'File SKILL.md' }).getByText('verified').waitFor();
    },
  ],
  [
    'tasks',
    (id) => `#/tasks/${id}/${task}`,
    (on) => on.getByRole('region', { name: 'Status history' }).getByText('completed').waitFor(),
  ],
  ['overview', () => '#/servers', (on) => on.getByRole('article').first().waitFor()],
  [
    'composer',
    (id) => `#/composer/${id}`,
    (on) => on.getByRole('textbox', { name: 'Params as JSON' }).waitFor(),
  ],
  ['asks', (id) => `#/asks/${id}`, (on) => on.getByLabel('Name', { exact: false }).first().waitFor()],
  ['logs', (id) => `#/logs/${id}`, (on) => on.getByRole('listbox').getByRole('option').first().waitFor()],
  [
    'timeline',
    (id) => `#/timeline/${id}/1`,
    (on) => on.getByRole('tab', { name: /^(Message|Request)$/ }).waitFor(),
  ],
  ['auth', (id) => `#/auth/${id}`, (on) => on.getByText('No steps yet').waitFor()],
  ['comply', (id) => `#/comply/${id}`, (on) => on.getByText('Not validated yet').waitFor()],
];

describe.each(['light', 'dark'] as const)('in %s', (colours) => {
  it.each(PANELS)('axe finds nothing serious: %s', { timeout: TIMEOUT_MS }, async (_name, hash, shown) => {
    await page.emulateMedia({ colorScheme: colours });
    await goTo(page, hash(server));
    await shown(page);
    // The other rules do not look at colours.
    expect(await serious(page, colours === 'light' ? undefined : ['color-contrast'])).toEqual([]);
  });
});

/** Through the debugger, since the page's own policy allows no foreign script. */
async function serious(on: Page, runOnly?: readonly string[]): Promise<string[]> {
  await on.evaluate(`window.axe || (() => { ${axe} })()`);
  const options = JSON.stringify(runOnly === undefined ? {} : { runOnly });
  const { violations, passes } = (await on.evaluate(`window.axe.run(${options})`)) as AxeResults;
  expect(passes.map(({ id }) => id)).toContain('color-contrast');
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`));
}

describe.each([
  [400, 800],
  [3840, 2160],
])('at %i x %i', (width, height) => {
  it('no panel is wider than the page', { timeout: TIMEOUT_MS }, async () => {
    const view = await inspected.open(`#/servers/${server}`, { viewport: { width, height } });
    for (const [name, hash, shown] of PANELS) {
      await goTo(view, hash(server));
      await shown(view);
      expect(await overflowing(view), name).toEqual([]);
    }
    await view.close();
  });
});

/** What sticks out of the page to the right, unless something around it scrolls or cuts it off on purpose. */
function overflowing(on: Page): Promise<string[]> {
  return on.evaluate(`(() => {
    const width = document.documentElement.clientWidth;
    const hidden = (element) => {
      for (let each = element.parentElement; each; each = each.parentElement) {
        const { overflowX } = getComputedStyle(each);
        if (overflowX !== 'visible' && each !== document.body && !each.matches('main, .shell')) {
          // A list that scrolls down only must not cut off what is in it.
          const scrollsDown = each.matches('.split-detail, .panel-scroll, .message-detail, .split-items');
          if (!scrollsDown) return true;
        }
      }
      return false;
    };
    return [...document.querySelectorAll('main *, header *, nav *')]
      .filter((element) => element.getBoundingClientRect().right > width + 1 && !hidden(element))
      .map((element) => element.outerHTML.slice(0, 120));
  })()`);
}

it('keys are enough: panels, search, list, call, overlay', { timeout: TIMEOUT_MS }, async () => {
  const view = await inspected.open(`#/servers/${server}`);
  await view.getByRole('heading', { name: 'Capabilities' }).waitFor();
  await view.keyboard.press('Tab');
  expect(await view.evaluate('document.activeElement.textContent')).toBe('Skip to the panel');
  await view.keyboard.press('Enter');
  await view.keyboard.press('2');
  await view.getByRole('region', { name: 'Tools' }).waitFor();
  await view.keyboard.press('/');
  await view.keyboard.type('greets a person');
  await view.keyboard.press('Tab');
  await view.keyboard.press('Tab');
  await view.keyboard.press('Enter');
  await view.getByRole('heading', { name: 'Hello' }).waitFor();
  await view.locator('#arg_name').focus();
  await view.keyboard.type('keys');
  await view.keyboard.press('Control+Enter');
  await expectResult(view, /Hello, keys!/);
  await view.keyboard.press('Escape');
  await view.locator('main').focus();
  await view.keyboard.press('?');
  await view.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await view.keyboard.press('Escape');
  await view.getByRole('dialog').waitFor({ state: 'detached' });
  await view.close();
});
