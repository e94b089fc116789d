/** Journey 2: servers crash, start late, are missing, come and go, while clients are connected to the gateway. */

import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { eventually } from './support/eventually.js';
import { fromMcpJson } from './support/gateways.js';
import { type OfficialClient, openOfficial } from './support/official-clients.js';
import { pidOf, pidsOf } from './support/processes.js';
import { entryOf, type RealServer, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const GATE = fileURLToPath(new URL('./programs/gate.mjs', import.meta.url));
const workspace = createWorkspace();
const servers = new Map(realServers(workspace).map((server) => [server.name, server]));

function server(name: string): RealServer {
  const found = servers.get(name);
  if (found === undefined) throw new Error(`There is no server ${name}`);
  return found;
}

/** Servers that have tools in the list of a client. */
async function present(client: OfficialClient): Promise<string[]> {
  const { tools } = await client.listTools();
  return [...new Set(tools.map(({ name }) => name.split('__')[0] ?? ''))].sort();
}

test('a gateway serves those that are there, and clients hear of every change', async (context) => {
  const { calculator, memory, everything } = {
    calculator: entryOf(server('calculator')),
    memory: entryOf(server('memory')),
    everything: entryOf(server('everything')),
  };
  const gate = workspace.path('gate');
  const slow = { ...calculator, args: [GATE, gate, calculator.command, ...calculator.args] };
  const missing = { command: workspace.path('no-such-program'), args: [] };
  const { url, stderr } = await fromMcpJson(context, workspace, { everything, memory, slow, missing });

  const clients = await Promise.all(
    (['v1', 'v2', 'v2 stateless'] as const).map((sdk) => openOfficial(sdk, url)),
  );
  for (const client of clients) context.onTestFinished(() => client.close());
  const everyone = (check: (client: OfficialClient) => Promise<void>): Promise<unknown> =>
    Promise.all(clients.map((client) => eventually(() => check(client))));
  const heard = (): number[] => clients.map((client) => client.heard.toolsChanged);
  const expectHeard = (before: number[]): Promise<void> =>
    eventually(() => {
      expect(heard().map((count, index) => count > (before[index] ?? 0))).toEqual([true, true, true]);
    });
  await Promise.all(clients.map((client) => client.listen()));
  await everyone(async (client) => expect(await present(client)).toEqual(['everything', 'memory']));
  expect(stderr()).toContain('no-such-program');

  // The slow one starts.
  let before = heard();
  writeFileSync(gate, '');
  await expectHeard(before);
  await everyone(async (client) => expect(await present(client)).toEqual(['everything', 'memory', 'slow']));
  await everyone(async (client) => {
    const sum = await client.callTool({ name: 'slow__add', arguments: { a: 1, b: 2 } });
    expect(JSON.stringify(sum)).toContain('is 3');
  });

  // One crashes, and is there again.
  const pid = pidOf(workspace.mark, 'server-everything');
  process.kill(pid, 'SIGKILL');
  await eventually(() => expect(pidsOf(workspace.mark, 'server-everything')).not.toContain(pid));
  await everyone(async (client) => {
    const echo = await client.callTool({ name: 'everything__echo', arguments: { message: 'again' } });
    expect(JSON.stringify(echo)).toContain('again');
  });

  // One is added, and one is removed.
  before = heard();
  workspace.write('mcp.json', { mcpServers: { everything, slow, missing, time: entryOf(server('time')) } });
  await expectHeard(before);
  await everyone(async (client) => expect(await present(client)).toEqual(['everything', 'slow', 'time']));
  await eventually(() => expect(pidsOf(workspace.mark, 'server-memory')).toEqual([]));
  await everyone(async (client) => {
    await expect(client.callTool({ name: 'memory__read_graph', arguments: {} })).rejects.toThrow();
    const days = await client.callTool({ name: 'time__days_in_month', arguments: { date: '2024-02-01' } });
    expect(JSON.stringify(days)).toContain('29');
  });
});
