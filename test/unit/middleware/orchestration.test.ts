import type { Middleware } from 'plumb-mcp/middleware';
import { describe, expect, test } from 'vitest';
import { meet, PLACES } from '../../support/middleware-place.js';

describe.each(PLACES)('a middleware on a %s', (place) => {
  test('can use other tools and prompts', async () => {
    const both: Middleware = async (call, next) => {
      if (call.method !== 'tools/call' || call.params.name !== 'both') return next();
      const one = await next.request('tools/call', { name: 'echo', arguments: { text: 'one' } });
      const prompt = await next.request('prompts/get', { name: 'greet' });
      return { content: [{ type: 'text', text: JSON.stringify([one.content, prompt.messages]) }] };
    };
    const { client } = await meet(place, both);
    const answer = await client.tools.call('both');
    expect(JSON.stringify(answer.content)).toMatch(/one.*greeted/);
  });

  test('sees and changes what the server asks of the client, in both eras', async () => {
    const seen: string[] = [];
    const curious: Middleware = async (call, next) => {
      if (call.direction !== 'outbound' || call.method !== 'elicitation/create') return next();
      seen.push(String(call.params.message));
      const answer = await next({ ...call, params: { ...call.params, message: 'Who, please?' } });
      return { ...answer, content: { name: 'Grace' } };
    };
    const { join } = await meet(place, curious);
    for (const revision of ['2025-11-25', '2026-07-28']) {
      const asked: string[] = [];
      const client = await join(undefined, {
        revisions: [revision],
        elicit: ({ message }) => {
          asked.push(message);
          return { action: 'accept', content: { name: 'Ada' } };
        },
      });
      expect(JSON.stringify((await client.tools.call('ask')).content)).toContain('Grace');
      expect(asked).toEqual(['Who, please?']);
    }
    expect(new Set(seen)).toEqual(new Set(['Who?']));
  });
});
