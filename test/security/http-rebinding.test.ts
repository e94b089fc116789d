/** Pages of other sites that reach for a local server: DNS rebinding, cross-site requests, CORS. */

import { describe, expect, it } from 'vitest';
import { initializeMessage, post, SessionPeer, statelessCall } from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import { describeMatrix, startsWith } from '../support/http-target.js';
import { LegacyPeer } from '../support/legacy-peer.js';
import { RawSocket } from '../support/raw-socket.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('DNS rebinding', () => {
  /** What a page can make a browser send; the port is the server's own. */
  const attacks = (port: string): Record<string, Record<string, string>> => ({
    'a foreign host': { host: `evil.example:${port}` },
    'a foreign host with its own origin': {
      host: `evil.example:${port}`,
      origin: `http://evil.example:${port}`,
    },
    'a foreign host without a port': { host: 'evil.example' },
    'a host that begins like ours': { host: `localhost.evil.example:${port}` },
    'a host that begins like our address': { host: `127.0.0.1.evil.example:${port}` },
    'a foreign IPv6 host': { host: `[2001:db8::1]:${port}` },
    'an IPv6 host that maps to IPv4': { host: `[::ffff:8.8.8.8]:${port}` },
    'an address of the local network': { host: `192.168.0.7:${port}` },
    'the unspecified address': { host: `0.0.0.0:${port}` },
    'a foreign origin': { origin: 'http://evil.example' },
    'a foreign origin over IPv6': { origin: 'http://[2001:db8::1]' },
    'another port of this machine': { origin: 'http://localhost:1' },
    'another port of this address': { origin: 'http://127.0.0.1:1' },
    'no port where ours has one': { origin: 'http://localhost' },
    'an opaque origin': { origin: 'null' },
    'an empty origin': { origin: '' },
    'a foreign host behind a forwarded one': {
      host: 'evil.example',
      'x-forwarded-host': `localhost:${port}`,
    },
    'a foreign host with our origin': { host: 'evil.example', origin: `http://localhost:${port}` },
  });

  describeMatrix('on the endpoint', (start) => {
    it.each(Object.keys(attacks('0')))('with %s is refused with 403', async (name) => {
      const { server, steps } = createFixture();
      const target = await start(server);
      const headers = attacks(new URL(target.origin).port)[name] ?? {};
      const peer = await SessionPeer.open(target, '2025-11-25');
      const { body, headers: modern } = statelessCall('tools/call', { name: 'wait', arguments: {} });
      const answers = [
        await post(target, initializeMessage('2025-11-25'), headers),
        await post(target, body, { ...modern, ...headers }),
        await peer.tool('wait', {}, { headers }),
        await peer.stream(undefined, headers),
        await peer.end(headers),
        await target.send({ method: 'OPTIONS', headers }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403, 403]);
      for (const answer of answers) {
        expect(answer.header('mcp-session-id')).toBeUndefined();
        expect(answer.headerNames.filter((header) => header.startsWith('access-control'))).toEqual([]);
      }
      expect(steps.count('started')).toBe(0);
      expect((await peer.request('ping')).status).toBe(200);
    });

    it('leaves clients without an origin alone: they are no browsers', async () => {
      const target = await start(createFixture().server);
      const { port } = new URL(target.origin);
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
        expect((await post(target, initializeMessage('2025-11-25'), { host })).status).toBe(200);
      }
    });
  });

  describe('on the old transport', () => {
    const start = startsWith('node');

    it.each(Object.keys(attacks('0')))('with %s is refused with 403', async (name) => {
      const target = await start(createFixture().server, { legacySse: true });
      const headers = attacks(new URL(target.origin).port)[name] ?? {};
      const peer = await LegacyPeer.open(target);
      const opened = await target.send({ method: 'GET', path: '/sse', headers });
      const posted = await peer.post({ jsonrpc: '2.0', id: 1, method: 'ping' }, headers);
      expect([opened.status, posted.status]).toEqual([403, 403]);
      expect(peer.stream.received).toEqual([]);
      peer.stream.drop();
    });
  });

  it('without any host is refused', async () => {
    const { server } = createFixture();
    const handle = await server.http();
    const text = JSON.stringify(initializeMessage('2025-11-25'));
    const length = `Content-Length: ${text.length}`;
    const close = 'Connection: close';
    const cases: readonly (readonly [status: number, ...head: string[]])[] = [
      [403, 'POST /mcp HTTP/1.0', 'Content-Type: application/json', length],
      // Node refuses this one itself.
      [400, 'POST /mcp HTTP/1.1', 'Content-Type: application/json', length, close],
      [403, 'POST /mcp HTTP/1.1', 'Host: evil.example', 'Host: localhost', close, 'Content-Length: 0'],
      [404, 'POST http://localhost/mcp HTTP/1.1', 'Host: evil.example', close, 'Content-Length: 0'],
    ];
    for (const [status, ...head] of cases) {
      const socket = await RawSocket.open(handle.origin);
      await socket.head(...head);
      await socket.write(text);
      await socket.closed;
      expect(socket.status).toBe(status);
      expect(socket.received.toLowerCase()).not.toContain('mcp-session-id');
    }
    await server.close({ drain: 0 });
  });

  it('is out of reach by default: the listener binds to loopback', async () => {
    const { server } = createFixture();
    const handle = await server.http();
    expect(new URL(handle.origin).hostname).toBe('127.0.0.1');
    await server.close({ drain: 0 });
  });
});

describeMatrix('cross-site requests', (start) => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'text/plain;application/json',
  ])('that a browser sends unasked (%s) are refused with 415, before anything runs', async (type) => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const { body, headers } = statelessCall('tools/call', { name: 'wait', arguments: {} });
    const answers = [
      await post(target, body, { ...headers, 'content-type': type }),
      await post(target, initializeMessage('2025-11-25'), { 'content-type': type }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([415, 415]);
    expect(steps.count('started')).toBe(0);
  });

  it('never see a wildcard, nor leave to send credentials', async () => {
    for (const options of [{}, { allowedOrigins: ['https://app.example.com'] }]) {
      const target = await start(createFixture({ http: options }).server);
      for (const origin of ['https://app.example.com', 'https://evil.example', target.origin, undefined]) {
        const headers = origin === undefined ? {} : { origin };
        for (const method of ['OPTIONS', 'POST', 'GET']) {
          const answer = await target.send({ method, headers: { ...JSON_TYPE, ...headers } });
          expect(answer.header('access-control-allow-origin') ?? '').not.toContain('*');
          expect(answer.header('access-control-allow-headers') ?? '').not.toContain('*');
          expect(answer.header('access-control-allow-credentials')).toBeUndefined();
        }
      }
    }
  });
});
