/** Journey 6: servers are killed, restarted and put to sleep, and the network is cut; the work goes on. */

import { expect, test } from 'vitest';
import { eventually } from './support/eventually.js';
import { forward } from './support/forwarder.js';
import { type OfficialClient, openOfficial, sdks } from './support/official-clients.js';
import { found, PLUMB, serve, startPlumb, stopAfter } from './support/plumb.js';
import { pidOf, pidsOf } from './support/processes.js';
import { environment, type RealServer, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = realServers(workspace);

function server(name: string): RealServer {
  const wanted = servers.find((candidate) => candidate.name === name);
  if (wanted === undefined) throw new Error(`There is no server ${name}`);
  return wanted;
}

const memory = server('memory');
const command = ['--', memory.command, ...memory.args];

async function expectGraph(client: OfficialClient): Promise<void> {
  expect(await client.callTool({ name: 'read_graph', arguments: {} })).toMatchObject({
    structuredContent: { relations: [] },
  });
}

test.for(sdks)(
  'a server that is killed behind a proxy is there for the next call of SDK %s',
  async (sdk, context) => {
    const { url } = await serve(
      context,
      workspace,
      ['proxy', '--http', '0', '--isolate', 'shared', ...command],
      {
        env: memory.env,
      },
    );
    const client = await openOfficial(sdk, url);
    context.onTestFinished(() => client.close());
    await expectGraph(client);
    const pid = pidOf(workspace.mark, 'server-memory');
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(pidsOf(workspace.mark, 'server-memory')).not.toContain(pid));
    await eventually(() => expectGraph(client));
  },
);

test('a server that sleeps answers when it wakes', async (context) => {
  const { url } = await serve(
    context,
    workspace,
    ['proxy', '--http', '0', '--isolate', 'shared', ...command],
    {
      env: memory.env,
    },
  );
  const client = await openOfficial('v1', url);
  context.onTestFinished(() => client.close());
  await expectGraph(client);
  const pid = pidOf(workspace.mark, 'server-memory');
  process.kill(pid, 'SIGSTOP');
  const answer = client.callTool({ name: 'read_graph', arguments: {} });
  // Asked for on another connection, it shows that the proxy is awake while its server sleeps.
  expect((await fetch(new URL('/metrics', url))).status).toBe(200);
  process.kill(pid, 'SIGCONT');
  expect(await answer).toMatchObject({ structuredContent: { relations: [] } });
});

test('a proxy that is started again at its address serves new clients', async (context) => {
  const first = startPlumb(workspace, ['proxy', '--http', '0', ...command], { env: memory.env });
  const url = await found(first, /(http:\/\/\S+?\/mcp)\b/);
  const before = await openOfficial('v1', url);
  await expectGraph(before);
  first.process.kill('SIGKILL');
  await first.ended;
  await before.close();
  const second = startPlumb(workspace, ['proxy', '--http', new URL(url).port, ...command], {
    env: memory.env,
  });
  stopAfter(context, second);
  await found(second, /(http:\/\/\S+?\/mcp)\b/);
  const after = await openOfficial('v2', url);
  context.onTestFinished(() => after.close());
  await expectGraph(after);
});

test('a program behind plumb proxy URL survives a network that is cut', async (context) => {
  const { url } = await serve(context, workspace, ['proxy', '--http', '0', ...command], { env: memory.env });
  const network = await forward(context, url);
  const client = await openOfficial('v1', {
    command: process.execPath,
    args: [PLUMB, 'proxy', network.url, '--stdio'],
    env: environment(workspace),
    cwd: workspace.folder,
  });
  context.onTestFinished(() => client.close());
  await expectGraph(client);
  network.cut();
  await expect(client.callTool({ name: 'read_graph', arguments: {} })).rejects.toThrow();
  network.mend();
  await eventually(() => expectGraph(client));
});
