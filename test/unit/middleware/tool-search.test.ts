import { hide, toolSearch } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('toolSearch on a %s', (place) => {
  test('offers two tools that find and call the others', async () => {
    const { client } = await meet(place, toolSearch({ above: 2 }));
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['search_tools', 'call_tool']);
    const found = await client.tools.call('search_tools', { query: 'echo something' });
    expect(JSON.stringify(found.content)).toContain('echo');
    expect(JSON.stringify(found.content)).not.toContain('write_broken');
    const called = await client.tools.call('call_tool', { name: 'echo', arguments: { text: 'via' } });
    expect(called.content).toEqual([{ type: 'text', text: 'via' }]);
  });

  test('leaves short lists alone', async () => {
    const { client } = await meet(place, toolSearch({ above: 20 }));
    expect((await client.tools.list()).map(({ name }) => name)).toContain('echo');
  });

  test('finds and calls nothing that is hidden behind it', async () => {
    const { client, runs } = await meet(place, toolSearch({ above: 1 }), { tools: hide('echo') });
    const found = await client.tools.call('search_tools', { query: 'echo' });
    expect(JSON.stringify(found.content)).toContain('No tool matches');
    await expect(client.tools.call('call_tool', { name: 'echo', arguments: { text: 'x' } })).rejects.toThrow(
      'Unknown tool: echo',
    );
    expect(runs()).toBe(0);
  });
});
