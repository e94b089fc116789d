import { describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../../src/server/index.js';
import { envelope, openRevision, VERSIONS, type WireMessage, WirePeer } from '../../support/wire-peer.js';

function demo(): Server {
  const server = createServer({ name: 's', version: '1', limits: { batch: 5 }, onError: () => {} });
  server.tool('now', {}, () => 'now');
  server.tool('later', {}, async () => 'later');
  server.tool('cycle', {}, async () => {
    const value: { self?: unknown } = {};
    value.self = value;
    return value as never;
  });
  server.method('x/cycle', async () => {
    const value: { self?: unknown } = {};
    value.self = value;
    return value;
  });
  return server;
}

const call = (id: unknown, method: string, params?: object) => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params && { params }),
});
const tool = (id: unknown, name: string) => call(id, 'tools/call', { name });

/** The batch that comes in answer to a batch. */
function answers(peer: WirePeer, batch: unknown[]): Promise<WireMessage[]> {
  peer.send(batch);
  return peer.batch();
}

describe('in 2025-03-26', () => {
  const open = async () => (await openRevision(demo(), '2025-03-26')).wire;

  test('requests are answered in one batch, when the last of them is done', async () => {
    const reply = await answers(await open(), [
      tool('a', 'later'),
      tool(2, 'now'),
      call(3, 'ping'),
      call(4, 'no/such'),
    ]);
    expect(reply).toMatchObject([
      { id: 'a', result: { content: [{ text: 'later' }] } },
      { id: 2, result: { content: [{ text: 'now' }] } },
      { id: 3, result: {} },
      { id: 4, error: { code: -32601 } },
    ]);
  });

  test('notifications and answers in a batch have no answer; a batch of them alone has none at all', async () => {
    const peer = await open();
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect(
      await answers(peer, [notification, call(1, 'ping'), { jsonrpc: '2.0', id: 9, result: {} }]),
    ).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
    const before = peer.texts.length;
    peer.send([notification, notification]);
    await peer.quiet();
    expect(peer.texts.length).toBe(before + 1);
  });

  test('what is no message is refused in its place', async () => {
    expect(
      await answers(await open(), [
        5,
        { jsonrpc: '2.0', id: 7 },
        [],
        call(1, 'ping'),
        { id: 1, method: 'ping' },
      ]),
    ).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 7, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 1, result: {} },
      { id: 1, error: { code: -32600 } },
    ]);
  });

  test('initialize is refused in a batch', async () => {
    const [reply] = await answers(await open(), [call(1, 'initialize', { protocolVersion: '2025-03-26' })]);
    expect(reply).toMatchObject({ id: 1, error: { code: -32600, message: expect.stringMatching(/batch/) } });
  });

  test('one result that cannot be written does not take the others with it', async () => {
    const reply = await answers(await open(), [
      call(1, 'ping'),
      call(2, 'x/cycle'),
      tool(3, 'cycle'),
      tool(4, 'later'),
    ]);
    expect(reply.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(reply[1]?.error?.code).toBe(-32603);
    expect(reply[3]).toMatchObject({ result: { content: [{ text: 'later' }] } });
  });

  test('stateless requests are no part of a batch: their revision has none', async () => {
    const [listen, ping] = await answers(await open(), [
      call(1, 'subscriptions/listen', { _meta: envelope(), notifications: {} }),
      call(2, 'ping'),
    ]);
    expect(listen).toMatchObject({ id: 1, error: { code: -32600 } });
    expect(ping).toMatchObject({ id: 2, result: {} });
  });

  test('an empty batch and one that is too long are refused as a whole', async () => {
    const peer = await open();
    peer.send([]);
    expect(await peer.answerTo(null)).toMatchObject({
      error: { code: -32600, message: expect.stringMatching(/empty/) },
    });
    peer.send(Array.from({ length: 6 }, (_, id) => call(id, 'ping')));
    expect(await peer.answerTo(null)).toMatchObject({
      error: { code: -32600, message: expect.stringMatching(/at most 5/) },
    });
    await peer.quiet();
    expect(peer.received.filter(({ result }) => result !== undefined)).toHaveLength(1); // initialize
  });

  test('ten thousand messages are one refusal', async () => {
    const peer = await open();
    const before = peer.texts.length;
    peer.send(Array.from({ length: 10_000 }, (_, id) => tool(id, 'now')));
    await peer.quiet();
    expect(peer.texts.length - before).toBe(2);
  });
});

describe.each(VERSIONS.filter((version) => version !== '2025-03-26'))('in %s', (version) => {
  test('a batch is refused with one error, and nothing in it runs', async () => {
    const peer = await openRevision(demo(), version);
    const before = peer.wire.texts.length;
    peer.wire.send([tool(1, 'now'), tool(2, 'now')]);
    await peer.quiet();
    const replies = peer.wire.texts.slice(before).map((text) => JSON.parse(text));
    expect(replies).toHaveLength(2);
    expect(replies[0]).toMatchObject({ error: { code: -32600 } });
    expect('id' in replies[0]).toBe(version < '2025-11-25');
    expect(peer.wire.received.filter(({ result }) => result !== undefined)).toHaveLength(1); // the opening
  });
});

describe('before initialize', () => {
  test('a batch is refused, also one that would initialize', async () => {
    const peer = await WirePeer.connect(demo());
    peer.send([
      call(1, 'initialize', {
        protocolVersion: '2025-03-26',
        capabilities: {},
        clientInfo: { name: 'c', version: '1' },
      }),
    ]);
    expect((await peer.answerTo(undefined)).error?.code).toBe(-32600);
    expect((await peer.request('tools/list')).error?.message).toMatch(/initialize/);
  });
});
