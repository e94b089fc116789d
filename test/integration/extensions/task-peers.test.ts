/** Tasks between Plumb and the official SDK: its client with our server, and its server with our client. */

import { createRequire } from 'node:module';
import { Client as OfficialClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CallToolResultSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { createChain } from 'plumb-mcp/chain';
import { accept, connect, textOf } from 'plumb-mcp/client';
import { afterAll, describe, expect, test } from 'vitest';
import { createTaskServer } from '../../support/task-server.js';

const EVERYTHING = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-everything/dist/index.js',
);
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

describe('a task tool of the official server', () => {
  const target = { command: process.execPath, args: [EVERYTHING, 'stdio'] };

  test.concurrent('is called like any other, and asks while it runs', async () => {
    const asked: string[] = [];
    const client = await connect(target, {
      elicit: ({ message }) => {
        asked.push(message);
        return accept({ interpretation: 'technical' });
      },
    });
    cleanups.push(() => client.close());
    const statuses = new Set<string>();
    const result = await client.tools.call(
      'simulate-research-query',
      { topic: 'pipes', ambiguous: true },
      { onStatus: ({ status }) => statuses.add(status) },
    );
    expect(textOf(result)).toContain('pipes');
    expect(asked).toHaveLength(1);
    expect(statuses).toContain('completed');
  }, 60_000);

  test.concurrent('may ask the client by tasks, which the client answers', async () => {
    const client = await connect(target, {
      elicit: () => accept({ name: 'Ada', favoriteColor: 'Red' }),
      sample: () => ({ role: 'assistant', content: { type: 'text', text: 'A sample' }, model: 'none' }),
    });
    cleanups.push(() => client.close());
    const elicited = await client.tools.call('trigger-elicitation-request-async');
    expect(textOf(elicited)).toContain('Ada');
    const sampled = await client.tools.call('trigger-sampling-request-async', { prompt: 'Say something' });
    expect(textOf(sampled)).toContain('A sample');
  }, 60_000);

  test.concurrent.each(['2024-11-05', '2025-11-25', '2026-07-28'])(
    'is served to a client of %s through a chain',
    async (version) => {
      const gateway = createChain({ onError: () => undefined }).to(target);
      cleanups.push(() => gateway.close({ drain: 0 }));
      const client = await connect(gateway, { revisions: [version], initTimeout: '60s' });
      cleanups.push(() => client.close());
      expect(textOf(await client.tools.call('simulate-research-query', { topic: 'pipes' }))).toContain(
        'pipes',
      );
    },
    60_000,
  );
});

describe.each(['direct', 'through a chain'])('the official client (%s)', (way) => {
  async function meet() {
    const tasks = createTaskServer();
    cleanups.push(() => tasks.server.close({ drain: 0 }));
    const served = way === 'direct' ? tasks.server : createChain().to({ server: tasks.server });
    if (served !== tasks.server) cleanups.push(() => served.close({ drain: 0 }));
    const { url } = await served.http();
    const client = new OfficialClient(
      { name: 'official', version: '1.0.0' },
      { capabilities: { elicitation: {} } },
    );
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { name: 'Ada' } }));
    // The official types of the transport do not allow for exactOptionalPropertyTypes.
    const transport = new StreamableHTTPClientTransport(new URL(url));
    await client.connect(transport as Parameters<typeof client.connect>[0]);
    cleanups.push(() => client.close());
    return { client, ...tasks };
  }

  async function stream(client: OfficialClient, name: string, args: Record<string, unknown> = {}) {
    const kinds: string[] = [];
    let text = '';
    const params = { name, arguments: args };
    for await (const message of client.experimental.tasks.callToolStream(params, CallToolResultSchema, {
      task: { ttl: 60_000 },
    })) {
      kinds.push(message.type);
      if (message.type === 'error') throw message.error;
      if (message.type === 'result' && 'content' in message.result)
        text = JSON.stringify(message.result.content);
    }
    return { kinds, text };
  }

  test('follows a task to its result', async () => {
    const { client } = await meet();
    await client.listTools();
    const { kinds, text } = await stream(client, 'add', { a: 1, b: 2 });
    expect(kinds).toContain('taskCreated');
    expect(text).toContain('3');
  });

  test('answers the questions of a task', async () => {
    const { client } = await meet();
    await client.listTools();
    expect((await stream(client, 'asks')).text).toContain('Hello Ada');
  });

  test('gets, and cancels a task', async () => {
    const { client, seen } = await meet();
    await client.listTools();
    for await (const message of client.experimental.tasks.callToolStream(
      { name: 'gate', arguments: {} },
      CallToolResultSchema,
      { task: {} },
    )) {
      if (message.type !== 'taskCreated') continue;
      const { taskId } = message.task;
      expect((await client.experimental.tasks.getTask(taskId)).status).toBe('working');
      expect((await client.experimental.tasks.cancelTask(taskId)).status).toBe('cancelled');
      break;
    }
    await expect.poll(() => seen).toEqual(['stopped']);
  });
});
