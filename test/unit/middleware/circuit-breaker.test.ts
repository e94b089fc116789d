import { circuitBreaker } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('circuitBreaker on a %s', (place) => {
  test('stops asking, and tries again later', async () => {
    let now = 0;
    const { client, runs } = await meet(place, circuitBreaker({ failures: 2, open: 100, now: () => now }));
    for (let attempt = 0; attempt < 4; attempt += 1)
      await expect(client.tools.call('write_broken')).rejects.toThrow();
    expect(runs()).toBe(2);
    await expect(client.tools.call('write_broken')).rejects.toThrow('has failed too often');
    // Other tools go on.
    await echo(client);
    now += 101;
    await expect(client.tools.call('write_broken')).rejects.toThrow('broken');
    expect(runs()).toBe(4);
  });

  test('does not count refusals', async () => {
    const { client } = await meet(place, circuitBreaker({ failures: 1 }));
    for (let attempt = 0; attempt < 3; attempt += 1)
      await expect(client.tools.call('nonsense')).rejects.toThrow('nonsense');
  });
});
