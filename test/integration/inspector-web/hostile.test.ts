/** A server that means harm: nothing that it says becomes markup, a script, a request, or a dangerous link. */

import type { Page } from 'playwright-core';
import { createServer } from 'plumb-mcp/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { addByUrl, call, expectResult, goTo, type Inspected, startInspected } from './inspected.js';

const TIMEOUT_MS = 60_000;

const MARKUP =
  '<img src="https://attacker.example/a.png" onerror="window.harmed = true"><script>window.harmed = true</script>';
const MARKDOWN = `# ${MARKUP}

[run](javascript:window.harmed=true) [data](data:text/html,<script>window.harmed=true</script>)
[file](file:///etc/passwd) [scheme](vscode://attacker.example/run) [relative](//attacker.example)
[good](https://example.com/page) [mail](mailto:somebody@example.com)
![picture](https://attacker.example/track.png) <https://example.com/auto>

<iframe src="https://attacker.example"></iframe><style>* { display: none }</style>

| a | b |
|---|---|
| ${MARKUP} | **bold** |
`;

const server = createServer({
  name: 'hostile',
  title: MARKUP,
  version: '1.0.0',
  instructions: MARKDOWN,
  websiteUrl: 'javascript:window.harmed=true',
});
server.tool('markdown', { title: MARKUP, description: MARKDOWN }, () => MARKDOWN);
server.tool(
  'form',
  {
    description: 'A form of harm.',
    input: {
      type: 'object',
      description: MARKUP,
      properties: {
        '<b>name</b>': {
          type: 'string',
          title: MARKUP,
          description: MARKDOWN,
          default: MARKUP,
          examples: [MARKUP],
        },
        choice: { enum: [MARKUP, 'other'] },
      },
    },
  },
  () => 'ok',
);
server.tool('media', {}, () => [
  { type: 'image', data: 'AAAA', mimeType: 'image/png" onerror="window.harmed=true' },
  { type: 'image', data: 'javascript:1', mimeType: 'text/html' },
  { type: 'resource_link', uri: 'javascript:window.harmed=true', name: MARKUP },
]);
server.tool('asks', {}, async (_args, ctx) => {
  const answer = await ctx.elicit(MARKDOWN, {
    type: 'object',
    properties: { name: { type: 'string', title: MARKUP, description: MARKUP } },
  });
  return answer.action;
});
server.resource('hostile://text', { name: MARKUP, mimeType: 'text/markdown' }, () => MARKDOWN);

let inspected: Inspected;
let page: Page;
let id: string;

beforeAll(async () => {
  const { url } = await server.http({ port: 0 });
  inspected = await startInspected();
  page = await inspected.open();
  id = await addByUrl(page, url);
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await server.close({ drain: 0 });
});

/** Every link of the page that leads out of it. */
function links(): Promise<string[]> {
  return page.evaluate(
    `[...document.querySelectorAll('a[href]')].map((link) => link.getAttribute('href')).filter((href) => !href.startsWith('#'))`,
  );
}

async function expectHarmless(): Promise<void> {
  const found = await page.evaluate(`({
    harmed: window.harmed === true,
    foreign: document.querySelectorAll('main iframe, main script, main style, main img:not([src^="data:image/"]), main [onerror]').length,
  })`);
  expect(found).toEqual({ harmed: false, foreign: 0 });
  for (const href of await links()) expect(href).toMatch(/^(https?:|mailto:)/);
  expect(inspected.foreign).toEqual([]);
}

it('the server’s own words stay words', { timeout: TIMEOUT_MS }, async () => {
  await page.getByText('<script>window.harmed = true</script>').first().waitFor();
  await expectHarmless();
});

it('markdown has no HTML, and only harmless links', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/tools/${id}/markdown`);
  await call(page);
  await expectResult(page, /bold/);
  const result = page.getByRole('region', { name: 'Result' });
  await result.locator('strong', { hasText: 'bold' }).waitFor();
  expect(await links()).toEqual(
    expect.arrayContaining([
      'https://attacker.example/track.png',
      'https://example.com/auto',
      'https://example.com/page',
      'mailto:somebody@example.com',
    ]),
  );
  for (const link of await result.locator('a[href^=http]').all()) {
    expect(await link.getAttribute('rel')).toContain('noopener');
  }
  await result.getByText('javascript:window.harmed=true').waitFor();
  await expectHarmless();
});

it('forms show hostile names and texts as they are', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/tools/${id}/form`);
  await page.getByRole('region', { name: 'Tool form' }).getByText('A form of harm.').waitFor();
  await page
    .getByLabel(/onerror/)
    .first()
    .waitFor();
  await expectHarmless();
});

it('media and links of odd kinds are not followed', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/tools/${id}/media`);
  await call(page);
  await expectResult(page, /cannot be shown/);
  await expectHarmless();
});

it('questions are shown as text', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/tools/${id}/asks`);
  await call(page);
  await page.getByRole('region', { name: 'A form to fill in' }).waitFor();
  await expectHarmless();
  await page.getByRole('button', { name: 'Decline' }).click();
  await expectResult(page, /decline/);
});

it('resources are shown as text', { timeout: TIMEOUT_MS }, async () => {
  await goTo(page, `#/resources/${id}/${encodeURIComponent('hostile://text')}`);
  await page.getByRole('region', { name: 'Contents' }).locator('strong', { hasText: 'bold' }).waitFor();
  await expectHarmless();
  expect(inspected.errors).toEqual([]);
});
