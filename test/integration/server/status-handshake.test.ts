/** Which status answers a handshake client (Streamable HTTP, sending messages to the server). */

import { describe, expect, it } from 'vitest';
import { initializeMessage, post, SessionPeer, stateless } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { textOf } from '../../support/wire-peer.js';

/** Handshake revisions that have Streamable HTTP. */
const STREAMABLE = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;

describeMatrix('a handshake client', (start) => {
  describe.each(STREAMABLE)('of revision %s', (version) => {
    it('gets the result of a request as one JSON object', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.tool('echo', { text: 'hi' }, { id: 'seven' });
      expect(answer.status).toBe(200);
      expect(answer.header('content-type')).toBe('application/json');
      const response = await answer.response();
      expect(response.id).toBe('seven');
      expect(textOf(response.result ?? {})).toBe('hi');
    });

    it('gets 202 and no body for a notification', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.notify('notifications/roots/list_changed');
      expect(answer.status).toBe(202);
      expect(answer.header('content-type')).toBeUndefined();
      expect(await answer.text()).toBe('');
    });

    it('gets 202 and no body for a notification that nobody knows', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.notify('notifications/of/no/use');
      expect([answer.status, await answer.text()]).toEqual([202, '']);
    });

    it('gets 202 and no body for a response', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const message of [
        { jsonrpc: '2.0', id: 'nobody asked', result: {} },
        { jsonrpc: '2.0', id: 'nobody asked', error: { code: -1, message: 'no' } },
      ]) {
        const answer = await peer.post(message);
        expect([answer.status, await answer.text()]).toEqual([202, '']);
      }
    });

    it('gets 200 with -32601 for a method that does not exist', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const method of ['tools/lst', 'server/discover', 'subscriptions/listen']) {
        const answer = await peer.request(method, {}, { id: 5 });
        expect(answer.status).toBe(200);
        expect(await answer.response()).toMatchObject({ id: 5, error: { code: -32601 } });
      }
    });

    it('gets 200 with -32602 for an unknown tool', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.tool('nonexistent');
      expect(answer.status).toBe(200);
      expect((await answer.error()).code).toBe(-32602);
    });

    it('gets 400 with -32700 for what is not JSON', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const body of ['{', '', 'null null', '\ufeff{}']) {
        const answer = await peer.post(body);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: { code: -32700 } });
      }
    });

    it('gets 400 with -32600 for JSON that is no message, with the id where it can be read', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const body of [7, 'x', null, {}, { jsonrpc: '1.0', method: 'ping' }]) {
        const answer = await peer.post(JSON.stringify(body));
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
      }
      const readable = await peer.post({ jsonrpc: '2.0', id: 9, method: 7 });
      expect(readable.status).toBe(400);
      expect(await readable.json()).toMatchObject({ id: 9, error: { code: -32600 } });
    });

    it('gets 400 for a notification that is malformed', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      expect((await peer.post({ jsonrpc: '2.0', method: 'notifications/x', params: 7 })).status).toBe(400);
    });

    it('gets 400 for a second initialize in its session', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const answer = await peer.post(initializeMessage(version, {}, 11));
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ id: 11, error: { code: -32600 } });
    });

    it('gets 406 when it accepts nothing that the server can send', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const headers = { accept: 'text/html' };
      expect((await peer.request('ping', {}, { headers })).status).toBe(406);
      expect((await peer.stream(undefined, { accept: 'application/json' })).status).toBe(406);
    });

    it('is answered in whichever form it accepts', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const [accept, type] of [
        ['application/json', 'application/json'],
        ['*/*', 'application/json'],
        ['application/*;q=0.1', 'application/json'],
        ['text/event-stream', 'text/event-stream'],
        ['application/json;q=0, */*', 'text/event-stream'],
      ]) {
        const answer = await peer.tool('echo', { text: 'hi' }, { headers: { accept } });
        expect([accept, answer.status, answer.header('content-type')]).toEqual([accept, 200, type]);
        expect(textOf(await answer.result())).toBe('hi');
      }
    });

    it('gets 415 for a body that is not declared as JSON', async () => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', undefined]) {
        // The fetch adapter's Request declares text where nothing is said.
        const answer = await peer.request('ping', {}, { headers: { 'content-type': type } });
        expect(answer.status).toBe(415);
      }
    });

    it('gets 413 for a body beyond the limit', async () => {
      const target = await start(createFixture({ http: { limits: { bodyBytes: 2000 } } }).server);
      const peer = await SessionPeer.open(target, version);
      expect((await peer.tool('echo', { text: 'x'.repeat(3000) })).status).toBe(413);
      expect((await peer.tool('echo', { text: 'x'.repeat(100) })).status).toBe(200);
    });

    it('gets 405 and the methods that there are for any other method', async () => {
      const target = await start(createFixture().server);
      for (const method of ['PUT', 'PATCH', 'HEAD']) {
        const answer = await target.send({ method });
        expect([method, answer.status]).toEqual([method, 405]);
        expect(answer.header('allow')).toBe('GET, POST, DELETE');
      }
    });
  });

  it.each(['2025-06-18', '2025-11-25'])('of revision %s gets 400 for any batch', async (version) => {
    const peer = await SessionPeer.open(await start(createFixture().server), version);
    for (const body of [[], [{ jsonrpc: '2.0', id: 1, method: 'ping' }], [{ jsonrpc: '2.0', method: 'x' }]]) {
      const answer = await peer.post(body);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { code: -32600 } });
    }
  });

  it.each(['2025-06-18', '2025-11-25'])(
    'of revision %s gets 400 for a version header that is not supported',
    async (version) => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      for (const header of ['1999-01-01', 'DRAFT', '', '2025-11-25, 2025-06-18']) {
        const headers = { 'mcp-protocol-version': header };
        const request = await peer.request('ping', {}, { id: 3, headers });
        expect([header, request.status]).toEqual([header, 400]);
        expect(await request.json()).toMatchObject({ id: 3 });
        expect((await peer.post({ jsonrpc: '2.0', method: 'notifications/x' }, headers)).status).toBe(400);
        expect((await peer.stream(undefined, headers)).status).toBe(400);
        expect((await peer.end(headers)).status).toBe(400);
      }
      expect((await peer.request('ping')).status).toBe(200);
    },
  );

  it.each(['2025-06-18', '2025-11-25'])(
    'of revision %s is served without a version header: its session knows',
    async (version) => {
      const peer = await SessionPeer.open(await start(createFixture().server), version);
      const headers = { 'mcp-protocol-version': undefined };
      expect((await peer.request('ping', {}, { headers })).status).toBe(200);
      // Batches tell which revision it is taken for.
      const batch = await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }], headers);
      expect(batch.status).toBe(400);
    },
  );

  it('is served when its header names another handshake revision: the session decides', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-11-25');
    const headers = { 'mcp-protocol-version': '2025-06-18' };
    expect((await peer.request('ping', {}, { headers })).status).toBe(200);
  });

  it('of 2025-03-26 is not judged by a header that its revision does not have', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2025-03-26');
    const headers = { 'mcp-protocol-version': '1999-01-01' };
    expect((await peer.request('ping', {}, { headers })).status).toBe(200);
  });

  it('may initialize without a version header, and with any', async () => {
    const target = await start(createFixture().server);
    for (const header of [undefined, '2025-11-25', '2024-11-05', '1999-01-01']) {
      const answer = await post(target, initializeMessage('2025-11-25'), { 'mcp-protocol-version': header });
      expect(answer.status).toBe(200);
      expect((await answer.result()).protocolVersion).toBe('2025-11-25');
    }
  });

  it('is offered the newest handshake revision for one that nobody knows', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, initializeMessage('1999-01-01'));
    expect((await answer.result()).protocolVersion).toBe('2025-11-25');
  });

  it('may speak 2024-11-05 here too', async () => {
    const peer = await SessionPeer.open(await start(createFixture().server), '2024-11-05');
    expect(textOf(await (await peer.tool('echo', { text: 'old' })).result())).toBe('old');
    expect((await peer.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }])).status).toBe(400);
  });

  it('gets 400 for initialize without a version', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, { jsonrpc: '2.0', id: 4, method: 'initialize', params: {} });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ id: 4, error: { code: -32602 } });
    expect(answer.header('mcp-session-id')).toBeUndefined();
  });

  it('gets initialize answered as events when it accepts nothing else', async () => {
    const target = await start(createFixture().server);
    const answer = await post(target, initializeMessage('2025-11-25'), { accept: 'text/event-stream' });
    expect(answer.header('content-type')).toBe('text/event-stream');
    expect(answer.header('mcp-session-id')).toBeTruthy();
    expect((await answer.result()).protocolVersion).toBe('2025-11-25');
  });

  it('gets an error with its id when a result cannot be encoded', async () => {
    const { server, errors } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const plain = await peer.tool('unencodable', {}, { id: 'plain' });
    expect(plain.status).toBe(200);
    expect(await plain.response()).toMatchObject({ id: 'plain' });
    const streamed = await peer.tool('unencodable', {}, { id: 'streamed', meta: { progressToken: 1 } });
    expect(await streamed.response()).toMatchObject({ id: 'streamed' });
    expect(await streamed.text()).not.toContain('BigInt');
    expect(errors).toHaveLength(2);
  });
});

describeMatrix('a server of handshake revisions alone', (start) => {
  it('does not know the stateless way', async () => {
    const { server } = createFixture({ revisions: ['2025-06-18', '2025-11-25'] });
    const target = await start(server);
    const answer = await stateless(target, 'server/discover');
    expect(answer.status).toBe(400);
    expect((await answer.error()).code).not.toBe(-32022);
    const peer = await SessionPeer.open(target, '2025-11-25');
    expect((await peer.request('ping')).status).toBe(200);
  });

  it('answers an older client with the newest revision it has', async () => {
    const { server } = createFixture({ revisions: ['2025-06-18'] });
    const answer = await post(await start(server), initializeMessage('2025-03-26'));
    expect((await answer.result()).protocolVersion).toBe('2025-06-18');
  });
});
