import { metrics } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('metrics on a %s', (place) => {
  test('count by method, name and outcome', async () => {
    const counted = metrics({ now: () => 0 });
    const { client } = await meet(place, counted);
    await echo(client);
    await client.tools.call('write_broken').catch(() => undefined);
    const text = counted.text();
    const labels = 'method="tools/call",name="echo",outcome="ok"';
    expect(text).toContain(`plumb_request_duration_seconds_count{${labels}} 1`);
    expect(text).toContain('name="write_broken",outcome="internal_error"');
    expect(text).toMatch(/^# TYPE plumb_request_duration_seconds histogram$/m);
  });

  test('are not flooded by names from outside', async () => {
    const counted = metrics();
    const { client } = await meet(place, counted);
    for (let count = 0; count < 1_010; count += 1)
      await client.tools.call(`nonsense-${count}"\n`).catch(() => undefined);
    expect(counted.text()).toContain('name="other"');
    expect(counted.text().split('_count{').length).toBeLessThan(1_010);
    expect(counted.text()).not.toContain('nonsense-1"');
  }, 30_000);
});
