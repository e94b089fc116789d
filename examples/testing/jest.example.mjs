/**
 * With jest, which runs ES modules behind a flag of Node:
 * `NODE_OPTIONS=--experimental-vm-modules npx jest --config examples/testing/jest.config.json`.
 */

import { expect, test } from '@jest/globals';
import { connect } from 'plumb-mcp/client';
import { createFakeServer, createTestClient, mcpMatchers } from 'plumb-mcp/testing';
import { createTicketServer } from './tickets-server.mjs';

expect.extend(mcpMatchers);

test('opens a ticket and shows it', async () => {
  const client = await createTestClient(createTicketServer());
  const opened = await client.call('open', { title: 'Broken lamp' });
  expect(opened).toSucceed();
  expect(opened).toHaveStructuredContent({ id: 1 });
  await expect(client.call('show', { id: 1 })).resolves.toHaveText('Broken lamp');
  await expect(client.call('open', { title: 'Broken door' })).resolves.toMeet('id === 2');
  await client.close();
});

test('refuses what it does not have', async () => {
  const client = await createTestClient(createTicketServer());
  expect(await client.call('show', { id: 7 })).toFail(/no ticket 7/);
  expect(await client.call('show', { id: 7 })).not.toSucceed();
  expect(await client.tools()).toInclude('open');
  await client.close();
});

test('a program calls the server as it should', async () => {
  const server = createFakeServer({ tools: { open: { result: { id: 3 } } } });
  const client = await connect(server);
  await client.tools.call('open', { title: 'From the program' });
  expect(server.callsOf('open')).toEqual([
    { kind: 'tool', name: 'open', args: { title: 'From the program' } },
  ]);
  await client.close();
});
