import { responseSize } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('responseSize on a %s', (place) => {
  test('turns a result that is too large into one that says so', async () => {
    const { client } = await meet(place, responseSize('1KB'));
    expect(await echo(client, 'x'.repeat(2000))).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('at most 1024') }],
    });
    expect((await echo(client, 'short')).content).toEqual([{ type: 'text', text: 'short' }]);
  });

  test('counts bytes, not characters', async () => {
    const { client } = await meet(place, responseSize(800));
    expect((await echo(client, 'e'.repeat(500))).isError).not.toBe(true);
    expect((await echo(client, 'é'.repeat(500))).isError).toBe(true);
  });

  test('refuses what is no tool with an error', async () => {
    const { client } = await meet(place, responseSize(10));
    await expect(client.resources.read('a://b')).rejects.toMatchObject({ data: { max: 10 } });
  });
});

test('a size that is none is refused', () => {
  expect(() => responseSize('huge')).toThrow(TypeError);
});
