import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import {
  memoryEventStore,
  type OfficialServer,
  v1Sse,
  v1Stateful,
  v1Stateless,
  v2Handler,
  v2Stateful,
} from './official-http-servers.js';

const faults: ClientFault[] = [];

async function connected(server: OfficialServer, options: ConnectOptions = {}): Promise<Client> {
  faults.length = 0;
  const client = await connect(server.url, { onFault: (fault) => faults.push(fault), ...options });
  onTestFinished(() => client.close());
  return client;
}

async function text(client: Client, name: string, args: Record<string, unknown>): Promise<unknown> {
  return (await client.tools.call(name, args)).content[0];
}

const SERVERS: [string, () => Promise<OfficialServer>, string, boolean][] = [
  ['SDK v1 with sessions', () => v1Stateful(), '2025-11-25', true],
  ['SDK v1 with sessions and JSON answers', () => v1Stateful({ json: true }), '2025-11-25', false],
  [
    'SDK v1 with sessions and replay',
    () => v1Stateful({ eventStore: memoryEventStore() }),
    '2025-11-25',
    true,
  ],
  ['SDK v1 without sessions', v1Stateless, '2025-11-25', true],
  ['SDK v1 over HTTP+SSE', v1Sse, '2025-11-25', true],
  ['SDK v2 with sessions', v2Stateful, '2025-11-25', true],
  ['SDK v2 of both eras', () => v2Handler('stateless'), '2026-07-28', true],
  ['SDK v2 of the stateless era only', () => v2Handler('reject'), '2026-07-28', true],
];

describe.each(SERVERS)('HTTP client with %s', (_, start, revision, hasProgress) => {
  it('connects, lists, calls, and leaves nothing behind', async () => {
    const server = await start();
    const client = await connected(server);
    expect(client.revision).toBe(revision);
    expect((await client.tools.list()).map(({ name }) => name)).toContain('echo');
    const calls = Array.from({ length: 20 }, (_value, index) =>
      text(client, 'echo', { text: `grün ${index}` }),
    );
    expect(await Promise.all(calls)).toEqual(
      Array.from({ length: 20 }, (_value, index) => ({ type: 'text', text: `grün ${index}` })),
    );
    await client.close();
    await expect.poll(() => server.sessions()).toBe(0);
    expect(faults).toEqual([]);
  });

  it('hears progress before the answer, where the server can send it', async () => {
    const client = await connected(await start());
    const heard: number[] = [];
    const answer = await client.tools.call(
      'count',
      { to: 3 },
      { onProgress: ({ progress }) => heard.push(progress) },
    );
    expect(heard).toEqual(hasProgress ? [1, 2, 3] : []);
    expect(answer.content).toEqual([{ type: 'text', text: '3' }]);
  });

  it('reports the server’s own errors unchanged', async () => {
    const client = await connected(await start());
    await expect(client.request('no/such/method')).rejects.toMatchObject({ rpcCode: -32601 });
  });
});

describe('HTTP client in a session of SDK v1', () => {
  it('answers questions that come on the server’s own stream', async () => {
    const server = await v1Stateful();
    const client = await connected(server, {
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    await expect.poll(() => server.log).toContain('GET /mcp');
    expect(await text(client, 'ask', {})).toEqual({ type: 'text', text: '{"name":"Ada"}' });
  });

  it('answers questions over HTTP+SSE', async () => {
    const client = await connected(await v1Sse(), {
      elicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    expect(await text(client, 'ask', {})).toEqual({ type: 'text', text: '{"name":"Ada"}' });
  });

  it('comes back for the rest when the server closes the stream on purpose', async () => {
    const server = await v1Stateful({ eventStore: memoryEventStore() });
    const client = await connected(server);
    const heard: number[] = [];
    const before = server.log.filter((line) => line === 'GET /mcp').length;
    await client.tools.call('count', { to: 3 }, { onProgress: ({ progress }) => heard.push(progress) });
    expect(heard).toEqual([1, 2, 3]);
    expect(server.log.filter((line) => line === 'GET /mcp').length).toBeGreaterThan(before);
  });

  it('opens a new session when the server has forgotten the old one', async () => {
    const server = await v1Stateful();
    const client = await connected(server);
    await text(client, 'echo', { text: 'a' });
    server.forget();
    expect(await text(client, 'echo', { text: 'b' })).toEqual({ type: 'text', text: 'b' });
    expect(server.log.filter((line) => line.endsWith('initialize'))).toHaveLength(2);
    expect(server.sessions()).toBe(1);
  });

  it('cancels a call, and the server stops', async () => {
    const server = await v1Stateful();
    const client = await connected(server);
    const controller = new AbortController();
    const call = client.tools.call('hang', {}, { signal: controller.signal });
    await expect.poll(() => server.log).toContain('POST /mcp tools/call');
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => server.log).toContain('POST /mcp notifications/cancelled');
    expect(await text(client, 'echo', { text: 'still there' })).toMatchObject({ text: 'still there' });
  });
});
