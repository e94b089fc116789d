/** Too much, too slow, too deep, or no HTTP at all: refused, and the next request is served. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Server } from '../../src/server/index.js';
import { createMemoryStore } from '../../src/store/index.js';
import { expectHealthy } from '../support/healthy.js';
import { initializeMessage, post, SessionPeer, statelessCall, statelessTool } from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import { describeMatrix, startsWith } from '../support/http-target.js';
import { LegacyPeer } from '../support/legacy-peer.js';
import { RawSocket } from '../support/raw-socket.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('what is not HTTP, or stops being it', () => {
  const start = startsWith('node');

  it.each([
    [
      'random bytes',
      () => Buffer.from(Array.from({ length: 5000 }, (_, index) => (index * 7919 + 13) % 256)),
    ],
    ['zeros', () => Buffer.alloc(1000)],
    ['a TLS greeting', () => Buffer.from('16030100c6010000c20303', 'hex')],
    ['HTTP/2', () => Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['a line without an end', () => Buffer.from('A'.repeat(50_000))],
    [
      'both lengths',
      () =>
        Buffer.from(
          'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
        ),
    ],
    [
      'a negative length',
      () => Buffer.from('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n'),
    ],
    [
      'a bad chunk',
      () =>
        Buffer.from(
          'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}',
        ),
    ],
    [
      'a folded header',
      () =>
        Buffer.from(
          'POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
        ),
    ],
  ])('does no harm: %s', async (_name, bytes) => {
    const { server, errors } = createFixture();
    const target = await start(server);
    const socket = await RawSocket.open(target.origin);
    await socket.write(bytes());
    socket.end();
    await socket.closed;
    expect(socket.received === '' || socket.status >= 400).toBe(true);
    await expectHealthy(target);
    expect(errors).toEqual([]);
  });

  it('does no harm when the client leaves at any byte of its request', async () => {
    const { server, errors } = createFixture();
    const target = await start(server);
    const { body, headers } = statelessCall('tools/call', { name: 'echo', arguments: { text: 'hi' } });
    const text = JSON.stringify(body);
    const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': `${text.length}` });
    const bytes = `POST /mcp HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}`).join('\r\n')}\r\n\r\n${text}`;
    for (let offset = 0; offset < bytes.length; offset += 11) {
      const socket = await RawSocket.open(target.origin);
      await socket.write(bytes.slice(0, offset));
      if (offset % 2 === 0) socket.destroy();
      else socket.end();
      await socket.closed;
    }
    await expectHealthy(target);
    expect(errors).toEqual([]);
    expect(target.handle?.open()).toMatchObject({ streams: 0, calls: 0 });
  });

  it('does no harm when a header has no end', async () => {
    const target = await start(createFixture().server);
    const many = Array.from({ length: 5000 }, (_, index) => `X-Header-${index}: ${index}`);
    for (const head of [
      [`X-Long: ${'x'.repeat(100_000)}`],
      many,
      [`Accept: ${'a,'.repeat(50_000)}`],
      [`Mcp-Name: ${' '.repeat(50_000)}x`],
    ]) {
      const socket = await RawSocket.open(target.origin);
      await socket.head(
        'POST /mcp HTTP/1.1',
        'Host: localhost',
        'Content-Length: 0',
        'Connection: close',
        ...head,
      );
      await socket.closed;
      expect(socket.received === '' || socket.status >= 400).toBe(true);
    }
    await expectHealthy(target);
  });

  it('does not wait for clients that send a byte now and then', async () => {
    const { server } = createFixture();
    const target = await start(server, { limits: { requestTimeout: 100 }, legacySse: true });
    const peer = await LegacyPeer.open(target);
    const sockets = await Promise.all(Array.from({ length: 50 }, () => RawSocket.open(target.origin)));
    for (const [index, socket] of sockets.entries()) {
      if (index % 3 === 0) await socket.write('POST /mcp HTTP/1.1\r\nHost: local');
      const path = index % 3 === 1 ? '/mcp' : peer.endpoint;
      if (index % 3 !== 0) {
        await socket.head(
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          'Content-Type: application/json',
          'Content-Length: 100',
        );
        await socket.write('{');
      }
    }
    for (const socket of sockets) {
      await socket.closed;
      expect(socket.status).toBe(408);
    }
    await expectHealthy(target);
    peer.stream.drop();
  });
});

describeMatrix('too much of everything', (start) => {
  it('is refused: a body of 5 MB', async () => {
    const target = await start(createFixture().server);
    const long = 'x'.repeat(5_000_000);
    expect((await statelessTool(target, 'echo', { text: long })).status).toBe(413);
    expect((await post(target, initializeMessage(long))).status).toBe(413);
    await expectHealthy(target);
  });

  it('is refused: JSON of depth 100,000', async () => {
    const target = await start(createFixture().server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const [open, close] = ['[', ']'].map((bracket) => bracket.repeat(100_000));
    const { headers } = statelessCall('tools/list');
    for (const text of [
      `${open}${close}`,
      `${open}`,
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":${open}${close}}}`,
      `{"jsonrpc":"2.0","id":1,"result":{"x":${open}${close}}}`,
      `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`,
    ]) {
      expect((await peer.post(text)).status).toBe(400);
      expect((await post(target, text, headers)).status).toBe(400);
    }
    await expectHealthy(target);
  });

  it('is refused: a batch of 10,000', async () => {
    const target = await start(createFixture().server);
    const peer = await SessionPeer.open(target, '2025-03-26');
    const batch = Array.from({ length: 10_000 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' }));
    const answer = await peer.post(batch);
    expect(answer.status).toBe(400);
    expect((await answer.text()).length).toBeLessThan(500);
    await expectHealthy(target);
  });

  it('does not cost time: 50,000 commas in a URI', async () => {
    const target = await start(createFixture().server);
    const before = process.cpuUsage();
    for (const uri of [
      `test://items/${','.repeat(50_000)}`,
      `test://items${'/a'.repeat(50_000)}`,
      `test://search?${'terms=a&'.repeat(20_000)}`,
      `test://search?${','.repeat(50_000)}`,
    ]) {
      // The header is bounded to 16 KB on the wire, so a client could not repeat the name there.
      const peer = await SessionPeer.open(target, '2025-11-25');
      const answer = await peer.request('resources/read', { uri });
      expect(answer.status).toBe(200);
      await answer.text();
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(5_000);
  });

  it('is capped: clients that initialize and never come back', async () => {
    const store = createMemoryStore({ maxSessions: 200, maxSessionsPerPeer: 200 });
    const target = await start(createFixture({ http: { store } }).server);
    const total = 1000;
    const statuses = new Map<number, number>();
    for (let sent = 0; sent < total; sent += 100) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, () => post(target, initializeMessage('2025-11-25'))),
      );
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
    expect(Object.fromEntries(statuses)).toEqual({ 200: 200, 503: total - 200 });
    // Requests that need no session are served all the same.
    expect((await statelessTool(target, 'echo')).status).toBe(200);
  });
});

describe('100,000 sessions', () => {
  /** A request and its answer without a socket, which would cost more time than it proves. */
  function ask(server: Server, body: unknown): Promise<number> {
    return new Promise((resolve) => {
      const request = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/mcp', body });
      request.headers = { host: 'localhost', ...JSON_TYPE };
      const response = new ServerResponse(request);
      response.end = () => {
        resolve(response.statusCode);
        return response;
      };
      server.node(request, response);
    });
  }

  it('stay within the default cap', async () => {
    const { server } = createFixture();
    const body = initializeMessage('2025-11-25');
    let opened = 0;
    for (let sent = 0; sent < 100_000; sent += 1) if ((await ask(server, body)) === 200) opened += 1;
    expect(opened).toBe(10_000);
    await server.close({ drain: 0 });
  });
});

describe('a body that grows in chunks', () => {
  const start = startsWith('node');

  it('is refused as soon as it is too long, and the memory stays flat', async () => {
    const target = await start(createFixture().server);
    const before = process.memoryUsage().arrayBuffers;
    const socket = await RawSocket.open(target.origin);
    await socket.head(
      'POST /mcp HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      'Transfer-Encoding: chunked',
    );
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    let closed = false;
    void socket.closed.then(() => {
      closed = true;
    });
    for (let sent = 0; sent < 2000 && !closed; sent += 1) await socket.write(chunk);
    await socket.closed;
    expect(socket.status).toBe(413);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
    await expectHealthy(target);
  });
});
