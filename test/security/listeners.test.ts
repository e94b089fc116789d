/** No request makes a listener throw: every one of them, with targets, methods and headers that nobody expects. */

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLoopback } from '../../src/auth/client/node-loopback.js';
import { bearer } from '../../src/auth/index.js';
import { createInspector, listenInspector } from '../../src/inspector/inspector.js';
import { ASSUMED_REVISION, REVISIONS } from '../../src/protocol/revisions/index.js';
import { createHttpServer } from '../../src/transports/http/server/node-server.js';
import { HttpStage } from '../../src/validate/client/http-stage.js';
import { createFixture } from '../support/http-server.js';
import { RawSocket } from '../support/raw-socket.js';

interface Listener {
  readonly origin: string;
  /** Paths that it serves; the attacks go there too. */
  readonly paths: readonly string[];
  close(): Promise<unknown> | undefined;
}

const NEWEST = REVISIONS[REVISIONS.length - 1] ?? ASSUMED_REVISION;

const LISTENERS: Readonly<Record<string, () => Promise<Listener>>> = {
  'the redirect of a login': async () => {
    const redirect = await openLoopback(undefined, { show: () => undefined });
    void redirect
      .authorize({
        url: new URL('http://127.0.0.1/?state=s'),
        server: new URL('http://127.0.0.1'),
        issuer: '',
      })
      .catch(() => undefined);
    const { origin } = new URL(redirect.redirectUri);
    return { origin, paths: ['/callback'], close: async () => redirect.close?.(false) };
  },
  'the inspector': async () => {
    const inspector = createInspector();
    const listener = await listenInspector(inspector, 0);
    const { origin, pathname } = listener.url;
    return {
      origin,
      paths: [
        pathname,
        `${pathname}api/events`,
        `${pathname}api/timeline.query`,
        `${pathname}assets/index.js`,
      ],
      close: () => listener.close(),
    };
  },
  'an MCP endpoint with pages, documents and the old HTTP+SSE': async () => {
    const { server } = createFixture();
    const auth = bearer({ issuer: 'https://issuer.example', audience: 'http://127.0.0.1/mcp' });
    const handle = await server.http({ auth, legacySse: true, pages: { '/metrics': () => 'calls 1\n' } });
    return {
      origin: handle.origin,
      paths: ['/mcp', '/sse', '/messages', '/metrics', '/.well-known/oauth-protected-resource/mcp'],
      close: () => server.close({ drain: 0 }),
    };
  },
  'an MCP endpoint without authorization': async () => {
    const { server } = createFixture();
    const handle = await server.http({ legacySse: true });
    return {
      origin: handle.origin,
      paths: ['/mcp', '/sse', '/messages'],
      close: () => server.close({ drain: 0 }),
    };
  },
  'the stage of the client validator': async () => {
    const stage = new HttpStage(NEWEST, () => undefined);
    const url = new URL(await stage.open());
    return { origin: url.origin, paths: [url.pathname], close: () => stage.close() };
  },
};

/** Request targets: origin form that is none, absolute form, authority form, asterisk form, and worse. */
function targets(path: string): string[] {
  return [
    '//',
    '///',
    `//${path}`,
    `/${path}`,
    `${path}?`,
    `${path}?%`,
    `${path}?state=%E0%A4%A`,
    `${path}?sessionId=%00%ff&sessionId[]=1&__proto__=1`,
    `${path}#x`,
    `${path}/%2e%2e/%2e%2e/etc/passwd`,
    `${path}/../../../../etc/passwd`,
    `${path}%`,
    `${path};a=b`,
    '/%',
    '/%zz%',
    '/%00',
    '/\\',
    '/t/%',
    '/t//',
    '/t/../api/events',
    '*',
    'http://',
    'http:///',
    'http://[',
    'http://[::1',
    'http://a:99999999/',
    'http://%/',
    `http://evil.example${path}`,
    'https://evil.example:443',
    'evil.example:443',
    'javascript:alert(1)',
    '?',
    '/?token=%',
    '/__proto__',
    '/constructor',
    `/${'a'.repeat(10_000)}`,
    `/${'%41'.repeat(3000)}`,
    `${path}?${'a=b&'.repeat(2500)}`,
  ];
}

const METHODS = ['GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'PATCH', 'TRACE', 'PROPFIND'];

/** Whole requests that are wrong in other ways. */
function requests(path: string): string[] {
  const ends = 'Connection: close\r\n\r\n';
  return [
    `CONNECT ${path} HTTP/1.1\r\nHost: localhost\r\n${ends}`,
    `CONNECT // HTTP/1.1\r\nHost: localhost\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: x\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: x\r\n\r\n`,
    `GET ${path} HTTP/1.0\r\n\r\n`,
    `GET ${path} HTTP/1.1\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost:\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: [\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nOrigin: %\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: ${';q='.repeat(1000)}\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${'='.repeat(8000)}\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${' '.repeat(8000)}\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: g000000000000.%00\r\nAccept: text/event-stream\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(100_000)}\r\n${ends}`,
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n${ends}`,
    `GET ${path}\0 HTTP/1.1\r\nHost: localhost\r\n${ends}`,
    `GET ${path} HTTP/9.9\r\nHost: localhost\r\n${ends}`,
    `G\xCBT ${path} HTTP/1.1\r\nHost: localhost\r\n${ends}`,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 5\r\n${ends}abc`,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nExpect: the-worst\r\nContent-Length: 0\r\n${ends}`,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99999999999999999999\r\n${ends}`,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n${ends}FFFFFFFFF\r\n`,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json;charset=%\r\nContent-Length: 4\r\n${ends}\xFF\xFE\x00\x01`,
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\nContent-Length: 2\r\n${ends}{}`,
  ];
}

/** Sends it, says that no more comes, and waits for the end of the connection; streams are left after their head. */
async function attack(origin: string, request: string): Promise<void> {
  const socket = await RawSocket.open(origin);
  await socket.write(Buffer.from(request, 'latin1'));
  socket.end();
  await Promise.race([socket.closed, socket.until('text/event-stream').catch(() => undefined)]);
  socket.destroy();
  await socket.closed;
}

const thrown: unknown[] = [];
const notice = (error: unknown): void => void thrown.push(error);

beforeEach(() => {
  thrown.length = 0;
  process.on('uncaughtException', notice);
  process.on('unhandledRejection', notice);
});

afterEach(() => {
  process.off('uncaughtException', notice);
  process.off('unhandledRejection', notice);
});

describe.each(Object.entries(LISTENERS))('%s', (_name, start) => {
  it('answers or closes, whatever is asked for, and goes on', async () => {
    const listener = await start();
    const { host } = new URL(listener.origin);
    for (const path of listener.paths) {
      const heads = targets(path).flatMap((target, index) => {
        const methods = index % 3 === 0 ? METHODS : ['GET', 'POST'];
        return methods.map(
          (method) =>
            `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
        );
      });
      const everything = [...heads, ...requests(path)];
      for (let at = 0; at < everything.length; at += 25)
        await Promise.all(everything.slice(at, at + 25).map((request) => attack(listener.origin, request)));
    }
    const alive = await RawSocket.open(listener.origin);
    await alive.head(`GET ${listener.paths[0]} HTTP/1.1`, `Host: ${host}`, 'Connection: close');
    await alive.closed;
    expect(alive.status).toBeGreaterThan(0);
    await listener.close();
    expect(thrown).toEqual([]);
  });
});

it('a handler that throws is answered with 500, and the listener goes on', async () => {
  const errors: unknown[] = [];
  const server = createHttpServer(
    {},
    () => {
      throw new Error('unexpected');
    },
    (error) => errors.push(error),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('It listens on a port');
  for (const _time of [1, 2]) {
    const socket = await RawSocket.open(`http://127.0.0.1:${address.port}`);
    await socket.head('GET / HTTP/1.1', 'Host: localhost');
    await socket.closed;
    expect(socket.status).toBe(500);
  }
  expect(errors).toHaveLength(2);
  expect(thrown).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
});
