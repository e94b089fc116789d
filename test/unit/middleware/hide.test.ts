import { hide } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('hide on a %s', (place) => {
  test('takes tools out of the list and out of reach', async () => {
    const { client, runs } = await meet(place, { tools: hide('write_*', 'ha*g', 'ask') });
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['echo', 'read_broken']);
    await expect(client.tools.call('write_broken')).rejects.toMatchObject({
      rpcCode: -32602,
      message: 'Unknown tool: write_broken',
    });
    expect(runs()).toBe(0);
  });

  test('does the same for prompts and resources', async () => {
    const { client, runs } = await meet(place, { prompts: hide('*'), resources: hide('a://*') });
    expect(await client.prompts.list()).toEqual([]);
    expect(await client.resources.list()).toEqual([]);
    await expect(client.prompts.get('greet')).rejects.toThrow('Unknown prompt: greet');
    await expect(client.resources.read('a://b')).rejects.toThrow('a://b');
    expect(runs()).toBe(0);
  });
});
