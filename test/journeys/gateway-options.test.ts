/** Journey 2: each option of a server behind a gateway, in a file and in code. */

import { expect, test } from 'vitest';
import { eventually } from './support/eventually.js';
import { fromCode, fromMcpJson, fromYaml, type StartGateway } from './support/gateways.js';
import { type OfficialClient, openOfficial } from './support/official-clients.js';
import { entryOf, type RealServer, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = new Map(realServers(workspace).map((server) => [server.name, server]));

function server(name: string): RealServer {
  const found = servers.get(name);
  if (found === undefined) throw new Error(`There is no server ${name}`);
  return found;
}

const WAYS: readonly [string, StartGateway][] = [
  ['YAML', fromYaml],
  ['code', fromCode],
];

async function toolNames(client: OfficialClient): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}

/** Servers that start slowly join later; on a busy machine any of them may. */
function toolsOfAll(client: OfficialClient, count: number): Promise<string[]> {
  return eventually(async () => {
    const names = await toolNames(client);
    expect(names).toHaveLength(count);
    return names;
  });
}

async function textOf(result: Promise<object>): Promise<string> {
  return JSON.stringify(await result);
}

test.for(WAYS)(
  'prefix, rename, include and exclude decide about names, in %s',
  async ([_, start], context) => {
    const { url } = await start(context, workspace, {
      calculator: { ...entryOf(server('calculator')), prefix: 'math_', exclude: ['div', 'mod'] },
      time: {
        ...entryOf(server('time')),
        include: ['*_time', 'days_in_month'],
        rename: { days_in_month: 'days' },
      },
      commands: { ...entryOf(server('commands')), prefix: '' },
    });
    const client = await openOfficial('v1', url);
    context.onTestFinished(() => client.close());
    expect((await toolsOfAll(client, 9)).sort()).toEqual(
      ['math_add', 'math_mul', 'math_sqrt', 'math_sub', 'run_command', 'days']
        .concat(['current_time', 'relative_time', 'convert_time'].map((name) => `time__${name}`))
        .sort(),
    );
    expect(await textOf(client.callTool({ name: 'math_add', arguments: { a: 1, b: 2 } }))).toContain('is 3');
    expect(await textOf(client.callTool({ name: 'days', arguments: { date: '2024-02-01' } }))).toContain(
      '29',
    );
    expect(await textOf(client.callTool({ name: 'run_command', arguments: {} }))).toContain(
      'Command is required',
    );
    for (const hidden of ['math_div', 'div', 'time__days_in_month', 'days_in_month', 'time__get_timestamp']) {
      await expect(client.callTool({ name: hidden, arguments: {} })).rejects.toThrow(/unknown tool/i);
    }
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(['run_command']);
  },
);

test.for(WAYS)(
  'priority decides between servers that show the same names, in %s',
  async ([_, start], context) => {
    const memory = (city: string): object => ({
      ...entryOf(server('memory')),
      env: { ...server('memory').env, MEMORY_FILE_PATH: workspace.write(`${city}.jsonl`, graph(city)) },
      prefix: '',
    });
    const { url } = await start(context, workspace, {
      first: { ...memory('Basel'), priority: 1 },
      second: { ...memory('Bern'), priority: 2 },
      third: memory('Biel'),
    });
    const client = await openOfficial('v2', url);
    context.onTestFinished(() => client.close());
    const names = await toolNames(client);
    expect(names).toHaveLength(new Set(names).size);
    const read = await textOf(client.callTool({ name: 'read_graph', arguments: {} }));
    expect(read).toContain('Bern');
    expect(read).not.toContain('Basel');
  },
);

function graph(city: string): string {
  return `${JSON.stringify({ type: 'entity', name: city, entityType: 'city', observations: [] })}\n`;
}

test.for(WAYS)('isolate decides who shares a process, in %s', async ([_, start], context) => {
  const { url } = await start(context, workspace, {
    together: entryOf(server('thinking')),
    apart: { ...entryOf(server('thinking')), isolate: 'session' },
  });
  const thought = { thought: 'a', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
  const history: Record<string, number[]> = {
    together__sequentialthinking: [],
    apart__sequentialthinking: [],
  };
  for (const sdk of ['v1', 'v2'] as const) {
    const client = await openOfficial(sdk, url);
    context.onTestFinished(() => client.close());
    for (const [name, lengths] of Object.entries(history)) {
      const text = await textOf(client.callTool({ name, arguments: thought }));
      lengths.push(Number(/thoughtHistoryLength\\?":\s*(\d+)/.exec(text)?.[1]));
    }
  }
  expect(history).toEqual({ together__sequentialthinking: [1, 2], apart__sequentialthinking: [1, 1] });
});

test('names that look alike after cleaning keep their servers apart', async (context) => {
  const names = [
    'x.y',
    'x_y',
    '天气',
    '时间',
    'A server whose name is much longer than any model provider accepts',
  ];
  const entries = names.map((name) => [name, entryOf(server('calculator'))]);
  const { url } = await fromMcpJson(context, workspace, Object.fromEntries(entries));
  const client = await openOfficial('v1', url);
  context.onTestFinished(() => client.close());
  const tools = await toolsOfAll(client, names.length * 6);
  expect(new Set(tools).size).toBe(names.length * 6);
  expect(tools.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  for (const name of tools.filter((tool) => /add$/.test(tool))) {
    expect(await textOf(client.callTool({ name, arguments: { a: 2, b: 3 } }))).toContain('is 5');
  }
});

test.for([
  ['of a server alone', []],
  ['beside a server that cannot be started', ['gone']],
] as const)('every list that is declared can be read, %s', async ([_, broken], context) => {
  const gone = Object.fromEntries(broken.map((name) => [name, { command: 'no-such-command' }]));
  const { url } = await fromMcpJson(context, workspace, { time: entryOf(server('time')), ...gone });
  for (const sdk of ['v1', 'v2'] as const) {
    const client = await openOfficial(sdk, url);
    context.onTestFinished(() => client.close());
    expect((await client.listTools()).tools).toHaveLength(6);
    expect((await client.listPrompts()).prompts).toEqual([]);
    expect((await client.listResources()).resources).toEqual([]);
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([]);
  }
});
