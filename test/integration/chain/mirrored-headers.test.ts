/** Arguments that travel in headers too are the same in both places, whatever middleware did to them on the way. */

import { createChain } from 'plumb-mcp/chain';
import { connect } from 'plumb-mcp/client';
import { type Layer, rename, rewrite } from 'plumb-mcp/middleware';
import { createServer } from 'plumb-mcp/server';
import { describe, expect, test } from 'vitest';
import { cleanup } from '../../support/cleanup.js';

/** Client and server over HTTP on both sides of the chain; the server refuses headers that differ from the body. */
async function open(layer: Layer, revision: string) {
  const server = createServer({ name: 's', version: '1', revisions: ['2026-07-28'] });
  const input = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, query: { type: 'string' } },
    required: ['region'],
  } as const;
  server.tool('search', { input }, ({ region, query }) => `${region}: ${query}`);
  cleanup(() => server.close({ drain: 0 }));
  const behind = await server.http();
  const built = createChain({ onError: () => undefined })
    .use(layer)
    .to({ url: behind.url });
  cleanup(() => built.close({ drain: 0 }));
  const front = await built.http();
  const client = await connect(front.url, { revisions: [revision] });
  cleanup(() => client.close());
  return client;
}

describe.each(['2025-11-25', '2026-07-28'])('for a client of %s', (revision) => {
  test('an argument that was changed', async () => {
    const layer: Layer = {
      call: (call, next) => {
        const args = { ...(call.params.arguments as object), region: 'changed' };
        return next({ ...call, params: { ...call.params, arguments: args } });
      },
    };
    const client = await open(layer, revision);
    await client.tools.list();
    const answer = await client.tools.call('search', { region: 'eu', query: 'x' });
    expect(answer.content).toMatchObject([{ text: 'changed: x' }]);
  });

  test('an argument that is fixed, and that clients do not see', async () => {
    const client = await open({ tools: rewrite({ search: { fixed: { region: 'eu' } } }) }, revision);
    const [tool] = await client.tools.list();
    expect(tool?.inputSchema.properties).not.toHaveProperty('region');
    expect((await client.tools.call('search', { query: 'x' })).content).toMatchObject([{ text: 'eu: x' }]);
  });

  test('a tool with another name, called before it was listed', async () => {
    const client = await open({ tools: rename({ search: 'find' }) }, revision);
    const answer = await client.tools.call('find', { region: 'eu', query: 'x' });
    expect(answer.content).toMatchObject([{ text: 'eu: x' }]);
  });
});
