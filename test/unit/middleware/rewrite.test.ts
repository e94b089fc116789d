import { rewrite } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('rewrite on a %s', (place) => {
  test('describes anew, and settles arguments', async () => {
    const rule = {
      echo: { title: 'E', description: 'Other', fixed: { tail: '!' }, defaults: { text: 'dear' } },
    };
    const { client } = await meet(place, { tools: rewrite(rule) });
    const [tool] = await client.tools.list();
    expect(tool).toMatchObject({ title: 'E', description: 'Other', inputSchema: { required: [] } });
    expect(tool?.inputSchema.properties).toMatchObject({ text: { default: 'dear' } });
    expect(tool?.inputSchema.properties).not.toHaveProperty('tail');
    // What is fixed stays so, whatever the model writes.
    const answer = await client.tools.call('echo', { tail: '?' });
    expect(answer.content).toEqual([{ type: 'text', text: 'dear!' }]);
  });
});
