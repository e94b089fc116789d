/** Schemas and answers that no library would write, in the page: nothing takes it down, and what is wrong is named. */

import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addByCommand,
  call,
  expectResult,
  frameTime,
  goTo,
  type Inspected,
  startInspected,
  write,
} from './inspected.js';

const TIMEOUT_MS = 90_000;
const HOSTILE = fileURLToPath(new URL('../../fixtures/hostile-server.mjs', import.meta.url));

let inspected: Inspected;
let page: Page;
let id: string;

beforeAll(async () => {
  inspected = await startInspected();
  page = await inspected.open();
  id = await addByCommand(page, `node ${HOSTILE}`);
}, TIMEOUT_MS);
afterAll(() => inspected?.close());

const open = async (tool: string) => {
  await goTo(page, `#/tools/${id}/${tool}`);
  await page.getByRole('region', { name: `Tool ${tool}`, exact: true }).waitFor();
};
const traffic = () => page.getByRole('listbox', { name: 'Traffic' }).getByRole('option');

describe.sequential('forms', () => {
  it.each([
    ['dangling', /#\/\$defs\/missing.*does not lead anywhere/],
    ['external', /another document, which is not fetched/],
    ['loop', /leads only to itself/],
  ])(
    'of a schema with a %s reference are JSON, with the reason',
    { timeout: TIMEOUT_MS },
    async (tool, why) => {
      await open(tool);
      await page.getByText(why).waitFor();
      await write(page, 'Value as JSON', '{"a": 7}');
      await call(page);
      await expectResult(page, 'a: 7');
      await page.reload();
      await page.getByText(why).waitFor();
    },
  );

  it('follow anchors, dynamic references and recursion', { timeout: TIMEOUT_MS }, async () => {
    await open('anchor');
    await page.locator('#arg_count').fill('0');
    await call(page);
    await page.getByText('count must be at least 1').first().waitFor();
    await page.locator('#arg_count').fill('3');
    await call(page);
    await expectResult(page, '3');
    await open('self');
    await page.locator('#arg_child_name').fill('inner');
    await page.getByRole('button', { name: 'Add child' }).click();
    await page.locator('#arg_child_child_name').fill('innermost');
    await call(page);
    await expectResult(page, 'innermost');
    await open('dynamic');
    await page.locator('#arg_tree_value').fill('root');
    await call(page);
    await expectResult(page, 'root');
  });

  it('match patterns that take exponential time without blocking the tab', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await open('patterns');
    const bad = `${'a'.repeat(60)}!`;
    await page.locator('#arg_slow').fill(bad);
    await call(page);
    await page.getByText('slow must match the pattern ^(a+)+$').first().waitFor();
    await page.locator('#arg_slow').fill('aaa');
    // No engine matches this one in linear time: the server has to check it.
    await page.locator('#arg_ahead').fill(bad);
    await call(page);
    await expectResult(page, `ahead: "${bad}"`);
    await page.getByRole('tab', { name: 'JSON' }).click();
    await write(page, 'Arguments as JSON', `{"map": {"${'x'.repeat(60)}y": 1, "xxx": 2}}`);
    await page.locator('.cm-lintRange').first().waitFor();
    expect(await page.locator('.cm-lintRange').allTextContents()).toEqual(['2']);
  });

  it('know the words of 2020-12', { timeout: TIMEOUT_MS }, async () => {
    await open('newer');
    await page.locator('#arg_card').fill('1234');
    await call(page);
    await page.getByText('address is required').first().waitFor();
    await page.locator('#arg_address').fill('Pisa');
    await call(page);
    await expectResult(page, 'Pisa');
  });

  it('name the options of a union, and report only the chosen one', { timeout: TIMEOUT_MS }, async () => {
    await open('union');
    const kind = page.getByRole('combobox', { name: 'Kind of pay' });
    expect(await kind.locator('option').allInnerTexts()).toEqual(['kind: card', 'kind: bank']);
    await kind.selectOption('kind: bank');
    await call(page);
    await page.getByText('pay.iban is required').waitFor();
    expect(await page.getByText('pay.number').count()).toBe(0);
    expect(await page.evaluate('document.activeElement.id')).toBe('arg_pay_iban');
  });

  it('take any JSON where the schema does, and start maps empty', { timeout: TIMEOUT_MS }, async () => {
    await page.locator('#arg_anything').fill('{"deep": [1]}');
    await page.getByRole('button', { name: 'Add a property' }).click();
    expect(await page.locator('#arg_counts_newKey').inputValue()).toBe('');
    await page.locator('#arg_counts_newKey').fill('5');
    await page.getByRole('button', { name: 'Call' }).first().click();
    await page.getByRole('button', { name: 'Send anyway' }).click();
    await expectResult(page, 'deep');
    await expectResult(page, 'newKey');
  });

  it('of an elicitation fall back to JSON too', { timeout: TIMEOUT_MS }, async () => {
    await open('asks');
    await call(page);
    const card = page.getByRole('region', { name: 'Elicitation: a form to fill in' });
    await card.getByText('does not lead anywhere').waitFor();
    await write(page, 'Value as JSON', '{"who": "Ada"}');
    await card.getByRole('button', { name: 'Accept' }).click();
    await expectResult(page, 'Ada');
  });
});

describe.sequential('answers', () => {
  it('of 5 MB are cut, searched and shown in full without blocking', { timeout: TIMEOUT_MS }, async () => {
    await open('big');
    await call(page);
    await page
      .getByText(/The first 50,000 of 5,250,000 characters/)
      .first()
      .waitFor();
    expect(await frameTime(page, '')).toBeLessThan(50);
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByRole('searchbox').fill('needle in line');
    await result.getByText('350,000 matches').waitFor();
    await result.getByRole('searchbox').fill('');
    await result.getByRole('button', { name: 'Show all' }).click();
    await result.getByText('5.3 MB').waitFor();
    const scroll = "document.querySelector('.virtual-text').scrollTop += 100_000;";
    expect(await frameTime(page, scroll)).toBeLessThan(50);
  });

  it('that break their schema are red, with the path and the rule', { timeout: TIMEOUT_MS }, async () => {
    await open('invalid');
    await call(page);
    const row = traffic().filter({ hasText: 'tools/call invalid' });
    await row.locator('[data-tone=bad]').getByText('invalid').waitFor();
    await row.click();
    const detail = page.getByRole('complementary', { name: /^Message / });
    await detail.getByRole('tab', { name: 'Response' }).click();
    await detail.getByText('result.content[0].text').waitFor();
    await detail.getByText('result.isError').waitFor();
    await detail.getByRole('button', { name: 'Close the message' }).click();
  });

  it('with control characters and markup stay text', { timeout: TIMEOUT_MS }, async () => {
    await open('bidi');
    await call(page);
    await expectResult(page, 'שלום');
    expect(await page.evaluate('window.harmed === true')).toBe(false);
    expect(inspected.foreign).toEqual([]);
  });

  it('that never come are lost with their process, which the traffic shows', {
    timeout: TIMEOUT_MS,
  }, async () => {
    await open('dies');
    await call(page);
    await expectResult(page, /failed/);
    for (const what of ['the disk is on fire', 'The process ended with code 3', 'connected']) {
      await traffic().filter({ hasText: what }).last().waitFor();
    }
    await traffic().filter({ hasText: 'lost' }).filter({ hasText: 'dies' }).waitFor();
    // The figures count what the filter shows.
    const { core } = inspected.inspector;
    const rows = core.timeline.query({
      filter: { failedOnly: true },
      rows: 'exchanges',
      offset: 0,
      limit: 1_000,
    });
    const failed = rows.messages.filter(
      ({ kind, method }) => kind === 'request' && method !== 'server/discover',
    );
    const [figures] = core.recording.figures.all();
    expect(failed).toHaveLength(figures?.failures ?? -1);
  });
});

describe.sequential('lists', () => {
  it('of malformed entries show the others', { timeout: TIMEOUT_MS }, async () => {
    await goTo(page, `#/resources/${id}`);
    await page.getByRole('region', { name: 'Resources' }).getByText('hostile://a').waitFor();
    await goTo(page, `#/prompts/${id}/greet`);
    await page.getByLabel('who').fill('two\nlines');
    await page.getByRole('button', { name: 'Get the messages' }).click();
    await page.getByText('two').last().waitFor();
  });

  it('of 2,000 tools scroll and search quickly, with one tab stop', { timeout: TIMEOUT_MS }, async () => {
    const { id: large } = await inspected.inspector.core.servers.add({
      kind: 'command',
      command: process.execPath,
      args: [HOSTILE, '--tools', '2000'],
      name: 'large',
    });
    await goTo(page, `#/tools/${large}`);
    const list = page.getByRole('list', { name: 'Tools' });
    await list.getByRole('link').first().waitFor();
    expect(await list.locator('a[tabindex="0"]').count()).toBe(1);
    const search = page.getByRole('searchbox', { name: 'Search tools' });
    expect(await frameTime(page, "document.querySelector('.split-items').scrollTop += 4000;")).toBeLessThan(
      50,
    );
    await search.fill('filler-1999');
    await list.getByText('filler-1999').first().waitFor();
    await search.press('ArrowDown');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('filler-1999');
    await page.keyboard.press('ArrowUp');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
  });

  it('nothing went wrong in the page', () => {
    expect(inspected.errors).toEqual([]);
  });
});
