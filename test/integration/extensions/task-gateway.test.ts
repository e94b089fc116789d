/** A gateway in front of servers with the one form of tasks, the other, and none, shared by several clients. */

import { createChain } from 'plumb-mcp/chain';
import { accept, type Client, connect, textOf } from 'plumb-mcp/client';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';
import { createStdioPair } from '../../support/stdio-pair.js';
import { createTaskServer } from '../../support/task-server.js';

function servers() {
  const core = createTaskServer({ revisions: ['2025-11-25'] });
  const extension = createTaskServer({ revisions: ['2026-07-28'] });
  const plain = createServer({ name: 'plain', version: '1.0.0' });
  plain.tool('hello', {}, () => 'hello');
  for (const { server } of [core, extension, { server: plain }]) cleanup(() => server.close({ drain: 0 }));
  return { core, extension, plain };
}

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'])('a gateway for a client of %s', (version) => {
  test('has the tools of all servers, as tasks where they are', async () => {
    const { core, extension, plain } = servers();
    const gateway = createChain().to({
      core: { server: core.server },
      extension: { server: extension.server },
      plain: { server: plain },
    });
    cleanup(() => gateway.close({ drain: 0 }));
    const client = await connect(gateway, { revisions: [version] });
    cleanup(() => client.close());
    for (const name of ['core', 'extension']) {
      expect(textOf(await client.tools.call(`${name}__add`, { a: 1, b: 2 }))).toBe('3');
      const task = await client.tools.start(`${name}__add`, { a: 2, b: 2 });
      expect(task.id === undefined).toBe(version === '2025-06-18');
      expect(textOf(await task.result())).toBe('4');
    }
    expect(textOf(await client.tools.call('plain__hello'))).toBe('hello');
    expect((await client.tools.start('plain__hello')).id).toBeUndefined();
  });
});

test('a question of a task goes to the client whose task it is, on a connection that all share', async () => {
  const { core } = servers();
  // Over pipes nothing but the task says whose question it is.
  const gateway = createChain().to(await createStdioPair(core.server));
  cleanup(() => gateway.close({ drain: 0 }));
  const meet = async (name: string): Promise<Client> => {
    const client = await connect(gateway, { elicit: () => accept({ name }) });
    cleanup(() => client.close());
    return client;
  };
  const clients = await Promise.all(['Ada', 'Bob', 'Cleo'].map(meet));
  const results = await Promise.all(clients.map((client) => client.tools.call('asks')));
  expect(results.map((result) => textOf(result))).toEqual(['Hello Ada', 'Hello Bob', 'Hello Cleo']);
});
