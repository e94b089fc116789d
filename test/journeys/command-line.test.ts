/** Journey 1: a user meets servers with `plumb list` and `plumb call`. */

import { expect, test } from 'vitest';
import { REVISIONS } from '../../src/protocol/revisions/index.js';
import { openOfficial } from './support/official-clients.js';
import { plumb } from './support/plumb.js';
import { realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = realServers(workspace);

test.concurrent.each(servers)('lists what $name has, and calls it', async (server) => {
  const official = await openOfficial('v1', server);
  const expected = (await official.listTools()).tools.map(({ name }) => name);
  const answer = await official.callTool(server.harmless).catch((error: Error) => error);
  await official.close();

  const env = Object.entries(server.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const command = [...env, '--', server.command, ...server.args];
  const listed = await plumb(workspace, 'list', 'tools', '--json', ...command);
  expect(listed).toMatchObject({ code: 0 });
  const names = JSON.parse(listed.stdout).tools.map(({ name }: { name: string }) => name);
  // Some servers show more tools to a client that can do more, as this one can.
  expect(names.filter((name: string) => expected.includes(name))).toEqual(expected);

  const args = ['--args', JSON.stringify(server.harmless.arguments)];
  const called = await plumb(workspace, 'call', server.harmless.name, '--json', ...args, ...command);
  if (answer instanceof Error) {
    expect(called.code).toBe(1);
    expect(called.stderr).toContain(answer.message.replace(/^MCP error -?\d+: /, ''));
    return;
  }
  expect(JSON.parse(called.stdout)).toMatchObject(answer);
  expect(called.code).toBe('isError' in answer && answer.isError === true ? 1 : 0);
});

test.concurrent.each(REVISIONS.map(({ version }) => version))(
  'speaks %s with a server of the newest SDK when asked to',
  async (revision) => {
    const server = servers.find(({ name }) => name === 'context7');
    if (server === undefined) throw new Error('no such server');
    const { code, stdout } = await plumb(
      workspace,
      'list',
      '--revision',
      revision,
      '--',
      server.command,
      ...server.args,
    );
    expect({ code, heading: stdout.split('\n')[0] }).toMatchObject({
      code: 0,
      heading: expect.stringContaining(`protocol revision ${revision}`),
    });
  },
);
