import { redact } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { echo, meet, PLACES } from '../../support/middleware-place.js';

const KEY = `ghp_${'a'.repeat(36)}`;

describe.each(PLACES)('redact on a %s', (place) => {
  test('takes secrets out of results', async () => {
    const { client } = await meet(place, redact());
    const answer = await echo(client, `key ${KEY} end`);
    expect(answer.content).toEqual([{ type: 'text', text: 'key [redacted] end' }]);
  });

  test('takes out what it is told to, and puts in what it is told to', async () => {
    const { client } = await meet(place, redact({ patterns: [/\d{4}/], replacement: '****' }));
    const answer = await echo(client, `1234 and 5678, not ${KEY}`);
    expect(answer.content).toEqual([{ type: 'text', text: `**** and ****, not ${KEY}` }]);
  });
});
