import { timeout } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('timeout on a %s', (place) => {
  test('ends the call for the caller and for the handler', async () => {
    const { client, steps } = await meet(place, timeout(50));
    await expect(client.tools.call('hang')).rejects.toMatchObject({
      message: expect.stringContaining('50 ms'),
      data: { timeoutMs: 50 },
    });
    await steps.until('aborted');
  });

  test('leaves alone what is fast enough', async () => {
    const { client } = await meet(place, timeout('30s'));
    expect((await echo(client)).content).toEqual([{ type: 'text', text: 'hi' }]);
  });
});

test('a duration that is none is refused', () => {
  expect(() => timeout('soon')).toThrow(TypeError);
});
