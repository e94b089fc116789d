/** Attacks on a listening server (and on `server.fetch`) that have hit MCP software before. */

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.js';
import type { Server } from '../../src/server/index.js';
import { createMemoryStore } from '../../src/store/index.js';
import {
  initializeMessage,
  post,
  SessionPeer,
  stateless,
  statelessCall,
  statelessTool,
} from '../support/http-peer.js';
import { createFixture } from '../support/http-server.js';
import { describeMatrix, type HttpTarget, sendTo, startsWith } from '../support/http-target.js';
import { LegacyPeer } from '../support/legacy-peer.js';
import { RawSocket } from '../support/raw-socket.js';
import { textOf } from '../support/wire-peer.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** The server still serves, in both eras. */
async function expectHealthy(target: Pick<HttpTarget, 'send'>): Promise<void> {
  expect(textOf(await (await statelessTool(target, 'echo', { text: 'alive' })).result())).toBe('alive');
  const peer = await SessionPeer.open(target, '2025-11-25');
  expect((await peer.request('ping')).status).toBe(200);
  await peer.end();
}

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
    for (const head of [
      ['POST /mcp HTTP/1.0', 'Content-Type: application/json', `Content-Length: ${text.length}`],
      [
        'POST /mcp HTTP/1.1',
        'Content-Type: application/json',
        `Content-Length: ${text.length}`,
        'Connection: close',
      ],
      [
        'POST /mcp HTTP/1.1',
        'Host: evil.example',
        'Host: localhost',
        'Connection: close',
        'Content-Length: 0',
      ],
      ['POST http://localhost/mcp HTTP/1.1', 'Host: evil.example', 'Connection: close', 'Content-Length: 0'],
    ]) {
      const socket = await RawSocket.open(handle.origin);
      await socket.head(...head);
      await socket.write(text);
      await socket.closed;
      expect([400, 403, 404]).toContain(socket.status);
      expect(socket.received.toLowerCase()).not.toContain('mcp-session-id');
    }
    await server.close(0);
  });

  it('is out of reach by default: the listener binds to loopback', async () => {
    const { server } = createFixture();
    const handle = await server.http();
    expect(new URL(handle.origin).hostname).toBe('127.0.0.1');
    await server.close(0);
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

describeMatrix('clients with the same ids at the same time', (start) => {
  it('never get what belongs to another', async () => {
    const { server } = createFixture();
    server.tool(
      'slow-echo',
      { input: { type: 'object', properties: { text: { type: 'string' } } } },
      async (args, ctx) => {
        ctx.progress(1, 2, `${args.text}`);
        await new Promise((resolve) => setImmediate(resolve));
        ctx.progress(2, 2, `${args.text}`);
        return `${args.text}`;
      },
    );
    const target = await start(server);
    const peers = await Promise.all(Array.from({ length: 10 }, () => SessionPeer.open(target, '2025-06-18')));
    const rounds = Array.from({ length: 5 }, (_, round) => round);
    const results = await Promise.all(
      peers.flatMap((peer, index) =>
        rounds.flatMap((round) => {
          const text = `client ${index} round ${round}`;
          const options = { id: round, meta: { progressToken: round } };
          return [
            peer
              .tool('slow-echo', { text }, options)
              .then(async (answer) => ({ text, messages: await answer.messages() })),
            statelessTool(target, 'slow-echo', { text: `${text} modern` }, options).then(async (answer) => ({
              text: `${text} modern`,
              messages: await answer.messages(),
            })),
          ];
        }),
      ),
    );
    expect(results).toHaveLength(100);
    for (const { text, messages } of results) {
      expect(messages.slice(0, -1).map(({ params }) => params?.message)).toEqual([text, text]);
      expect(textOf(messages.at(-1)?.result ?? {})).toBe(text);
    }
  });
});

describeMatrix('the state of a call that waits for input', (start) => {
  const authenticate = (request: { header(name: string): string | undefined }) => ({
    principal: request.header('authorization'),
  });
  const ABLE = { capabilities: { elicitation: {} } };
  const ANSWER = { 'ask-1': { action: 'accept', content: { name: 'Ada' } } };

  /** Asks as someone, and returns the state that came back. */
  const ask = async (target: HttpTarget, user: string, tool = 'ask'): Promise<string> => {
    const answer = await statelessTool(target, tool, {}, { ...ABLE, headers: { authorization: user } });
    return String((await answer.result()).requestState);
  };
  const retry = async (
    target: HttpTarget,
    user: string,
    requestState: string,
    tool = 'ask',
    more: JsonObject = {},
  ) => {
    const params = { name: tool, arguments: {}, requestState, inputResponses: ANSWER, ...more };
    return stateless(target, 'tools/call', params, { ...ABLE, headers: { authorization: user } });
  };

  const open = async (now = { value: 0 }) => {
    const { server } = createFixture({
      http: { authenticate },
      requestState: { ttlMs: 1000, now: () => now.value },
    });
    server.tool('ask-too', {}, async (_args, ctx) => {
      await ctx.elicit('Really?', { type: 'object', properties: { name: { type: 'string' } } });
      return 'done';
    });
    return start(server);
  };

  it('opens for whoever it was given to', async () => {
    const target = await open();
    const answer = await retry(target, 'ada', await ask(target, 'ada'));
    expect(textOf(await answer.result())).toContain('Ada');
  });

  it('does not open when a single character was changed', async () => {
    const target = await open();
    const state = await ask(target, 'ada');
    for (let index = 0; index < state.length; index += 7) {
      const other = state[index] === 'A' ? 'B' : 'A';
      const tampered = state.slice(0, index) + other + state.slice(index + 1);
      const answer = await retry(target, 'ada', tampered);
      expect((await answer.error()).code).toBe(-32602);
    }
  });

  it('does not open for anyone else, for another call, for other arguments, or on another server', async () => {
    const target = await open();
    const state = await ask(target, 'ada');
    const elsewhere = await open();
    for (const answer of [
      await retry(target, 'bob', state),
      await retry(target, 'ada', state, 'ask-too'),
      await retry(target, 'ada', state, 'ask', { arguments: { more: 1 } }),
      await retry(elsewhere, 'ada', state),
      await retry(target, 'ada', ''),
      await retry(target, 'ada', 'p1.AAAA.AAAA'),
      await retry(target, 'ada', 'x'.repeat(100_000)),
    ]) {
      expect((await answer.error()).code).toBe(-32602);
    }
  });

  it('does not open when it is too old', async () => {
    const now = { value: 0 };
    const target = await open(now);
    const state = await ask(target, 'ada');
    now.value = 1001;
    expect((await (await retry(target, 'ada', state)).error()).message).toContain('expired');
  });

  it('shows nothing of what is in it', async () => {
    const target = await open();
    const state = await ask(target, 'ada');
    const readable = state
      .split('.')
      .map((part) => Buffer.from(part, 'base64url').toString('latin1'))
      .join();
    expect(readable).not.toContain('answers');
    expect(readable).not.toContain('ada');
  });
});

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
    const target = await start(server, { limits: { requestMs: 100 }, legacySse: true });
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
    const started = performance.now();
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
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('is capped: clients that initialize and never come back', async () => {
    const store = createMemoryStore({ maxSessions: 200 });
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
    await server.close(0);
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

describeMatrix('headers that only insiders should set', (start) => {
  it('change nothing', async () => {
    const { server } = createFixture({
      http: { authenticate: (request) => ({ principal: request.header('authorization') }) },
    });
    const target = await start(server);
    const headers = {
      authorization: 'ada',
      'x-plumb-principal': 'root',
      'x-user': 'root',
      'x-forwarded-user': 'root',
      'x-forwarded-for': '127.0.0.1',
      'x-original-url': '/admin',
      'x-http-method-override': 'DELETE',
      'mcp-principal': 'root',
    };
    const answer = await statelessTool(target, 'who', {}, { headers });
    expect(textOf(await answer.result())).toBe('{"principal":"ada"}');
    const peer = await SessionPeer.open(target, '2025-11-25', { headers });
    expect(textOf(await (await peer.tool('who')).result())).toBe('{"principal":"ada"}');
  });
});

describeMatrix('what went wrong inside', (start) => {
  it('stays inside', async () => {
    const { server, errors } = createFixture();
    server.resource('test://broken', {}, () => {
      throw new Error('the password is hunter2');
    });
    server.prompt('broken', {}, () => {
      throw new Error('the password is hunter2');
    });
    server.method('custom/broken', () => {
      throw new Error('the password is hunter2');
    });
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const answers = [
      await statelessTool(target, 'crash'),
      await peer.tool('crash'),
      await stateless(target, 'resources/read', { uri: 'test://broken' }),
      await peer.request('resources/read', { uri: 'test://broken' }),
      await stateless(target, 'prompts/get', { name: 'broken' }),
      await stateless(target, 'custom/broken'),
      await peer.request('custom/broken'),
    ];
    for (const answer of answers) {
      const text = await answer.text();
      expect(text).not.toContain('hunter2');
      expect(text).not.toContain(' at ');
    }
    expect(errors).toHaveLength(answers.length);
  });

  it('is told to clients only where that was asked for', async () => {
    const { server } = createFixture({ exposeErrors: true });
    const answer = await statelessTool(await start(server), 'crash');
    expect(await answer.text()).toContain('hunter2');
  });

  it('is no HTTP header either', async () => {
    const target = await start(createFixture().server);
    const answer = await statelessTool(target, 'echo');
    expect(answer.header('x-powered-by')).toBeUndefined();
    expect(answer.header('server')).toBeUndefined();
  });
});

describeMatrix('messages that two parsers read differently', (start) => {
  it('are refused or read the one way', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"wait"}}',
      '{"jsonrpc":"2.0","ID":1,"METHOD":"tools/call","PARAMS":{"name":"wait"}}',
      '{"jsonrpc":"2.0","id":1,"method\\u0000":"tools/call","params":{"name":"wait"}}',
      '{"jsonrpc":"2.0","id":1,"__proto__":{"method":"tools/call"},"params":{"name":"wait"}}',
    ]) {
      expect((await peer.post(text)).status).toBe(400);
    }
    // Where a key comes twice the last one counts, for the header check too.
    const { headers } = statelessCall('tools/call', { name: 'echo' });
    const { body } = statelessCall('tools/call', { name: 'wait' });
    const twice = JSON.stringify(body).replace('"name":"wait"', '"name":"echo","name":"wait"');
    expect((await post(target, twice, headers)).status).toBe(400);
    expect(steps.count('started')).toBe(0);
  });

  it('cannot reach prototypes', async () => {
    const target = await start(createFixture().server);
    for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      const tool = await statelessTool(target, name);
      expect((await tool.error()).code).toBe(-32602);
      const method = await stateless(target, name);
      expect(method.status).toBe(404);
    }
    const polluting =
      '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}';
    const peer = await SessionPeer.open(target, '2025-11-25');
    await peer.post(polluting);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the process', () => {
  const rejections: unknown[] = [];
  const remember = (reason: unknown): void => void rejections.push(reason);
  afterEach(() => {
    process.off('unhandledRejection', remember);
    rejections.length = 0;
  });

  it('sees no rejection that nobody handles, whatever clients do', async () => {
    process.on('unhandledRejection', remember);
    const { server, steps } = createFixture();
    const handle = await server.http({ legacySse: true });
    const target = { send: (call: Parameters<typeof sendTo>[1]) => sendTo(handle.origin, call) };
    const peer = await SessionPeer.open(target, '2025-11-25', {
      capabilities: { roots: {}, elicitation: {} },
    });
    const asked = await peer.tool('roots', {}, { id: 'asked' });
    await asked.message('roots/list');
    asked.drop();
    const told = await statelessTool(target, 'tell', {}, { meta: { progressToken: 1 } });
    await told.message();
    told.drop();
    await steps.until('cancelled');
    const old = await LegacyPeer.open(target);
    await old.initialize('2024-11-05', { roots: {} });
    await old.post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'roots' } });
    await old.stream.message('roots/list');
    old.stream.drop();
    await peer.end();
    await server.close(0);
    await new Promise((resolve) => setImmediate(resolve));
    expect(rejections).toEqual([]);
  });
});
