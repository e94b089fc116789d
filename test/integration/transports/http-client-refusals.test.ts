import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  event,
  events,
  json,
  notification,
  open,
  rawServer,
  request,
  result,
  scriptedServer,
  statelessRequest,
} from '../../support/scripted-http.js';

const RUNTIMES = [
  ['node:http', {}],
  ['fetch', { fetch: (url: URL, init: RequestInit) => fetch(url, init) }],
] as const;

describe.each(RUNTIMES)('HTTP client refused, over %s', (_, runtime) => {
  for (const status of [400, 404, 405, 406, 413, 415, 422, 500, 503]) {
    it(`hands a JSON-RPC error with status ${status} on as the answer, whatever id it names`, async () => {
      const error = { code: -32022, message: 'no', data: { supported: ['x'] } };
      const server = await scriptedServer((_seen, response) =>
        json(response, status, { jsonrpc: '2.0', id: null, error }),
      );
      const { transport, got } = await open({ url: server.url, ...runtime });
      await transport.send(statelessRequest(7, 'server/discover'));
      expect(got.messages).toEqual([{ kind: 'error', id: 7, error, httpStatus: status }]);
    });
  }

  for (const status of [400, 404, 405, 410, 422]) {
    it(`makes an error of a ${status} without one, with what the page says`, async () => {
      const page =
        '<html><style>p { color: red }</style><body><h1>Not here</h1>\n<p>Try elsewhere</p></body></html>';
      const server = await scriptedServer((_seen, response) =>
        response.writeHead(status, { 'content-type': 'text/html' }).end(page),
      );
      const { transport, got } = await open({ url: server.url, ...runtime });
      await transport.send(statelessRequest(1, 'server/discover'));
      const message = `HTTP ${status}: Not here Try elsewhere`;
      expect(got.messages).toEqual([
        { kind: 'error', id: 1, error: { code: -32000, message }, httpStatus: status },
      ]);
    });
  }

  it('rejects with the challenge on 401 and 403, whatever the body says', async () => {
    const server = await scriptedServer((seen, response) => {
      const status = seen.message.id === 1 ? 401 : 403;
      const error = { code: -32022, message: 'sneaky', data: { supported: [] } };
      json(response, status, { jsonrpc: '2.0', id: null, error }, { 'www-authenticate': 'Bearer scope="a"' });
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    for (const [id, code, status] of [
      [1, 'unauthorized', 401],
      [2, 'forbidden', 403],
    ] as const) {
      await expect(transport.send(statelessRequest(id, 'server/discover'))).rejects.toMatchObject({
        code,
        status,
        wwwAuthenticate: 'Bearer scope="a"',
        mayHaveActed: false,
      });
    }
    expect(got.messages).toEqual([]);
  });

  it('rejects with the wait that the server asks for on 429', async () => {
    const server = await scriptedServer((_seen, response) =>
      response.writeHead(429, { 'retry-after': '3' }).end('slow down'),
    );
    const { transport } = await open({ url: server.url, ...runtime });
    await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({
      code: 'http_status',
      status: 429,
      retryAfterMs: 3_000,
      mayHaveActed: false,
    });
  });

  for (const status of [500, 502, 503]) {
    it(`rejects on ${status} without a JSON-RPC error`, async () => {
      const server = await scriptedServer((_seen, response) => response.writeHead(status).end('<b>Oops</b>'));
      const { transport, got } = await open({ url: server.url, ...runtime });
      await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({
        code: 'http_status',
        status,
        mayHaveActed: true,
        message: expect.stringContaining('Oops'),
      });
      expect(got.messages).toEqual([]);
    });
  }

  it('rejects a notification that is refused, and nothing happens when nobody looks', async () => {
    const error = { code: -32600, message: 'what is that' };
    const server = await scriptedServer((_seen, response) => json(response, 400, { jsonrpc: '2.0', error }));
    const { transport, got } = await open({ url: server.url, ...runtime });
    void transport.send(notification('notifications/x'));
    await expect(transport.send(notification('notifications/x'))).rejects.toMatchObject({
      code: 'http_status',
      status: 400,
      message: expect.stringContaining('what is that'),
    });
    expect(got.messages).toEqual([]);
  });

  it('rejects a success that is no MCP answer', async () => {
    const server = await scriptedServer((seen, response) => {
      const { id } = seen.message;
      if (id === 1) response.end('<html>Welcome to the hotel</html>');
      else if (id === 2) json(response, 200, result('other'));
      else if (id === 3) response.writeHead(202).end();
      else response.writeHead(200).end();
    });
    const { transport } = await open({ url: server.url, ...runtime });
    for (const id of [1, 2, 3, 4]) {
      await expect(transport.send(statelessRequest(id, 'tools/list'))).rejects.toMatchObject({
        code: 'http_status',
        mayHaveActed: true,
        ...(id === 1 ? { message: expect.stringContaining('Welcome to the hotel') } : {}),
      });
    }
  });

  it('does not wait for the end of a stream that comes with an error status', async () => {
    const server = await scriptedServer((_seen, response) => {
      response.writeHead(400, { 'content-type': 'text/event-stream' });
      response.end(event({ jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } }));
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'ping'));
    expect(got.messages).toMatchObject([{ kind: 'error', id: 1, httpStatus: 400 }]);
  });

  it('rejects when nobody listens, certain that nothing was done', async () => {
    const port = await closedPort();
    const { transport } = await open({ url: `http://127.0.0.1:${port}/mcp`, ...runtime });
    await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({
      code: 'network',
      mayHaveActed: false,
    });
  });

  it('rejects when the connection breaks before the answer, and does not know what was done', async () => {
    const url = await rawServer((_request, socket) => socket.destroy());
    const { transport } = await open({ url, ...runtime });
    await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({
      code: 'network',
      mayHaveActed: true,
    });
  });

  it('rejects what is no HTTP', async () => {
    const url = await rawServer((_request, socket) => socket.end('SSH-2.0-OpenSSH_9.6\r\n'));
    const { transport } = await open({ url, ...runtime });
    await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({ code: 'network' });
  });

  it('rejects a header that no request may have, and goes on', async () => {
    const server = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    const { transport } = await open({ url: server.url, ...runtime });
    const headers = { 'mcp-param-x': 'a\r\nb: c' };
    await expect(
      transport.send(statelessRequest(1, 'tools/call', { name: 'x' }), { headers }),
    ).rejects.toMatchObject({
      code: 'network',
    });
    await transport.send(statelessRequest(2, 'tools/list'));
    expect(server.seen).toHaveLength(1);
  });
});

describe.each(RUNTIMES)('HTTP client redirected, over %s', (_, runtime) => {
  it('follows a redirect on the same origin with message and headers, and remembers a permanent one', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.path === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
      else json(response, 200, result(seen.message.id));
    });
    const { transport, got } = await open({
      url: server.url,
      headers: { authorization: 'Bearer t' },
      ...runtime,
    });
    await transport.send(request(1, 'ping'));
    await transport.send(request(2, 'ping'));
    expect(got.messages).toHaveLength(2);
    expect(server.seen.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp/']);
    expect(server.seen[1]).toMatchObject({
      body: request(1, 'ping'),
      headers: { authorization: 'Bearer t' },
    });
  });

  it('asks at the old place again after a temporary one', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.path === '/mcp') response.writeHead(307, { location: 'mcp/' }).end();
      else events(response, event(result(seen.message.id))).end();
    });
    const { transport } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'ping'));
    await transport.send(request(2, 'ping'));
    expect(server.seen.map(({ path }) => path)).toEqual(['/mcp', '/mcp/', '/mcp', '/mcp/']);
  });

  it('sends nothing to another origin', async () => {
    const other = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    for (const status of [301, 302, 303, 307, 308]) {
      const server = await scriptedServer((_seen, response) =>
        response.writeHead(status, { location: other.url }).end(),
      );
      const { transport } = await open({
        url: server.url,
        headers: { authorization: 'Bearer t' },
        ...runtime,
      });
      await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({
        code: 'http_status',
        mayHaveActed: false,
      });
    }
    expect(other.seen).toEqual([]);
  });

  it('does not turn a message into a GET, nor run in circles', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.message.id === 1) response.writeHead(302, { location: '/login' }).end();
      else if (seen.message.id === 2) response.writeHead(307, { location: '/mcp' }).end();
      else response.writeHead(307).end();
    });
    const { transport } = await open({ url: server.url, ...runtime });
    for (const id of [1, 2, 3]) {
      await expect(transport.send(request(id, 'ping'))).rejects.toMatchObject({ code: 'http_status' });
    }
    expect(server.seen.every(({ method }) => method === 'POST')).toBe(true);
    expect(server.seen.filter(({ message }) => message.id === 2)).toHaveLength(4);
  });
});

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
