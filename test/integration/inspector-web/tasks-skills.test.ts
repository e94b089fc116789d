/** Tasks and skills in the inspector, with the demo and with a server that serves other files than it lists. */

import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { addSkills } from '../../../src/cli/demo/skills.js';
import { connect } from '../../../src/client/index.js';
import { skills } from '../../../src/extensions/skills/skills.js';
import { createServer } from '../../../src/server/index.js';
import { addByUrl, call, expectResult, goTo, type Inspected, startInspected, write } from './inspected.js';

const TIMEOUT_MS = 60_000;

let inspected: Inspected;
let page: Page;
let url: string;
const demo = createDemoServer();
const changed = createServer({ name: 'changed', version: '1.0.0' });

beforeAll(async () => {
  await addSkills(demo);
  ({ url } = await demo.http({ port: 0 }));
  inspected = await startInspected();
  page = await inspected.open('', { reducedMotion: 'reduce' });
}, TIMEOUT_MS);
afterAll(async () => {
  await inspected?.close();
  await demo.close({ drain: 0 });
  await changed.close({ drain: 0 });
});

/** Calls the tool `render` of the demo with these arguments. */
async function render(server: string, args: object): Promise<void> {
  await goTo(page, `#/tools/${server}/render`);
  await page.getByRole('tab', { name: 'JSON' }).click();
  await write(page, 'Arguments as JSON', JSON.stringify(args));
  await call(page);
}

function task(): Locator {
  return page.getByRole('region', { name: /^Task / });
}

describe('tasks', () => {
  it('links a call with its task, and shows its status, question and result', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const server = await addByUrl(page, url);
    await render(server, { scenes: 2, sceneMs: 10, askTitle: true });
    await page.getByRole('link', { name: 'Task', exact: true }).click();
    await task().getByText('input_required').first().waitFor();
    await task().getByLabel('title').fill('Metropolis');
    await task().getByRole('button', { name: 'Accept' }).click();
    await expectResult(page, /Rendered "Metropolis" in 2 scene/);
    await task().getByText('completed').first().waitFor();
    await task().getByRole('region', { name: 'Status history' }).getByText('working').first().waitFor();
    await task().getByRole('link', { name: 'render' }).click();
    await page.getByRole('link', { name: 'Its task' }).waitFor();
  });

  it('leaves a task running, follows its status, resumes it and cancels another one', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const server = await addByUrl(page, url);
    await render(server, { scenes: 30, sceneMs: 100 });
    await page.getByRole('button', { name: 'Leave it running' }).click();
    await expectResult(page, 'The task goes on at the server');
    await page.getByRole('link', { name: 'Its task' }).click();
    // Nobody follows it, and its status is live all the same.
    const message = task()
      .getByText(/^Rend(ering|ered) scene \d+ of 30$/)
      .first();
    const before = await message.innerText();
    await task().getByText(/scene/).filter({ hasNotText: before }).first().waitFor();
    await task().getByRole('button', { name: 'Resume' }).click();
    await expectResult(page, 'Rendered "Untitled" in 30 scene(s).');

    await render(server, { scenes: 1_000, sceneMs: 100 });
    await page.getByRole('button', { name: 'Leave it running' }).click();
    await page.getByRole('link', { name: 'Its task' }).click();
    await task().getByRole('button', { name: 'Cancel the task' }).click();
    await task().getByText('cancelled', { exact: true }).first().waitFor();
  });

  it('adds a task of another client by its id, and explains one that is not there', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const client = await connect(url);
    const { id = '' } = await client.tools.start('render', { scenes: 3, sceneMs: 10 });
    await client.close();
    const server = await addByUrl(page, url);
    await goTo(page, `#/tasks/${server}`);
    await page.getByText('add those that were begun elsewhere by their id').waitFor();
    await page.getByRole('textbox', { name: 'Task id' }).fill(id);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page
      .getByRole('region', { name: `Task ${id}` })
      .getByText('completed')
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Get the result' }).click();
    await expectResult(page, 'Rendered "Untitled" in 3 scene(s).');
    await page.getByRole('textbox', { name: 'Task id' }).fill('unknown');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('-32602').waitFor();
  });

  it('asks for a task where clients choose, and shows its progress', { timeout: TIMEOUT_MS }, async () => {
    const server = await addByUrl(page, url, '2025-11-25');
    await render(server, { scenes: 1, sceneMs: 1 });
    await expectResult(page, 'in 1 scene(s).');
    expect(await page.getByRole('link', { name: 'Its task' }).count()).toBe(0);
    await page.getByRole('checkbox', { name: 'As a task' }).check();
    await render(server, { scenes: 20, sceneMs: 100, askTitle: true });
    const asked = page.getByRole('region', { name: 'a form to fill in' });
    await asked.getByLabel('title').fill('Sunrise');
    await asked.getByRole('button', { name: 'Accept' }).click();
    await page
      .getByText(/^\d+ of 20 Rendered scene/)
      .first()
      .waitFor();
    await expectResult(page, 'Rendered "Sunrise" in 20 scene(s).');
    await page.getByRole('link', { name: 'Its task' }).click();
    await task().getByText('completed').first().waitFor();
  });

  it('shows no panel for a server without tasks and skills', { timeout: TIMEOUT_MS }, async () => {
    await addByUrl(page, url, '2025-06-18');
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Tools/ })
      .waitFor();
    expect(
      await page
        .getByRole('navigation')
        .getByRole('link', { name: /^(Tasks|Skills)/ })
        .count(),
    ).toBe(0);
  });
});

describe('skills', () => {
  it('lists skills with their frontmatter, and reads and verifies a file when asked to', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const server = await addByUrl(page, url);
    await goTo(page, `#/skills/${server}`);
    const skill = page.getByRole('region', { name: 'Skill code-review' });
    await skill.getByRole('tree', { name: 'Frontmatter' }).getByText('description').waitFor();
    expect(await skill.getByText('not read').count()).toBe(2);
    await skill.getByRole('button', { name: 'Read references/checklist.md' }).click();
    const file = skill.getByRole('region', { name: 'File references/checklist.md' });
    await file.getByText('verified').waitFor();
    expect(await skill.getByText('not read').count()).toBe(1);
    await goTo(page, `#/timeline/${server}`);
    expect(await page.getByText('skill://code-review/SKILL.md', { exact: true }).count()).toBe(0);
  });

  it('shows what differs from the entry, and entries that hosts must not use', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const manifest = '---\nname: edited\ndescription: Something else.\n---\nDo it.\n';
    const digest = `sha256:${'0'.repeat(64)}`;
    const uri = 'skill://edited/SKILL.md';
    const frontmatter = { name: 'edited', description: 'As it was approved.' };
    const entry = { uri, frontmatter, resources: [{ uri, digest, size: manifest.length }] };
    const broken = {
      uri: 'skill://broken/SKILL.md',
      frontmatter: { name: 'broken', description: 'Broken.' },
    };
    const fresh = { ttlMs: 0, cacheScope: 'private' };
    changed.resource(uri, { mimeType: 'text/markdown' }, () => manifest);
    changed.extension(skills, {
      methods: {
        'skills/list': () => ({ skills: [entry, broken], ...fresh }),
        'skills/get': () => ({ skill: entry, ...fresh }),
        'resources/directory/read': () => ({ resources: [] }),
      },
    });
    const server = await addByUrl(page, (await changed.http({ port: 0 })).url);
    await goTo(page, `#/skills/${server}`);
    const skill = page.getByRole('region', { name: 'Skill edited' });
    await skill.getByRole('button', { name: 'Read SKILL.md' }).click();
    const file = skill.getByRole('region', { name: 'File SKILL.md' });
    await file.getByText('mismatch').waitFor();
    await file.getByText(/^Its digest is sha256:[0-9a-f]{64}; its entry says sha256:0{64}\.$/).waitFor();
    await file.getByText('The field description of its frontmatter differs from the entry.').waitFor();
    await page.getByRole('link', { name: 'broken' }).click();
    await page.getByText('Hosts must not use this entry: "resources" is neither an array').waitFor();
  });
});
