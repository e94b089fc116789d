/** Journey 9: `plumb validate` and `plumb doctor` on every server. */

import { expect, test } from 'vitest';
import { type plumb, startPlumb } from './support/plumb.js';
import { type RealServer, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = realServers(workspace);

/** How a user of a shell runs it. */
function run(command: string, words: readonly string[], server: RealServer): ReturnType<typeof plumb> {
  const line = [command, ...words, '--', server.command, ...server.args];
  return startPlumb(workspace, line, { env: server.env }).ended;
}

// The whole catalogue starts a server a dozen times for each revision, so all of them get a sample of it.
test.concurrent.for(servers)('validate judges $name, and says what it found', async (server) => {
  const sample = ['--revision', '2024-11-05', '--only', '001,009', '--json'];
  const { code, stdout } = await run('validate', sample, server);
  expect(code).toBeOneOf([0, 1]);
  const { revisions } = JSON.parse(stdout);
  expect(revisions).toMatchObject([{ revision: '2024-11-05', score: expect.any(Number) }]);
  const ids = revisions[0].outcomes.map(({ id }: { id: string }) => id);
  expect(ids).toEqual(expect.arrayContaining(['001', '009']));
});

test('validate names the requirement that a banner on stdout fails', async () => {
  const [calculator] = servers.filter(({ name }) => name === 'calculator');
  if (calculator === undefined) throw new Error('no such server');
  const { code, stdout } = await run('validate', ['--revision', '2024-11-05'], calculator);
  expect(code).toBe(1);
  expect(stdout).toContain('This server is running on stdio');
});

test.concurrent.for(servers)('doctor finds $name well, banner or not', async (server) => {
  const { code, stdout } = await run('doctor', [], server);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('initialize') });
  if (server.printsBanner === true) expect(stdout).toMatch(/WARN +stdout/);
});
