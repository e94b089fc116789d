/** The first HTTP transport (2024-11-05, HTTP with SSE), beside the new one. It exists on the listener only. */

import { describe, expect, it } from 'vitest';
import type { HttpServeOptions } from '../../../src/server/http/service.js';
import { SessionPeer } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { startsWith } from '../../support/http-target.js';
import { LegacyPeer } from '../../support/legacy-peer.js';
import { RawSocket } from '../../support/raw-socket.js';
import { envelope, STATELESS_VERSION, textOf } from '../../support/wire-peer.js';

const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

describe('the old transport', () => {
  const start = startsWith('node');
  const open = async (options: HttpServeOptions = {}) => {
    const fixture = createFixture();
    const target = await start(fixture.server, { legacySse: true, ...options });
    return { ...fixture, target };
  };

  it('is not there unless it is asked for', async () => {
    const target = await start(createFixture().server);
    for (const [method, path] of [
      ['GET', '/sse'],
      ['POST', '/messages'],
    ] as const) {
      expect((await target.send({ method, path })).status).toBe(404);
    }
  });

  it('names the address for messages in its first event', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    expect(peer.stream.header('content-type')).toBe('text/event-stream');
    expect(peer.stream.header('x-accel-buffering')).toBe('no');
    const address = new URL(peer.endpoint, `${target.origin}/sse`);
    expect(address.origin).toBe(target.origin);
    expect(address.pathname).toBe('/messages');
    expect(address.searchParams.get('sessionId')).toMatch(/^[\x21-\x7e]{16,}$/);
    peer.stream.drop();
  });

  it('accepts messages with 202, and answers on the stream as message events', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    expect((await peer.initialize()).result?.protocolVersion).toBe('2024-11-05');
    const accepted = await peer.post(PING);
    expect([accepted.status, await accepted.text()]).toEqual([202, '']);
    const event = await peer.stream.event();
    expect(event.event).toBe('message');
    expect(JSON.parse(event.data ?? '')).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
    peer.stream.drop();
  });

  it('serves tools, with progress on the way', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize();
    const answer = await peer.request('tools/call', { name: 'progress', _meta: { progressToken: 'p' } });
    expect(textOf(answer.result ?? {})).toBe('progressed');
    expect(peer.stream.received.filter(({ method }) => method === 'notifications/progress')).toHaveLength(3);
    peer.stream.drop();
  });

  it('asks its client and hears the answer', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize('2024-11-05', { roots: {} });
    await peer.post({ jsonrpc: '2.0', id: 'r', method: 'tools/call', params: { name: 'roots' } });
    const question = await peer.stream.message('roots/list');
    await peer.post({ jsonrpc: '2.0', id: question.id, result: { roots: [{ uri: 'file:///old' }] } });
    expect(textOf((await peer.answerTo('r')).result ?? {})).toContain('file:///old');
    peer.stream.drop();
  });

  it('tells of changes', async () => {
    const { target, server } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize();
    await peer.request('resources/subscribe', { uri: 'test://fixed' });
    server.listChanged('tools');
    server.resourceUpdated('test://fixed');
    await peer.stream.message('notifications/tools/list_changed');
    peer.stream.drop();
  });

  it('speaks the later revisions too, the stateless one included', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    expect((await peer.initialize('2025-06-18')).result?.protocolVersion).toBe('2025-06-18');
    const modern = await peer.request('tools/list', { _meta: envelope({}, STATELESS_VERSION) });
    expect(modern.result?.resultType).toBe('complete');
    peer.stream.drop();
  });

  it('keeps several connections apart, with the same ids', async () => {
    const { target } = await open();
    const peers = await Promise.all(Array.from({ length: 10 }, () => LegacyPeer.open(target)));
    expect(new Set(peers.map(({ endpoint }) => endpoint)).size).toBe(10);
    await Promise.all(peers.map((peer) => peer.initialize()));
    const answers = await Promise.all(
      peers.map((peer, index) =>
        peer.request('tools/call', { name: 'echo', arguments: { text: `for ${index}` } }, 'same'),
      ),
    );
    expect(answers.map(({ result }) => textOf(result ?? {}))).toEqual(
      peers.map((_, index) => `for ${index}`),
    );
    for (const peer of peers) peer.stream.drop();
  });

  it('answers 404 for a connection that is not there, and 400 or 404 for none', async () => {
    const { target } = await open();
    const headers = { 'content-type': 'application/json' };
    for (const path of [
      '/messages?sessionId=made-up',
      '/messages',
      '/messages?sessionId=',
      '/messages?sessionId=__proto__',
    ]) {
      const answer = await target.send({ path, headers, body: JSON.stringify(PING) });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  it('answers 404 once the stream is closed', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize();
    peer.stream.drop();
    let { status } = await peer.post(PING);
    // The server hears of it a moment later.
    while (status === 202) status = (await peer.post(PING)).status;
    expect(status).toBe(404);
  });

  it('cancels what runs when the stream is closed', async () => {
    const { target, steps } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize();
    await peer.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
    await steps.until('started');
    peer.stream.drop();
    await steps.until('cancelled');
  });

  it('answers malformed messages on the stream', async () => {
    const { target } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize();
    for (const [body, code] of [
      ['{', -32700],
      ['7', -32600],
      ['[]', -32600],
    ] as const) {
      expect((await peer.post(body)).status).toBe(202);
      expect((await peer.stream.message()).error?.code).toBe(code);
    }
    peer.stream.drop();
  });

  it('serves its paths with their methods only', async () => {
    const { target } = await open();
    for (const [method, path, allow] of [
      ['POST', '/sse', 'GET'],
      ['DELETE', '/sse', 'GET'],
      ['GET', '/messages', 'POST'],
      ['PUT', '/messages', 'POST'],
    ] as const) {
      const answer = await target.send({ method, path });
      expect([method, path, answer.status, answer.header('allow')]).toEqual([method, path, 405, allow]);
    }
  });

  it('can be served at other paths', async () => {
    const { target } = await open({ legacySse: { ssePath: '/old/sse', messagesPath: '/old/messages' } });
    const peer = await LegacyPeer.open(target, {}, '/old/sse');
    expect(peer.endpoint).toContain('/old/messages?');
    expect((await peer.initialize()).result).toBeTruthy();
    expect((await target.send({ method: 'GET', path: '/sse' })).status).toBe(404);
    peer.stream.drop();
  });

  it('admits a limited number of connections', async () => {
    const { target } = await open({ legacySse: { maxConnections: 2 } });
    const first = await LegacyPeer.open(target);
    const second = await LegacyPeer.open(target);
    const headers = { accept: 'text/event-stream' };
    expect((await target.send({ method: 'GET', path: '/sse', headers })).status).toBe(503);
    first.stream.drop();
    for (;;) {
      const answer = await target.send({ method: 'GET', path: '/sse', headers });
      answer.drop();
      if (answer.status === 200) break;
    }
    second.stream.drop();
  });

  it('bounds what is posted', async () => {
    const { target } = await open({ limits: { bodyBytes: 1000 } });
    const peer = await LegacyPeer.open(target);
    const long = { ...PING, params: { text: 'x'.repeat(2000) } };
    expect((await peer.post(long)).status).toBe(413);
    expect((await peer.post(PING, { 'content-type': 'text/plain' })).status).toBe(415);
    peer.stream.drop();
  });

  it('stands beside the new one', async () => {
    const { target } = await open();
    const [old, modern] = [await LegacyPeer.open(target), await SessionPeer.open(target, '2025-11-25')];
    await old.initialize();
    expect((await old.request('ping')).result).toEqual({});
    expect((await modern.request('ping')).status).toBe(200);
    // A connection of the one is no session of the other.
    const id = new URL(old.endpoint, target.origin).searchParams.get('sessionId') ?? '';
    expect((await modern.request('ping', {}, { headers: { 'mcp-session-id': id } })).status).toBe(404);
    const path = `/messages?sessionId=${modern.id}`;
    const posted = await target.send({ path, headers: { 'content-type': 'application/json' }, body: '{}' });
    expect(posted.status).toBe(404);
    old.stream.drop();
  });

  it('ends with its listener, and with it what runs', async () => {
    const { target, steps } = await open();
    const peer = await LegacyPeer.open(target);
    await peer.initialize();
    await peer.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait' } });
    await steps.until('started');
    await target.handle?.close({ drain: 1000 });
    expect(await peer.stream.ending).toBe('end');
    await steps.until('cancelled');
    expect(target.handle?.open()).toEqual({ streams: 0, calls: 0, standalone: 0, listeners: 0 });
  });
});

describe('the old transport with credentials', () => {
  const start = startsWith('node');
  const as = (user: string) => ({ authorization: user });

  it('binds a connection to whoever opened it', async () => {
    const { server } = createFixture();
    const target = await start(server, {
      legacySse: true,
      authenticate: async (request) => {
        const user = request.header('authorization');
        return user === undefined ? { status: 401, message: 'no' } : { principal: user };
      },
    });
    const peer = await LegacyPeer.open(target, as('ada'));
    await peer.initialize();
    expect((await peer.post(PING, as('bob'))).status).toBe(404);
    expect((await peer.post(PING, { authorization: undefined })).status).toBe(401);
    expect((await target.send({ method: 'GET', path: '/sse' })).status).toBe(401);
    const who = await peer.request('tools/call', { name: 'who' });
    expect(textOf(who.result ?? {})).toBe('{"principal":"ada"}');
    peer.stream.drop();
  });

  it('leaves nothing behind when a client goes while its credentials are checked', async () => {
    const { server, steps } = createFixture();
    const target = await start(server, {
      legacySse: true,
      authenticate: async () => {
        steps.reach('judging');
        await steps.opened('judged');
        return { principal: undefined };
      },
    });
    const socket = await RawSocket.open(target.origin);
    await socket.head('GET /sse HTTP/1.1', 'Host: localhost', 'Accept: text/event-stream');
    await steps.until('judging');
    socket.destroy();
    await socket.closed;
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    steps.open('judged');
    await new Promise((resolve) => setImmediate(resolve));
    expect(target.handle?.open()).toMatchObject({ streams: 0, listeners: 0 });
  });
});
