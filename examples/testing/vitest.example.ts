/** With vitest: `npx vitest run examples/testing/vitest.example.ts`. */

import { connect } from 'plumb-mcp/client';
import { createFakeServer, createTestClient, type McpMatchers, mcpMatchers } from 'plumb-mcp/testing';
import { expect, test } from 'vitest';
import { createTicketServer } from './tickets-server.mjs';

declare module 'vitest' {
  interface Matchers<T> extends McpMatchers<T> {}
}

expect.extend(mcpMatchers);

test('opens a ticket and shows it', async () => {
  await using client = await createTestClient(createTicketServer());
  const opened = await client.call('open', { title: 'Broken lamp' });
  expect(opened).toSucceed();
  expect(opened).toHaveStructuredContent({ id: 1 });
  expect(await client.text('show', { id: 1 })).toBe('Broken lamp');
});

test('refuses what it does not have', async () => {
  await using client = await createTestClient(createTicketServer());
  expect(await client.call('show', { id: 7 })).toFail('There is no ticket 7');
  expect(await client.tools()).toInclude('open');
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
