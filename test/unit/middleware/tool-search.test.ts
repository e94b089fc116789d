import { hide, toolSearch } from 'plumb-mcp/middleware';
import { describe, expect, test, vi } from 'vitest';
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

  test('keeps tools for apps alone in the list, and neither finds nor calls them', async () => {
    const { client, server, join } = await meet(place, toolSearch({ above: 2 }));
    const run = vi.fn(() => 'fresh');
    server.tool('refresh_echo', { visibility: ['app'] }, run);
    const early = client.tools.call('call_tool', { name: 'refresh_echo' });
    await expect(early).rejects.toThrow('The tool refresh_echo is for apps only');
    const host = await join();
    const listed = (await host.tools.list()).map(({ name }) => name);
    expect(listed).toEqual(['search_tools', 'call_tool', 'refresh_echo']);
    const found = await host.tools.call('search_tools', { query: 'refresh echo' });
    expect(JSON.stringify(found.content)).toContain('echo');
    expect(JSON.stringify(found.content)).not.toContain('refresh_echo');
    for (const name of ['refresh_echo', ' refresh_echo'])
      await expect(host.tools.call('call_tool', { name })).rejects.toThrow('is for apps only');
    expect(run).not.toHaveBeenCalled();
    expect((await host.tools.call('refresh_echo')).content).toEqual([{ type: 'text', text: 'fresh' }]);
  });

  test('counts the tools of models only', async () => {
    const { client, server } = await meet(place, toolSearch({ above: 5 }));
    server.tool('refresh', { visibility: ['app'] }, () => 'fresh');
    expect(await client.tools.list()).toHaveLength(6);
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
