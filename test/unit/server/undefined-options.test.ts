/** An option that is undefined is an option that is absent, for the compiler and when the server runs. */

import { expect, test } from 'vitest';
import { connect, textOf } from '../../../src/client/index.js';
import { createServer } from '../../../src/server/index.js';

test('options of a server, a tool, a resource and a prompt may be undefined', async () => {
  const server = createServer({
    name: 's',
    version: '1',
    title: undefined,
    instructions: undefined,
    capabilities: undefined,
    logging: undefined,
    pageSize: undefined,
    cache: undefined,
    revisions: undefined,
    requestState: undefined,
    exposeErrors: undefined,
    onError: undefined,
    limits: undefined,
    observe: undefined,
    http: undefined,
    tools: undefined,
    state: undefined,
  });
  server.tool(
    't',
    {
      title: undefined,
      description: undefined,
      input: undefined,
      output: undefined,
      annotations: undefined,
      icons: undefined,
      meta: undefined,
      requires: undefined,
      scopes: undefined,
      task: undefined,
      timeout: undefined,
      textCopy: undefined,
    },
    () => 'ran',
  );
  server.resource('test:r', { name: undefined, mimeType: undefined, cache: undefined }, () => 'read');
  server.prompt('p', { description: undefined, input: undefined, complete: undefined }, () => 'asked');
  const client = await connect(server);
  expect(await client.tools.list()).toEqual([{ name: 't', inputSchema: { type: 'object', properties: {} } }]);
  expect(textOf(await client.tools.call('t'))).toBe('ran');
  expect((await client.resources.read('test:r')).contents[0]).toMatchObject({ text: 'read' });
  expect((await client.prompts.get('p')).messages).toHaveLength(1);
  await client.close();
});
