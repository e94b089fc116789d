/** Our client against servers built on the official SDKs, and against official servers, over stdio. */

import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Client, type ConnectOptions, connect } from 'plumb-mcp/client';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { StdioTarget } from '../../../src/client/target.js';
import { HANDSHAKE_REVISIONS } from '../../../src/protocol/revisions/index.js';

const fixture = (name: string): string => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const installed = (path: string): string =>
  fileURLToPath(new URL(`../../../node_modules/${path}`, import.meta.url));

async function open(
  args: readonly string[],
  options: ConnectOptions = {},
  target: Partial<StdioTarget> = {},
): Promise<Client> {
  const client = await connect({ command: process.execPath, args: [...args], ...target }, options);
  onTestFinished(() => client.close());
  return client;
}

const ANSWERING: ConnectOptions = {
  elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
  sample: () => ({
    role: 'assistant',
    content: { type: 'text', text: 'ok' },
    model: 'ours',
    stopReason: 'endTurn',
  }),
};

describe('a server on the official SDK v1', () => {
  test('is recognised as a handshake server, and used', async () => {
    const client = await open([fixture('sdk-v1-server.mjs')]);
    expect(client.revision).toBe(HANDSHAKE_REVISIONS.at(-1)?.version);
    expect(client.instructions).toBe('v1');
    expect((await client.tools.call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect((await client.resources.read('test://item/7')).contents).toMatchObject([{ text: 'item 7' }]);
    expect((await client.resources.templates().list()).map(({ name }) => name)).toEqual(['item']);
    expect((await client.prompts.get('greet', { name: 'you' })).messages).toHaveLength(1);
    await client.logging.setLevel('warning');
    await client.ping();
  });

  test.each(HANDSHAKE_REVISIONS.map(({ version }) => version))(
    'speaks %s when that is asked for',
    async (version) => {
      const client = await open([fixture('sdk-v1-server.mjs')], { revisions: [version] });
      expect(client.revision).toBe(version);
      expect((await client.tools.call('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    },
  );

  test('reports progress, asks its questions, and hears of cancellation', async () => {
    let stderr = '';
    const client = await open([fixture('sdk-v1-server.mjs')], ANSWERING, {
      onStderr: (line) => (stderr += line),
    });
    const progress: number[] = [];
    await client.tools.call('steps', {}, { onProgress: (step) => progress.push(step.progress) });
    expect(progress).toEqual([1, 2]);
    expect((await client.tools.call('ask')).content).toEqual([{ type: 'text', text: 'accept Ada' }]);
    expect((await client.tools.call('model')).content).toEqual([{ type: 'text', text: 'ours' }]);
    const controller = new AbortController();
    const hanging = client.tools.call('hang', {}, { signal: controller.signal });
    await client.ping();
    controller.abort();
    await expect(hanging).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => stderr).toContain('aborted');
  });
});

describe('a server on the official SDK v2', () => {
  test('is recognised as a stateless server, and used', async () => {
    const client = await open([fixture('sdk-v2-server.mjs')]);
    expect(HANDSHAKE_REVISIONS.map(({ version }) => version)).not.toContain(client.revision);
    expect((await client.tools.call('add', { a: 1, b: 2 })).structuredContent).toEqual({ sum: 3 });
    expect((await client.resources.read('test://fixed')).contents).toMatchObject([{ text: 'fixed' }]);
    expect((await client.prompts.get('greet', { name: 'you' })).messages).toHaveLength(1);
    await expect(client.tools.call('nope')).rejects.toBeDefined();
  });

  test.each(HANDSHAKE_REVISIONS.slice(1).map(({ version }) => version))(
    'speaks %s when that is asked for',
    async (version) => {
      const client = await open([fixture('sdk-v2-server.mjs')], { revisions: [version] });
      expect(client.revision).toBe(version);
      expect((await client.tools.call('add', { a: 1, b: 2 })).content).toEqual([{ type: 'text', text: '3' }]);
    },
  );
});

describe('official servers', () => {
  test('server-everything', async () => {
    const client = await open(
      [installed('@modelcontextprotocol/server-everything/dist/index.js')],
      ANSWERING,
    );
    const tools = (await client.tools.list()).map(({ name }) => name);
    expect(tools).toContain('echo');
    expect((await client.tools.call('echo', { message: 'hi' })).content).toEqual([
      { type: 'text', text: 'Echo: hi' },
    ]);
    expect((await client.resources.list()).length).toBeGreaterThan(0);
    expect((await client.prompts.list()).length).toBeGreaterThan(0);
  });

  test('server-filesystem', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'plumb-interop-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(join(folder, 'note.txt'), 'from the file system');
    const client = await open([installed('@modelcontextprotocol/server-filesystem/dist/index.js'), folder], {
      roots: [{ uri: `file://${folder}` }],
    });
    const read = await client.tools.call('read_text_file', { path: join(folder, 'note.txt') });
    expect(read.content).toEqual([{ type: 'text', text: 'from the file system' }]);
  });

  test('server-memory', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'plumb-interop-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const client = await open(
      [installed('@modelcontextprotocol/server-memory/dist/index.js')],
      {},
      {
        env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      },
    );
    const entities = [{ name: 'Plumb', entityType: 'toolkit', observations: ['speaks all revisions'] }];
    await client.tools.call('create_entities', { entities });
    const graph = await client.tools.call('read_graph', {});
    expect(JSON.stringify(graph.content)).toContain('speaks all revisions');
  });
});
