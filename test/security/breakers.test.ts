/** circuitBreaker() keeps nothing for names that no tool has, and one caller's failures close nothing to the others. */

import { createChain } from 'plumb-mcp/chain';
import { type Client, connect } from 'plumb-mcp/client';
import { circuitBreaker } from 'plumb-mcp/middleware';
import { createServer, ProtocolError } from 'plumb-mcp/server';
import { createMemoryPair } from 'plumb-mcp/transports';
import { describe, expect, onTestFinished, test } from 'vitest';

interface Served {
  join(principal: string): Promise<Client>;
  lists(): number;
  calls(): number;
}

/** A server that fails for unknown tools too, as some do, and for those who ask it to. */
function serve(place: 'server' | 'chain'): Served {
  let lists = 0;
  let calls = 0;
  const server = createServer({ name: 's', version: '1', onError: () => undefined });
  const input = { type: 'object', properties: { poison: { type: 'boolean' } } } as const;
  server.tool('shared', { input }, ({ poison }) => {
    calls += 1;
    if (poison === true) throw new ProtocolError('internal_error', 'poisoned');
    return 'done';
  });
  const breaker = circuitBreaker({ failures: 2, open: 60_000 });
  const lenient = {
    request: async (call: { method: string; params: { name?: unknown } }, next: () => Promise<object>) => {
      if (call.method === 'tools/list') lists += 1;
      if (call.method === 'tools/call' && call.params.name !== 'shared')
        throw new ProtocolError('internal_error', 'no such thing');
      return { ...(await next()) };
    },
  };
  onTestFinished(() => server.close({ drain: 0 }));
  const front =
    place === 'server'
      ? server.use(breaker, lenient)
      : createChain({ onError: () => undefined })
          .use(breaker)
          .to(server.use(lenient));
  onTestFinished(() => front.close({ drain: 0 }));
  return {
    lists: () => lists,
    calls: () => calls,
    join: async (principal) => {
      const [near, far] = createMemoryPair();
      front.connect(far, { principal }).catch(() => undefined);
      const client = await connect(near, { cache: false });
      onTestFinished(() => client.close());
      return client;
    },
  };
}

describe.each(['server', 'chain'] as const)('circuitBreaker on a %s', (place) => {
  test('does not close a tool to all because one caller makes it fail', async () => {
    const { join, calls } = serve(place);
    const [mallory, ada] = [await join('mallory'), await join('ada')];
    for (let attempt = 0; attempt < 5; attempt += 1)
      await expect(mallory.tools.call('shared', { poison: true })).rejects.toThrow();
    await expect(mallory.tools.call('shared')).rejects.toThrow('has failed too often');
    expect(calls()).toBe(2);
    expect(await ada.tools.call('shared')).toMatchObject({ content: [{ text: 'done' }] });
  });

  test('keeps no state for names that no tool has, and looks for them once', async () => {
    const { join, lists } = serve(place);
    const client = await join('mallory');
    const before = lists();
    for (let index = 0; index < 30; index += 1) {
      for (let attempt = 0; attempt < 4; attempt += 1)
        await expect(client.request('tools/call', { name: `made up ${index}` })).rejects.toThrow(
          'no such thing',
        );
    }
    expect(lists() - before).toBeLessThanOrEqual(1);
  });
});
