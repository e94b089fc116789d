/** Journey 4: an agent application with `connectAll` on the same set of servers. */

import { expect, test } from 'vitest';
import { baselines } from './support/baseline.js';
import { inInstalled } from './support/gateways.js';
import { startProgram } from './support/plumb.js';
import { mcpJson, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();

test('an agent uses the tools of every server, and one that is missing does not disturb it', async () => {
  const servers = realServers(workspace);
  const direct = await baselines(servers);
  const { mcpServers } = mcpJson(servers);
  const config = workspace.write('agent.json', {
    mcpServers: { ...mcpServers, missing: { command: workspace.path('no-such-program') } },
  });
  const wishes = servers.map(({ name, harmless }) => ({ ...harmless, name: `${name}__${harmless.name}` }));
  const { code, stdout, stderr } = await startProgram(workspace, process.execPath, [
    inInstalled('agent.mjs'),
    config,
    workspace.write('wishes.json', wishes),
  ]).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const { states, tools, found, results, note } = JSON.parse(stdout);

  const ready = Object.fromEntries(servers.map(({ name }) => [name, 'ready']));
  expect(states).toMatchObject(ready);
  expect(states.missing).not.toBe('ready');
  const names: string[] = tools.map(({ name }: { name: string }) => name);
  expect(names.filter((name) => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
  const expected = direct.flatMap(({ server, tools: answers }) =>
    [...answers.keys()].map((name) => `${server.name}__${name}`),
  );
  // Roots and sampling are left out: this agent has neither.
  const beyond = ['everything__get-roots-list', 'everything__trigger-sampling-request'];
  expect(expected.filter((name) => !names.includes(name) && !beyond.includes(name))).toEqual([]);
  expect(found).toMatchObject([{ name: 'time__days_in_month' }]);

  expect(results.everything__echo).toMatchObject({ content: [{ text: 'Echo: hi' }] });
  expect(results.fast__count).toMatchObject({ content: [{ text: 'counted to 2' }] });
  expect(JSON.stringify(results.time__days_in_month)).toContain('29');
  expect(JSON.stringify(results.calculator__add)).toContain('is 3');
  expect(results.github__get_issue.failed).toContain('Required');
  expect(Object.keys(results)).toHaveLength(servers.length);
  expect(note).toMatchObject({ contents: [{ uri: 'memory://knowledge-graph' }] });
});
