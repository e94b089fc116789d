import { concurrency } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('concurrency on a %s', (place) => {
  test('lets calls wait, and refuses when too many do', async () => {
    const { client, steps } = await meet(place, concurrency({ max: 1, queue: 1 }));
    const first = client.tools.call('hang');
    await steps.until('hanging');
    const second = echo(client);
    await expect(echo(client)).rejects.toThrow('Too many calls at once');
    steps.open('go');
    await first;
    expect((await second).content).toEqual([{ type: 'text', text: 'hi' }]);
  });

  test('gives the place of a call that was cancelled in the line to the next', async () => {
    const { client, steps } = await meet(place, concurrency({ max: 1, queue: 1 }));
    const first = client.tools.call('hang');
    await steps.until('hanging');
    const controller = new AbortController();
    const waiting = client.tools.call('echo', { text: 'x' }, { signal: controller.signal });
    controller.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
    // It waits where the cancelled one did, so the one after it is refused.
    const third = echo(client);
    await expect(echo(client)).rejects.toThrow('Too many calls at once');
    steps.open('go');
    await first;
    expect((await third).content).toEqual([{ type: 'text', text: 'hi' }]);
  });
});
