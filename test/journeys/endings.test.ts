/** Journey 7: Ctrl-C, kill and kill -9 leave nothing behind, at every stage. */

import { expect, test } from 'vitest';
import { eventually } from './support/eventually.js';
import { openOfficial } from './support/official-clients.js';
import { found, type Running, startPlumb } from './support/plumb.js';
import { expectNoProcesses, markedProcesses } from './support/processes.js';
import { mcpJson, realServers } from './support/servers.js';
import { createWorkspace } from './support/workspace.js';

const workspace = createWorkspace();
const servers = realServers(workspace).filter(({ name }) =>
  ['everything', 'memory', 'kubernetes', 'leanspec', 'calculator'].includes(name),
);
const gateway = ['chain', '--mcp', workspace.write('endings.json', mcpJson(servers)), '--http', '0'];
const [everything] = servers;
if (everything === undefined) throw new Error('no server');
const command = ['--', everything.command, ...everything.args];

/** What a user runs, and how far it got when the signal comes. */
const STAGES: readonly { name: string; words: string[]; reached: (running: Running) => Promise<unknown> }[] =
  [
    {
      name: 'a gateway whose servers are starting',
      words: gateway,
      reached: async (running) => {
        const url = await found(running, /(http:\/\/\S+?\/mcp)\b/);
        void openOfficial('v1', url).catch(() => undefined);
        await eventually(() => expect(markedProcesses(workspace.mark).length).toBeGreaterThan(1));
      },
    },
    {
      name: 'a gateway in use',
      words: gateway,
      reached: async (running) => {
        const client = await openOfficial('v1', await found(running, /(http:\/\/\S+?\/mcp)\b/));
        await client.listTools();
        const long = { duration: 60, steps: 60 };
        const call = { name: 'everything__trigger-long-running-operation', arguments: long };
        await new Promise<void>((resolve) => {
          client.callTool(call, () => resolve()).catch(() => undefined);
        });
      },
    },
    {
      name: 'a call that runs',
      words: ['call', 'trigger-long-running-operation', 'duration=60', 'steps=600', ...command],
      reached: () => eventually(() => expect(markedProcesses(workspace.mark).length).toBeGreaterThan(1)),
    },
    {
      name: 'the validator at work',
      words: ['validate', ...command],
      reached: () => eventually(() => expect(markedProcesses(workspace.mark).length).toBeGreaterThan(1)),
    },
    {
      name: 'the inspector',
      words: ['inspect', '--no-open', ...command],
      reached: async (running) => {
        await found(running, /(http:\/\/127\.0\.0\.1:\d+\/t\/[\w-]+\/)/);
        await eventually(() => expect(markedProcesses(workspace.mark).length).toBeGreaterThan(1));
      },
    },
  ];

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGKILL'] as const;

test.for(STAGES.flatMap((stage) => SIGNALS.map((signal) => ({ ...stage, signal }))))(
  '$signal ends $name with everything it started',
  async ({ words, reached, signal }) => {
    const running = startPlumb(workspace, words, { env: everything.env, detached: true });
    await reached(running);
    const { pid } = running.process;
    if (pid === undefined) throw new Error('It did not start');
    // Ctrl-C reaches the whole process group of a terminal, the others the process alone.
    process.kill(signal === 'SIGINT' ? -pid : pid, signal);
    await running.ended;
    await expectNoProcesses(workspace.mark);
  },
);
