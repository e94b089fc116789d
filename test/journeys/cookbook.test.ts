/** The configurations of the cookbook and of the README, each served and used as the page says. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { codeBlocks } from '../../scripts/site/markdown.mjs';
import { eventually } from './support/eventually.js';
import { type OfficialClient, openOfficial } from './support/official-clients.js';
import { serve, type Test } from './support/plumb.js';
import { program } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const folder = workspace.path('notes');

/** The YAML of each heading of a page. */
function configurations(path: string): Map<string, string> {
  const text = readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
  let heading = '';
  return new Map(
    codeBlocks(text).flatMap(({ language, code, before }): [string, string][] => {
      heading = [...before.matchAll(/^## (.+)$/gm)].at(-1)?.[1] ?? heading;
      return language === 'yaml' ? [[heading, code]] : [];
    }),
  );
}

/** As it stands, but with the packages that are installed here instead of those that `npx -y` fetches. */
function installedServers(yaml: string): string {
  const content = parse(yaml);
  for (const server of Object.values<{ command?: string; args?: string[] }>(content.servers)) {
    if (server.command !== 'npx') continue;
    const [flag, name = '', ...rest] = server.args ?? [];
    expect(flag).toBe('-y');
    server.command = process.execPath;
    server.args = [program(name), ...rest];
  }
  return stringify(content);
}

let port = 0;
async function open(test: Test, yaml: string, env: Record<string, string> = {}): Promise<OfficialClient> {
  writeFileSync(join(folder, 'chain.yaml'), installedServers(yaml));
  const { url } = await serve(test, workspace, ['chain', 'chain.yaml', '--http', '0'], { cwd: folder, env });
  port = Number(new URL(url).port);
  const client = await openOfficial('v1', url);
  test.onTestFinished(() => client.close());
  return client;
}

const names = async (client: OfficialClient): Promise<string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

const cookbook = configurations('docs/chain/cookbook.md');

/** What each configuration promises. */
const PROMISES: Record<string, (client: OfficialClient) => Promise<void>> = {
  'One endpoint for several servers': async (client) => {
    await eventually(async () =>
      expect(await names(client)).toEqual(
        expect.arrayContaining(['memory__read_graph', 'files__read_text_file']),
      ),
    );
  },
  'Only tools that read': async (client) => {
    const tools = await names(client);
    expect(tools).toContain('read_text_file');
    expect(tools).not.toContain('write_file');
    await expect(
      client.callTool({ name: 'write_file', arguments: { path: 'a', content: 'a' } }),
    ).rejects.toThrow();
  },
  'Names and descriptions for a model': async (client) => {
    const { tools } = await client.listTools();
    expect(tools).toContainEqual(
      expect.objectContaining({
        name: 'recall',
        description: 'Find what is known about a person or a project',
      }),
    );
    expect(tools.map(({ name }) => name)).toContain('remember');
  },
  'Fixed arguments': async (client) => {
    const { tools } = await client.listTools();
    const listed = JSON.stringify(tools.find(({ name }) => name === 'list_directory'));
    expect(listed).not.toContain('"path"');
    const result = await client.callTool({ name: 'list_directory', arguments: {} });
    expect(JSON.stringify(result)).toContain('bern.md');
  },
  'Limits for each caller': async (client) => {
    const result = await client.callTool({ name: 'echo', arguments: { message: 'hi' } });
    expect(JSON.stringify(result)).toContain('hi');
  },
  'An audit log, and no secrets in results': async (client) => {
    writeFileSync(join(folder, 'secret.txt'), 'key: ghp_0123456789abcdefghijklmnopqrstuvwxyzABCD\n');
    const result = await client.callTool({ name: 'read_text_file', arguments: { path: 'secret.txt' } });
    expect(JSON.stringify(result)).not.toContain('ghp_0123456789');
    await eventually(() => expect(readFileSync(join(folder, 'audit.jsonl'), 'utf8')).toContain('secret.txt'));
  },
  'A process for each session': async (client) => {
    const result = await client.callTool({ name: 'read_graph', arguments: {} });
    expect(JSON.stringify(result)).toContain('entities');
  },
  'A remote server, cached and retried': async (client) => {
    expect(await names(client)).toContain('add');
    expect(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } })).toMatchObject({
      structuredContent: { sum: 5 },
    });
  },
  'Hundreds of tools, found by searching': async (client) => {
    expect((await names(client)).sort()).toEqual(['call_tool', 'search_tools']);
    const found = await client.callTool({ name: 'search_tools', arguments: { query: 'read the graph' } });
    expect(JSON.stringify(found)).toContain('memory__read_graph');
  },
  'For one model provider, with metrics': async (client) => {
    expect((await names(client)).every((name) => /^[a-zA-Z_][\w.:-]*$/.test(name))).toBe(true);
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    expect(metrics).toContain('# TYPE');
  },
};

describe('the cookbook', () => {
  test('has ten configurations, and a promise for each', () => {
    expect([...cookbook.keys()]).toEqual(Object.keys(PROMISES));
    expect(cookbook.size).toBe(10);
  });

  test.for([...cookbook])('%s', async ([heading, yaml], context) => {
    const isRemote = yaml.includes('DOCS_URL');
    const env = isRemote ? { DOCS_URL: (await serve(context, workspace, ['demo', '--http', '0'])).url } : {};
    await PROMISES[heading]?.(await open(context, yaml, env));
  });
});

test('the gateway of the README has the tools of both servers, without those that it hides', async (context) => {
  const yaml = configurations('README.md').get('A gateway') ?? '';
  const tools = await names(await open(context, yaml));
  expect(tools).toEqual(expect.arrayContaining(['memory__read_graph', 'files__read_text_file']));
  expect(tools.filter((name) => /delete_|write_file/.test(name))).toEqual([]);
});
