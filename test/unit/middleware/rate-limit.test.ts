import { rateLimit } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('rateLimit on a %s', (place) => {
  test('counts each caller, and tells when to come back', async () => {
    let now = 0;
    const { client } = await meet(place, rateLimit({ perPrincipal: '2/min', now: () => now }));
    await echo(client);
    await echo(client);
    await expect(echo(client)).rejects.toMatchObject({ data: { retryAfterMs: 30_000 } });
    now += 30_000;
    await echo(client);
  });

  test('counts principals apart, whichever connection they use', async () => {
    const { join } = await meet(place, rateLimit({ perPrincipal: '1/min', now: () => 0 }));
    const [alice, again, bob] = [await join('alice'), await join('alice'), await join('bob')];
    await echo(alice);
    await expect(echo(again)).rejects.toThrow('Too many calls');
    await echo(bob);
  });

  test('counts everybody together where it is told to', async () => {
    const { join } = await meet(place, rateLimit({ total: '2/min', now: () => 0 }));
    const [alice, bob] = [await join('alice'), await join('bob')];
    await echo(alice);
    await echo(bob);
    await expect(echo(alice)).rejects.toThrow('Too many calls');
  });

  test('counts for all nodes together over a store', async () => {
    const taken: string[] = [];
    const rates = {
      take: (key: string) => {
        taken.push(key);
        return { allowed: taken.length < 2, retryAfterMs: 7 };
      },
    };
    const { join } = await meet(place, rateLimit({ perPrincipal: '5/min', rates }));
    const alice = await join('alice');
    await echo(alice);
    await expect(echo(alice)).rejects.toMatchObject({ data: { retryAfterMs: 7 } });
    expect(taken).toEqual(['calls of principal alice', 'calls of principal alice']);
  });
});
