/** The validator, run from the page: live, with findings that point at the messages behind them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createDemoServer } from '../../../src/cli/demo/server.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import { InspectorPage } from '../../support/inspector-page.js';

const NEWEST = REVISIONS.at(-1)?.version ?? '';

it('tells its progress and ends with a score for each revision', async () => {
  const handle = await createDemoServer().http({ port: 0 });
  onTestFinished(() => handle.close({ drain: 0 }));
  const page = await InspectorPage.open();
  const { id } = await page.connect({ kind: 'url', url: handle.url });
  const run = await page.command('comply.start', {
    server: id,
    revisions: [NEWEST],
    only: ['001', '002', '003'],
  });
  expect(run).toMatchObject({ state: 'running', server: id });
  const { progress } = await page.event('complyProgress', undefined, 60_000);
  expect(progress).toMatchObject({ revision: NEWEST });
  const ended = await page.event('complyEnded', ({ run: told }) => told.id === run.id, 90_000);
  expect(ended.run).toMatchObject({ state: 'done', revisions: [{ revision: NEWEST }] });
  expect(ended.run.revisions[0]?.outcomes.length).toBeGreaterThan(0);
  const traffic = await page.messages({ sources: ['validator'], run: run.id });
  expect(traffic.length).toBeGreaterThan(2);
  expect(traffic.find(({ kind }) => kind === 'result')?.pair).toBeDefined();
  expect(JSON.parse(await page.file('comply.report', { run: run.id, format: 'json' }))).toMatchObject({
    subject: 'server',
  });
  expect(await page.file('comply.report', { run: run.id, format: 'html' })).toContain('<html');
}, 120_000);

it('finds what is wrong with a server, and where in the traffic that shows', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-comply-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const script = join(folder, 'sloppy.mjs');
  // Answers with a number for a name, and knows nothing else.
  writeFileSync(
    script,
    `import { createInterface } from 'node:readline';
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 5, version: '1' } }
    : method === 'tools/list' ? { tools: [{ name: 'x', inputSchema: { type: 'string' } }] } : {};
  console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
});`,
  );
  const page = await InspectorPage.open();
  const { id } = await page.command('servers.add', {
    kind: 'command',
    command: process.execPath,
    args: [script],
    connect: false,
  });
  const [oldest] = REVISIONS;
  const run = await page.command('comply.start', { server: id, revisions: [oldest?.version ?? ''] });
  const { finding } = await page.event(
    'complyFinding',
    ({ finding: told }) => told.messages.length > 0,
    90_000,
  );
  const { messages } = await page.command('timeline.get', { seqs: finding.messages });
  expect(messages.length).toBe(finding.messages.length);
  const shown = [finding.sent, finding.received]
    .filter((text) => text !== undefined)
    .map((text) => text.slice(0, 40));
  expect(
    messages.every(({ text, run: of }) => of === run.id && shown.some((part) => text.startsWith(part))),
  ).toBe(true);
  expect(finding.url).toContain('modelcontextprotocol.io');
  await page.command('comply.stop', { run: run.id });
  const ended = await page.event('complyEnded', undefined, 60_000);
  expect(['stopped', 'done']).toContain(ended.run.state);
}, 120_000);
