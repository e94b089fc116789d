/** Batches, which one revision has (2025-03-26, Streamable HTTP). */

import { expect, it } from 'vitest';
import { initializeMessage, post, SessionPeer } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';

describeMatrix('batches of 2025-03-26', (start) => {
  const ping = (id: number) => ({ jsonrpc: '2.0', id, method: 'ping' });
  const echo = (id: unknown, text: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'echo', arguments: { text } },
  });

  it('are answered with an array', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([
      ping(1),
      { jsonrpc: '2.0', method: 'notifications/x' },
      echo('b', 'two'),
    ]);
    expect(answer.status).toBe(200);
    const body = await answer.json();
    expect(body).toBeInstanceOf(Array);
    expect(await answer.messages()).toEqual([
      { jsonrpc: '2.0', id: 1, result: {} },
      expect.objectContaining({ id: 'b' }),
    ]);
  });

  it('of one request are answered with an array of one', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([ping(1)]);
    expect(await answer.json()).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
  });

  it('without requests get 202 and no body', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    for (const batch of [
      [{ jsonrpc: '2.0', method: 'notifications/x' }],
      [
        { jsonrpc: '2.0', id: 'a', result: {} },
        { jsonrpc: '2.0', id: 'b', result: {} },
      ],
    ]) {
      const answer = await peer.post(batch);
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    }
  });

  it('never hold initialize', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([initializeMessage('2025-03-26', {}, 8), ping(9)]);
    expect(answer.header('mcp-session-id')).toBeUndefined();
    expect(await answer.messages()).toEqual([
      expect.objectContaining({ id: 8, error: expect.objectContaining({ code: -32600 }) }),
      expect.objectContaining({ id: 9, result: {} }),
    ]);
  });

  it('with initialize open no session', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, [initializeMessage('2025-03-26')]);
    expect(answer.status).toBe(400);
    expect(answer.header('mcp-session-id')).toBeUndefined();
  });

  it('that are empty get 400 with -32600', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([]);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
  });

  it('answer what is malformed in its place', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const answer = await peer.post([7, ping(1)]);
    expect(await answer.json()).toEqual([
      { jsonrpc: '2.0', id: null, error: { code: -32600, message: expect.any(String) } },
      { jsonrpc: '2.0', id: 1, result: {} },
    ]);
  });

  it('answer the others when one cannot be encoded', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const broken = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'unencodable' } };
    const messages = await (await peer.post([broken, echo(2, 'fine')])).messages();
    expect(messages).toHaveLength(2);
    expect(messages.find(({ id }) => id === 2)?.result).toBeTruthy();
  });

  it('become events when something precedes an answer', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const progress = {
      jsonrpc: '2.0',
      id: 'p',
      method: 'tools/call',
      params: { name: 'progress', _meta: { progressToken: 't' } },
    };
    const answer = await peer.post([ping(1), progress]);
    expect(answer.isStream).toBe(true);
    const messages = await answer.messages();
    expect(messages.filter(({ method }) => method === 'notifications/progress')).toHaveLength(3);
    expect(messages.flatMap(({ id }) => (id === undefined ? [] : [id])).sort()).toEqual([1, 'p']);
  });

  it('hold a limited number of messages', async () => {
    const { server } = createFixture({ limits: { batch: 3 } });
    const peer = await SessionPeer.open(await start(server), '2025-03-26');
    expect((await peer.post([ping(1), ping(2), ping(3)])).status).toBe(200);
    expect((await peer.post([ping(1), ping(2), ping(3), ping(4)])).status).toBe(400);
  });
});
