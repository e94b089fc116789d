import { retry } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('retry on a %s', (place) => {
  test('repeats what can be repeated, and nothing else', async () => {
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => void waits.push(ms);
    const { client, runs } = await meet(place, retry({ attempts: 3, delay: '10ms', wait }));
    await client.tools.list();
    await expect(client.tools.call('write_broken')).rejects.toThrow('broken');
    expect(runs()).toBe(1);
    await expect(client.tools.call('read_broken')).rejects.toThrow('broken');
    expect(runs()).toBe(4);
    expect(waits).toEqual([10, 20]);
  });

  test('does not repeat what was refused for good', async () => {
    let attempts = 0;
    const { client } = await meet(place, retry({ wait: async () => undefined }), (call, next) => {
      if (call.method === 'resources/read') attempts += 1;
      return next();
    });
    await expect(client.resources.read('a://nowhere')).rejects.toThrow();
    expect(attempts).toBe(1);
  });
});
