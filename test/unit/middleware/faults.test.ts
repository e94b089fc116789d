import { faults } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('faults on a %s', (place) => {
  test('befall what they are meant for', async () => {
    const { client, runs } = await meet(place, faults({ only: 'echo', error: 'lost', after: true }));
    await expect(echo(client)).rejects.toThrow('lost');
    // It was carried out, and its answer lost.
    expect(runs()).toBe(1);
    expect(await client.prompts.get('greet')).toBeDefined();
  });

  test('can come before anything is done, and at a rate', async () => {
    let roll = 0.2;
    const options = { only: 'echo', error: 'refused', rate: 0.5, random: () => roll };
    const { client, runs } = await meet(place, faults(options));
    await expect(echo(client)).rejects.toThrow('refused');
    expect(runs()).toBe(0);
    roll = 0.7;
    await echo(client);
    expect(runs()).toBe(1);
  });

  test('can be delays only', async () => {
    const { client } = await meet(place, faults({ only: 'echo', delay: '60ms' }));
    const started = performance.now();
    await echo(client);
    expect(performance.now() - started).toBeGreaterThan(50);
  });
});
