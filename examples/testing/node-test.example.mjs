/** With the runner of Node: `node --test examples/testing/node-test.example.mjs`. */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createTestClient, mcpTest } from 'plumb-mcp/testing';
import { createTicketServer } from './tickets-server.mjs';

/** @type {import('plumb-mcp/testing').TestClient} */
let client;
before(async () => {
  client = await createTestClient(createTicketServer());
});
after(() => client.close());

test('opens a ticket and shows it', async () => {
  assert.deepEqual(await client.value('open', { title: 'Broken lamp' }), { id: 1 });
  assert.equal(await client.text('show', { id: 1 }), 'Broken lamp');
});

test('refuses what it does not have', async () => {
  await assert.rejects(client.text('show', { id: 7 }), /There is no ticket 7/);
});

test('a whole suite in code', async () => {
  const { failed } = await mcpTest(createTicketServer(), {
    tools: {
      open: { args: { title: 'One' }, expect: 'id === 1' },
      show: { args: { id: 9 }, isError: true, expect: { contains: 'no ticket' } },
    },
  });
  assert.equal(failed, 0);
});
