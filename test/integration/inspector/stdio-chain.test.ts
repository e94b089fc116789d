/** Chains that are served over stdio, with `--inspect`: both sides are shown, for official clients. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, it, onTestFinished } from 'vitest';
import { InspectorPage } from '../../support/inspector-page.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const PLUMB = join(root, 'dist/cli/plumb.cjs');
const DEMO = [process.execPath, PLUMB, 'demo', '--stdio'];

async function inspected(words: readonly string[]): Promise<{ client: Client; page: InspectorPage }> {
  const home = mkdtempSync(join(tmpdir(), 'plumb-home-'));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PLUMB, ...words],
    env: { HOME: home, PATH: process.env.PATH ?? '' },
    stderr: 'pipe',
  });
  let said = '';
  transport.stderr?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const client = new Client({ name: 'v1', version: '1' });
  await client.connect(transport);
  onTestFinished(async () => {
    await client.close();
    rmSync(home, { recursive: true, force: true });
  });
  const address = /inspector is at (\S+)/.exec(said)?.[1];
  return { client, page: await InspectorPage.at(new URL(address ?? '')) };
}

async function callIsOneGroup({ client, page }: { client: Client; page: InspectorPage }): Promise<void> {
  await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
  const calls = await page.messages({ methods: ['tools/call'], kinds: ['request'] });
  expect(calls.map(({ hop, transport }) => `${hop} ${transport}`)).toEqual([
    'client stdio',
    'upstream stdio',
  ]);
  expect(new Set(calls.map(({ group }) => group)).size).toBe(1);
  const [handshake] = await page.messages({ methods: ['initialize'], kinds: ['request'] });
  expect(handshake).toMatchObject({ hop: 'client', transport: 'stdio' });
  expect(await page.messages({ failedOnly: true })).toEqual([]);
}

it('a proxy shows the messages of its client, and what they become upstream, as one exchange', async () => {
  await callIsOneGroup(await inspected(['proxy', '--stdio', '--inspect', '--', ...DEMO]));
});

it('a chain that a module exports shows both sides too', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'plumb-module-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'chain.mjs');
  const [command, ...args] = DEMO;
  writeFileSync(
    file,
    `import { createChain } from ${JSON.stringify(pathToFileURL(join(root, 'dist/chain/index.js')).href)};
export default createChain().to(${JSON.stringify({ command, args })});
`,
  );
  await callIsOneGroup(await inspected(['chain', file, '--inspect']));
});
