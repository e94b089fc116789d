import { rename } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('rename on a %s', (place) => {
  test('leaves only the new name', async () => {
    const { client } = await meet(place, {
      tools: rename({ echo: 'say' }),
      prompts: rename({ greet: 'hello' }),
    });
    expect((await client.tools.list())[0]?.name).toBe('say');
    expect((await client.tools.call('say', { text: 'x' })).content).toEqual([{ type: 'text', text: 'x' }]);
    await expect(echo(client)).rejects.toMatchObject({ rpcCode: -32602 });
    expect((await client.prompts.list()).map(({ name }) => name)).toEqual(['hello']);
    expect((await client.prompts.get('hello')).messages).toHaveLength(1);
  });
});
