import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type {
  HttpBody,
  HttpEndpoint,
  HttpRequest,
  HttpResponse,
  HttpStream,
} from '../../../src/transports/http/server/exchange.js';
import { DEFAULT_HTTP_LIMITS, type HttpLimits } from '../../../src/transports/http/server/limits.js';
import { createNodeHandler } from '../../../src/transports/http/server/node.js';
import { listen } from '../../../src/transports/http/server/node-listener.js';
import { sendTo } from '../../support/http-target.js';
import { RawSocket } from '../../support/raw-socket.js';
import { Steps } from '../../support/steps.js';

type Handle = (request: HttpRequest, response: HttpResponse, body: HttpBody) => void | Promise<void>;

const errors: unknown[] = [];
const running: Server[] = [];

afterEach(() => {
  errors.length = 0;
  for (const server of running.splice(0)) server.close().closeAllConnections();
});

interface Options {
  readonly limits?: Partial<HttpLimits>;
  readonly admit?: HttpEndpoint['admit'];
  /** What a framework does before. */
  readonly before?: (request: IncomingMessage & { body?: unknown }) => void | Promise<void>;
}

async function serve(handle: Handle, options: Options = {}): Promise<string> {
  const endpoint: HttpEndpoint = {
    limits: { ...DEFAULT_HTTP_LIMITS, ...options.limits },
    headersFor: () => JSON_TYPE,
    admit: options.admit ?? (() => ({ principal: undefined })),
    handle: (request, _caller, body, response) => handle(request, response, body),
  };
  const handler = createNodeHandler(endpoint, (error) => errors.push(error));
  const server = createServer(async (request, response) => {
    await options.before?.(request);
    handler(request, response);
  });
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('the node adapter', () => {
  it('shows method, path, query and headers of the request', async () => {
    let seen: unknown;
    const origin = await serve((request, response, body) => {
      const { method, path } = request;
      seen = [
        method,
        path,
        request.query('a'),
        request.query('b'),
        request.query('c'),
        request.header('x-one'),
        body,
      ];
      response.send(200, {});
    });
    await sendTo(origin, { path: '/mcp?a=1&b=', headers: { 'X-One': '1' }, body: 'a☃b' });
    expect(seen).toEqual(['POST', '/mcp', '1', '', undefined, '1', { text: 'a☃b' }]);
  });

  it('joins a header that was sent twice', async () => {
    let seen: string | undefined;
    const origin = await serve((request, response) => {
      seen = request.header('mcp-name');
      response.send(200, {});
    });
    const socket = await RawSocket.open(origin);
    await socket.head('GET / HTTP/1.1', 'Host: localhost', 'Mcp-Name: a', 'Mcp-Name: b', 'Connection: close');
    await socket.closed;
    expect(seen).toBe('a, b');
  });

  it('joins a body that comes in pieces, also inside a character', async () => {
    let seen: HttpBody | undefined;
    const steps = new Steps();
    const origin = await serve((_request, response, body) => {
      seen = body;
      response.send(200, {});
      steps.reach('handled');
    });
    const socket = await RawSocket.open(origin);
    await socket.head('POST / HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked');
    for (const byte of Buffer.from('a☃b')) await socket.write(Buffer.from([0x31, 13, 10, byte, 13, 10]));
    await socket.write('0\r\n\r\n');
    await steps.until('handled');
    expect(seen).toEqual({ text: 'a☃b' });
    socket.destroy();
  });

  it('takes a body of unknown length that comes whole, and an empty one, with the head', async () => {
    const seen: HttpBody[] = [];
    const origin = await serve((_request, response, body) => {
      seen.push(body);
      response.send(200, {});
    });
    const chunked = await RawSocket.open(origin);
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n';
    await chunked.write(`${head}Transfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n`);
    await chunked.closed;
    const empty = await RawSocket.open(origin);
    await empty.write(`${head}Content-Length: 0\r\n\r\n`);
    await empty.closed;
    expect(seen).toEqual([{ text: 'ab' }, { text: '' }]);
  });

  it('answers requests that come together in the order in which they came', async () => {
    const steps = new Steps();
    const origin = await serve(async (request, response) => {
      if (request.path === '/1') await steps.opened('first');
      response.send(200, {}, `answer to ${request.path} ☃`);
      if (request.path === '/3') steps.open('first');
    });
    const post = (path: string, more = ''): string =>
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n${more}\r\n{}`;
    const socket = await RawSocket.open(origin);
    await socket.write(post('/1') + post('/2') + post('/3', 'Connection: close\r\n'));
    const received = Buffer.from(await socket.closed, 'latin1').toString();
    expect(received.match(/answer to \S+ ☃/g)).toEqual([1, 2, 3].map((n) => `answer to /${n} ☃`));
  });

  it('takes a body that a framework has parsed', async () => {
    let seen: HttpBody | undefined;
    const origin = await serve(
      (_request, response, body) => {
        seen = body;
        response.send(200, {});
      },
      {
        before: async (request) => {
          let text = '';
          for await (const chunk of request) text += chunk;
          request.body = JSON.parse(text);
        },
      },
    );
    await sendTo(origin, { body: '{"a":1}' });
    expect(seen).toEqual({ value: { a: 1 } });
  });

  it.each([
    ['text', (text: string) => text],
    ['bytes', (text: string) => Buffer.from(text)],
  ])('takes a body that a framework has read as %s', async (_kind, shape) => {
    let seen: HttpBody | undefined;
    const origin = await serve(
      (_request, response, body) => {
        seen = body;
        response.send(200, {});
      },
      {
        before: async (request) => {
          let text = '';
          for await (const chunk of request) text += chunk;
          request.body = shape(text);
        },
      },
    );
    await sendTo(origin, { body: '{"a":1}' });
    expect(seen).toEqual({ text: '{"a":1}' });
  });

  it('says at once that a body was read by someone who did not pass it on', async () => {
    const origin = await serve(() => expect.unreachable(), {
      before: async (request) => {
        for await (const _chunk of request);
      },
    });
    const answer = await sendTo(origin, { body: '{}' });
    expect(answer.status).toBe(500);
    expect(String(errors)).toContain('request.body');
  });

  it('sends neither content type nor transfer encoding with an empty answer', async () => {
    const origin = await serve((_request, response) => response.send(202, JSON_TYPE));
    const answer = await sendTo(origin, { body: '{}' });
    expect(answer.status).toBe(202);
    expect(answer.header('content-type')).toBeUndefined();
    expect(answer.header('transfer-encoding')).toBeUndefined();
    expect(answer.header('content-length')).toBe('0');
    expect(await answer.text()).toBe('');
  });

  it('sends the length of a whole answer in bytes', async () => {
    const origin = await serve((_request, response) => response.send(200, JSON_TYPE, '"☃"'));
    const answer = await sendTo(origin, { body: '{}' });
    expect(answer.header('content-length')).toBe('5');
    expect(await answer.text()).toBe('"☃"');
  });

  it('sends an answer in parts as one, with the length of all in bytes', async () => {
    const origin = await serve((_request, response) => {
      response.sendParts?.(200, JSON_TYPE, ['☃', new TextEncoder().encode('☃☃'), '!']);
      response.sendParts?.(500, JSON_TYPE, ['too late']);
    });
    const answer = await sendTo(origin, { body: '{}' });
    expect([answer.status, await answer.text()]).toEqual([200, '☃☃☃!']);
    expect(answer.header('content-length')).toBe('10');
  });

  it('answers a failure with 500 and keeps the detail back', async () => {
    const origin = await serve(async () => {
      throw new Error('secret');
    });
    const answer = await sendTo(origin, { body: '{}' });
    expect(answer.status).toBe(500);
    expect(await answer.text()).not.toContain('secret');
    expect(String(errors)).toContain('secret');
  });

  it('answers with 500 when the caller could not be judged', async () => {
    for (const admit of [
      () => Promise.reject(new Error('down')),
      () => {
        throw new Error('down');
      },
    ]) {
      const origin = await serve(() => expect.unreachable(), { admit });
      expect((await sendTo(origin, { body: '{}' })).status).toBe(500);
    }
  });

  it('cuts a stream off when its handler fails: it must not look complete', async () => {
    const origin = await serve(async (_request, response) => {
      response.stream(200, JSON_TYPE).write('half');
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('secret');
    });
    const answer = await sendTo(origin, { body: '{}' });
    expect(await answer.ending).toBe('cut');
  });
});

describe('the limits of the node adapter', () => {
  it('refuses a body that is declared too long, before it comes', async () => {
    const origin = await serve(() => expect.unreachable(), { limits: { bodyBytes: 100 } });
    const socket = await RawSocket.open(origin);
    await socket.head('POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 101');
    expect(await socket.closed).toContain('larger than 100 bytes');
    expect(socket.status).toBe(413);
  });

  it('refuses a body that turns out too long', async () => {
    const origin = await serve(() => expect.unreachable(), { limits: { bodyBytes: 100 } });
    const socket = await RawSocket.open(origin);
    await socket.head('POST / HTTP/1.1', 'Host: localhost', 'Transfer-Encoding: chunked');
    await socket.write(`60\r\n${'x'.repeat(0x60)}\r\n`);
    await socket.write(`60\r\n${'x'.repeat(0x60)}\r\n`);
    await socket.closed;
    expect(socket.status).toBe(413);
  });

  it('lets the refusal reach a client that is still sending', async () => {
    const origin = await serve(() => expect.unreachable(), { limits: { bodyBytes: 1000 } });
    const answer = await sendTo(origin, { body: Buffer.alloc(5 * 1024 * 1024, 'x') });
    expect(answer.status).toBe(413);
    expect(await answer.text()).toContain('1000 bytes');
  });

  it('accepts a body of exactly the limit', async () => {
    const origin = await serve((_request, response) => response.send(200, {}), {
      limits: { bodyBytes: 100 },
    });
    expect((await sendTo(origin, { body: 'x'.repeat(100) })).status).toBe(200);
  });

  it('gives up on a body that does not come', async () => {
    const origin = await serve(() => expect.unreachable(), { limits: { requestTimeout: 20 } });
    const socket = await RawSocket.open(origin);
    await socket.head('POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 10');
    await socket.write('1');
    await socket.closed;
    expect(socket.status).toBe(408);
  });

  it('gives up on headers that do not come', async () => {
    const limits = { ...DEFAULT_HTTP_LIMITS, requestTimeout: 50 };
    const listener = await listen({ limits, routes: new Map() });
    running.push(listener.server);
    const socket = await RawSocket.open(listener.origin);
    await socket.write('POST / HTTP/1.1\r\nHost: loc');
    await socket.closed;
    expect(socket.status).toBe(408);
  });

  it('starts no clock for a client that left while it was judged', async () => {
    const steps = new Steps();
    const origin = await serve(() => expect.unreachable(), {
      limits: { requestTimeout: 60_000 },
      admit: async () => {
        steps.reach('judging');
        await steps.opened('judged');
        return { principal: undefined };
      },
      before: (request) => void request.on('close', () => steps.reach('closed')),
    });
    const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const socket = await RawSocket.open(origin);
    await socket.head('POST / HTTP/1.1', 'Host: localhost', 'Content-Length: 10');
    await steps.until('judging');
    socket.destroy();
    await steps.until('closed');
    const before = timers();
    steps.open('judged');
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toBe(before);
  });
});

describe('a stream of the node adapter', () => {
  async function open(): Promise<{
    origin: string;
    steps: Steps;
    stream: () => HttpStream;
    gone: () => number;
  }> {
    const steps = new Steps();
    let stream: HttpStream | undefined;
    let gone = 0;
    const origin = await serve((_request, response) => {
      stream = response.stream(200, { 'Content-Type': 'text/event-stream' });
      response.onDisconnect(() => {
        gone += 1;
        steps.reach('gone');
      });
      steps.reach('open');
    });
    return { origin, steps, stream: () => stream as HttpStream, gone: () => gone };
  }

  it('shows its headers before the first event', async () => {
    const { origin, stream, gone } = await open();
    const answer = await sendTo(origin, { method: 'GET' });
    expect(answer.status).toBe(200);
    expect(stream().write('data: a\n\n')).toBe(true);
    expect((await answer.event()).data).toBe('a');
    stream().end();
    expect(await answer.ending).toBe('end');
    expect(stream().write('late')).toBe(false);
    expect(gone()).toBe(0);
  });

  it('hears that the client went away', async () => {
    const { origin, steps, stream, gone } = await open();
    const answer = await sendTo(origin, { method: 'GET' });
    answer.drop();
    await steps.until('gone');
    expect(stream().write('x')).toBe(false);
    stream().end();
    stream().destroy();
    expect(gone()).toBe(1);
  });

  it('tells how much waits for a client that does not read', async () => {
    const { origin, steps, stream } = await open();
    const socket = await RawSocket.open(origin);
    socket.pause();
    await socket.head('GET / HTTP/1.1', 'Host: localhost');
    await steps.until('open');
    const chunk = 'x'.repeat(1024 * 1024);
    for (let index = 0; index < 20; index += 1) stream().write(chunk);
    expect(stream().pending).toBeGreaterThan(10 * 1024 * 1024);
    stream().destroy();
    socket.destroy();
  });

  it('hears of a disconnect at once when it asks too late', async () => {
    const steps = new Steps();
    let gone = 0;
    const origin = await serve(async (_request, response) => {
      response.onDisconnect(() => steps.reach('gone'));
      steps.reach('handling');
      await steps.until('gone');
      response.onDisconnect(() => {
        gone += 1;
      });
      response.send(200, {});
      steps.reach('done');
    });
    const socket = await RawSocket.open(origin);
    await socket.head('GET / HTTP/1.1', 'Host: localhost');
    await steps.until('handling');
    socket.destroy();
    await steps.until('done');
    expect(gone).toBe(1);
    expect(errors).toEqual([]);
  });
});

describe('the listener', () => {
  const route = (handle: Handle): Map<string, ReturnType<typeof createNodeHandler>> => {
    const endpoint: HttpEndpoint = {
      limits: DEFAULT_HTTP_LIMITS,
      headersFor: () => JSON_TYPE,
      admit: () => ({ principal: undefined }),
      handle: (request, _caller, body, response) => handle(request, response, body),
    };
    return new Map([['/mcp', createNodeHandler(endpoint, (error) => errors.push(error))]]);
  };

  it('binds to loopback unless told otherwise', async () => {
    const listener = await listen({ limits: DEFAULT_HTTP_LIMITS, routes: new Map() });
    expect((listener.server.address() as AddressInfo).address).toBe('127.0.0.1');
    expect(listener.origin).toBe(`http://127.0.0.1:${listener.port}`);
    await listener.close(0);
  });

  it('writes an IPv6 address the way URLs want it', async () => {
    const listener = await listen({
      host: '::1',
      limits: DEFAULT_HTTP_LIMITS,
      routes: route((_request, response) => response.send(200, {})),
    });
    expect(listener.origin).toBe(`http://[::1]:${listener.port}`);
    expect((await sendTo(listener.origin, { body: '' })).status).toBe(200);
    await listener.close(0);
  });

  it('answers 404 where nothing is served', async () => {
    const listener = await listen({
      limits: DEFAULT_HTTP_LIMITS,
      routes: route((_request, response) => response.send(200, {})),
    });
    for (const path of ['/', '/mcp/', '/MCP', '//mcp', '/mcp%2f', '/mcp/../mcp/x']) {
      expect((await sendTo(listener.origin, { path, body: '' })).status).toBe(404);
    }
    expect((await sendTo(listener.origin, { path: '/mcp?x=1', body: '' })).status).toBe(200);
    await listener.close(0);
  });

  it('keeps idle connections long enough for clients that think between two calls', async () => {
    const listener = await listen({ limits: DEFAULT_HTTP_LIMITS, routes: new Map() });
    const answer = await fetch(listener.origin);
    await answer.text();
    expect(answer.headers.get('keep-alive')).toBe('timeout=75');
    await listener.close(0);
  });

  it('rejects when the port is taken', async () => {
    const listener = await listen({ limits: DEFAULT_HTTP_LIMITS, routes: new Map() });
    await expect(
      listen({ port: listener.port, limits: DEFAULT_HTTP_LIMITS, routes: new Map() }),
    ).rejects.toMatchObject({
      code: 'EADDRINUSE',
      message: expect.stringMatching(/is in use; .* another port/),
    });
    await listener.close(0);
  });

  it('closes as soon as the last answer is out, also on connections that are kept alive', async () => {
    const steps = new Steps();
    const listener = await listen({
      limits: DEFAULT_HTTP_LIMITS,
      routes: route(async (_request, response) => {
        steps.reach('running');
        await steps.opened('go');
        response.send(200, {});
      }),
    });
    const socket = await RawSocket.open(listener.origin);
    await socket.head('POST /mcp HTTP/1.1', 'Host: localhost', 'Connection: keep-alive', 'Content-Length: 0');
    await steps.until('running');
    const started = performance.now();
    const closed = listener.close(60_000);
    steps.open('go');
    await closed;
    expect(await socket.closed).toContain('200 OK');
    // Keep-alive connections would be kept for 5 seconds.
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});
