/** Journey 8: the inspector on every server, by its API, and once in a browser. */

import { expect, test } from 'vitest';
import { launchChromium } from '../support/chromium.js';
import { inTurn } from './support/in-turn.js';
import { LIMIT_MS, openInspector } from './support/inspector.js';
import { openOfficial } from './support/official-clients.js';
import { realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = realServers(workspace);

test('the inspector connects to every server, shows what it has, and calls it', async (context) => {
  const page = await openInspector(context, workspace);
  const browser = await launchChromium();
  context.onTestFinished(() => browser.close());
  await inTurn(servers, 4, async ({ name, command, args, env, cwd, harmless }) => {
    const official = await openOfficial('v1', { command, args, env, cwd });
    const expected = (await official.listTools()).tools.map((tool) => tool.name);
    await official.close();

    const { id } = await page.command('servers.add', { kind: 'command', name, command, args, env, cwd });
    await page.state(id, 'ready', LIMIT_MS);
    const { tools } = await page.command('catalogue.get', { server: id });
    const shown = tools.items.map((tool) => tool.name);
    expect({ name, shown: shown.filter((tool) => expected.includes(tool)) }).toEqual({
      name,
      shown: expected,
    });
    const outcome = await page.call(id, { kind: 'tool', ...harmless });
    const [request] = await page.messages({ servers: [id], methods: ['tools/call'], kinds: ['request'] });
    expect({ name, request }).toMatchObject({ name, request: { subject: harmless.name } });
    if (!outcome.ok) expect(['github', 'everart', 'chart', 'thinking', 'commands']).toContain(name);
  });

  // A user looks at the same process in a browser.
  const view = await browser.newPage({ viewport: { width: 1280, height: 800 } });
  view.setDefaultTimeout(LIMIT_MS);
  const errors: string[] = [];
  view.on('pageerror', (error) => errors.push(String(error)));
  await view.goto(page.url.href);
  for (const { name } of servers) await view.getByText(name, { exact: true }).first().waitFor();
  const calculator = page.events.find(
    (event) => event.type === 'server' && event.server.name === 'calculator',
  );
  const id = calculator?.type === 'server' ? calculator.server.id : '';
  await view.evaluate(`location.hash = ${JSON.stringify(`#/tools/${id}/add`)}`);
  await view.locator('#arg_a').fill('2');
  await view.locator('#arg_b').fill('5');
  await view.getByRole('button', { name: /^Call( again)?$/ }).click();
  await view.getByRole('region', { name: 'Result' }).filter({ hasText: 'is 7' }).waitFor();
  expect(errors).toEqual([]);
});
