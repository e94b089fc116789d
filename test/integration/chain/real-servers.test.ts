/** The ordinary gateway: official servers behind a chain without options, in front of it the clients of both SDKs. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { type Chain, createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { HttpHandle } from '../../../src/server/http/service.js';

/** The command as users get it; the test command builds it first. */
const PLUMB = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));
const modules = fileURLToPath(new URL('../../../node_modules/@modelcontextprotocol/', import.meta.url));
const official = (name: string, ...args: string[]): { command: string; args: string[] } => ({
  command: process.execPath,
  args: [`${modules}server-${name}/dist/index.js`, ...args],
});

let folder: string;
let gateway: Chain;
let handle: HttpHandle;
/** What each server has when it is asked directly. */
const direct: Record<string, { tools: string[]; prompts: string[]; resources: string[] }> = {};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plumb-gateway-'));
  await writeFile(join(folder, 'note.txt'), 'noted');
  const servers = {
    everything: official('everything', 'stdio'),
    files: official('filesystem', folder),
    memory: { ...official('memory'), env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
  };
  for (const [name, server] of Object.entries(servers)) {
    // A gateway for many says that its clients can do everything, and this server has tools for those who do.
    const client = await connect(server, {
      elicit: () => ({ action: 'cancel' }),
      sample: () => ({ role: 'assistant', content: { type: 'text', text: '' }, model: 'none' }),
      roots: [],
    });
    const { capabilities } = client;
    direct[name] = {
      // A gateway does not offer to answer questions as tasks, and one server has tools for clients that do.
      tools: (await client.tools.list()).map((tool) => tool.name).filter((tool) => !tool.endsWith('-async')),
      prompts:
        capabilities.prompts === undefined ? [] : (await client.prompts.list()).map((prompt) => prompt.name),
      resources:
        capabilities.resources === undefined ? [] : (await client.resources.list()).map(({ uri }) => uri),
    };
    await client.close();
  }
  await writeFile(join(folder, 'mcp.json'), JSON.stringify({ mcpServers: servers }));
  gateway = createChain({ onError: () => undefined }).to(servers);
  handle = await gateway.http();
});

afterAll(async () => {
  await gateway.close({ drain: 0 });
  await rm(folder, { recursive: true, force: true });
});

async function openV1(): Promise<ClientV1> {
  const client = new ClientV1({ name: 'v1', version: '1' });
  // The SDK's own types disagree with `exactOptionalPropertyTypes`.
  await client.connect(new HttpV1(new URL(handle.url)) as Parameters<ClientV1['connect']>[0]);
  onTestFinished(() => client.close());
  return client;
}

async function openV2(mode: 'auto' | 'legacy'): Promise<ClientV2> {
  const client = new ClientV2({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new HttpV2(new URL(handle.url)));
  onTestFinished(() => client.close());
  return client;
}

function prefixed(kind: 'tools' | 'prompts'): string[] {
  return Object.entries(direct).flatMap(([name, server]) => server[kind].map((own) => `${name}__${own}`));
}

const CLIENTS: Record<string, () => Promise<ClientV1 | ClientV2>> = {
  'SDK v1': openV1,
  'SDK v2, handshake': () => openV2('legacy'),
  'SDK v2, stateless': () => openV2('auto'),
};

/** One of the servers offers tasks; each era has them in its own form. */
const TASKS: Record<string, string> = {
  'SDK v1': 'tasks',
  'SDK v2, handshake': 'tasks',
  'SDK v2, stateless': 'extensions',
};

describe.each(Object.entries(CLIENTS))('the client of %s', (name, open) => {
  test('lists the tools of every server, prefixed, and calls each server by such a name', async () => {
    const client = await open();
    for (let round = 0; round < 3; round += 1) {
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(prefixed('tools'));
    }
    expect(await client.callTool({ name: 'everything__echo', arguments: { message: 'hi' } })).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('hi') }],
    });
    expect(
      await client.callTool({ name: 'files__read_text_file', arguments: { path: join(folder, 'note.txt') } }),
    ).toMatchObject({ content: [{ type: 'text', text: 'noted' }] });
    const graph = await client.callTool({ name: 'memory__read_graph', arguments: {} });
    expect(graph).toMatchObject({ structuredContent: { entities: [], relations: [] } });
  });

  test('hears of no capability that the gateway does not serve', async () => {
    const client = await open();
    expect(Object.keys(client.getServerCapabilities() ?? {}).sort()).toEqual(
      ['completions', 'logging', 'prompts', 'resources', 'tools', TASKS[name]].sort(),
    );
  });

  test('lists and gets prompts, and lists and reads resources', async () => {
    const client = await open();
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(prefixed('prompts'));
    expect((await client.getPrompt({ name: 'everything__simple-prompt' })).messages).toHaveLength(1);
    const uris = Object.values(direct).flatMap(({ resources }) => resources);
    const { resources } = await client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual(uris);
    const [first] = uris;
    expect((await client.readResource({ uri: first ?? '' })).contents).toMatchObject([{ uri: first }]);
  });
});

describe.each(REVISIONS.map(({ version }) => version))('a client of %s', (revision) => {
  test('lists all of it and calls it, without having listed before too', async () => {
    const client = await connect(handle.url, { revisions: [revision] });
    onTestFinished(() => client.close());
    expect(client.revision).toBe(revision);
    const result = await client.tools.call('everything__echo', { message: 'first' });
    expect(result.content).toMatchObject([{ type: 'text', text: expect.stringContaining('first') }]);
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(prefixed('tools'));
    expect((await client.prompts.list()).map(({ name }) => name)).toEqual(prefixed('prompts'));
  });
});

describe('plumb chain --mcp mcp.json', () => {
  const command = (): { command: string; args: string[]; stderr: 'ignore' } => ({
    command: process.execPath,
    args: [PLUMB, 'chain', '--mcp', join(folder, 'mcp.json'), '--stdio'],
    stderr: 'ignore',
  });
  const info = { name: 'test', version: '1' };
  const clients: Record<string, () => Promise<ClientV1 | ClientV2>> = {
    'SDK v1': async () => {
      const client = new ClientV1(info);
      await client.connect(new StdioV1(command()));
      return client;
    },
    'SDK v2, stateless': async () => {
      const client = new ClientV2(info, { versionNegotiation: { mode: 'auto' } });
      await client.connect(new StdioV2(command()));
      return client;
    },
  };

  test.each(Object.entries(clients))('is the same gateway for the client of %s', async (_name, open) => {
    const client = await open();
    onTestFinished(() => client.close());
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(prefixed('tools'));
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(prefixed('prompts'));
    expect(
      await client.callTool({ name: 'files__read_text_file', arguments: { path: join(folder, 'note.txt') } }),
    ).toMatchObject({ content: [{ type: 'text', text: 'noted' }] });
  });
});
