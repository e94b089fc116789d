import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import {
  event,
  events,
  json,
  notification,
  open,
  request,
  result,
  type Script,
  scriptedServer,
  statelessRequest,
} from '../../support/scripted-http.js';

const RUNTIMES = [
  ['node:http', {}],
  ['fetch', { fetch: (url: URL, init: RequestInit) => fetch(url, init) }],
] as const;

interface LegacyOptions {
  readonly refusal?: (response: ServerResponse) => void;
  readonly endpoint?: string;
}

/** A server of the first revision: GET opens the stream, messages go to the address that it names. */
function legacyScript(options: LegacyOptions = {}): { script: Script; stream: () => ServerResponse } {
  let stream: ServerResponse | undefined;
  return {
    stream: () => {
      if (stream === undefined) throw new Error('no stream');
      return stream;
    },
    script(seen, response) {
      if (seen.method === 'GET' && seen.path === '/mcp') {
        stream = events(response, `event: endpoint\ndata: ${options.endpoint ?? '/messages?session=1'}\n\n`);
      } else if (seen.method === 'POST' && seen.path.startsWith('/messages')) {
        response.writeHead(202).end('Accepted');
        const { id, method } = seen.message;
        if (id !== undefined && method !== undefined) {
          const value = method === 'initialize' ? { protocolVersion: '2024-11-05' } : { method };
          stream?.write(`event: message\n${event(result(id, value))}`);
        }
      } else if (options.refusal !== undefined) options.refusal(response);
      else response.writeHead(405).end();
    },
  };
}

describe.each(RUNTIMES)('HTTP client meeting HTTP+SSE, over %s', (_, runtime) => {
  for (const status of [400, 404, 405, 406, 415]) {
    it(`falls back when initialize is refused with ${status}`, async () => {
      const legacy = legacyScript({ refusal: (response) => response.writeHead(status).end('no') });
      const server = await scriptedServer(legacy.script);
      const headers = { authorization: 'Bearer t' };
      const { transport, got } = await open({ url: server.url, headers, ...runtime });
      await transport.send(request(1, 'initialize'));
      await got.until(1);
      await transport.send(notification('notifications/initialized'));
      await transport.send(request(2, 'tools/list'));
      await got.until(2);
      expect(got.messages).toEqual([
        { kind: 'result', message: result(1, { protocolVersion: '2024-11-05' }) },
        { kind: 'result', message: result(2, { method: 'tools/list' }) },
      ]);
      expect(server.seen.map(({ method, path }) => `${method} ${path}`)).toEqual([
        'POST /mcp',
        'GET /mcp',
        'POST /messages?session=1',
        'POST /messages?session=1',
        'POST /messages?session=1',
      ]);
      for (const seen of server.seen) {
        expect(seen.headers.authorization).toBe('Bearer t');
        expect(seen.headers).not.toHaveProperty('mcp-protocol-version');
      }
    });
  }

  it('delivers what the server asks, and posts the answers and cancellations', async () => {
    const legacy = legacyScript();
    const server = await scriptedServer(legacy.script);
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'initialize'));
    await got.until(1);
    legacy
      .stream()
      .write(`: ping\n\nevent: message\n${event({ jsonrpc: '2.0', id: 9, method: 'roots/list' })}`);
    await got.until(2);
    expect(got.messages[1]).toMatchObject({ kind: 'request', message: { id: 9 } });
    await transport.send({ jsonrpc: '2.0', id: 9, result: { roots: [] } });
    await transport.send(notification('notifications/cancelled', { requestId: 1 }));
    expect(server.seen.at(-1)?.message).toMatchObject({ method: 'notifications/cancelled' });
  });

  it('ends with the stream', async () => {
    const legacy = legacyScript();
    const server = await scriptedServer(legacy.script);
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'initialize'));
    await got.until(1);
    legacy.stream().end();
    expect(await got.closing).toMatchObject({ kind: 'remote' });
    await expect(transport.send(request(2, 'ping'))).rejects.toMatchObject({ code: 'connection_closed' });
    await expect.poll(() => server.unfinished()).toBe(0);
  });

  it('closes the stream, once', async () => {
    const legacy = legacyScript();
    const server = await scriptedServer(legacy.script);
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'initialize'));
    await got.until(1);
    await transport.close();
    expect(got.reasons).toEqual([{ kind: 'local' }]);
    await expect.poll(() => server.unfinished()).toBe(0);
  });

  it('sends nothing to an address on another origin', async () => {
    const other = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    for (const endpoint of [other.url, 'file:///etc/passwd', 'http://[bad', '//127.0.0.2:1/x']) {
      const server = await scriptedServer(legacyScript({ endpoint }).script);
      const { transport, got } = await open({ url: server.url, ...runtime });
      await transport.send(request(1, 'initialize'));
      expect(got.messages).toMatchObject([{ kind: 'error', id: 1, httpStatus: 405 }]);
      await transport.close();
      await expect.poll(() => server.unfinished()).toBe(0);
    }
    expect(other.seen).toEqual([]);
  });

  it('reports a refused message as its answer, or as a lost session', async () => {
    const legacy = legacyScript();
    const error = { code: -32602, message: 'bad' };
    const server = await scriptedServer((seen, response) => {
      if (seen.message.id === 2) json(response, 400, { jsonrpc: '2.0', id: 2, error });
      else if (seen.message.id === 3) response.writeHead(404).end('gone');
      else legacy.script(seen, response);
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'initialize'));
    await got.until(1);
    await transport.send(request(2, 'ping'));
    expect(got.messages[1]).toEqual({ kind: 'error', id: 2, error, httpStatus: 400 });
    await expect(transport.send(request(3, 'ping'))).rejects.toMatchObject({ code: 'session_lost' });
  });

  const failures = [
    ['answers GET with an error', (response) => response.writeHead(404).end()],
    ['answers GET with a page', (response) => response.end('<p>hello</p>')],
    [
      'opens a stream and sends something else',
      (response) => events(response, event({ jsonrpc: '2.0', method: 'x' })),
    ],
    ['opens a stream and ends it', (response) => events(response, ': x\n\n').end()],
    ['drops the connection', (response) => response.destroy()],
  ] satisfies [string, (response: ServerResponse) => void][];

  for (const [name, get] of failures) {
    it(`reports the first refusal when the server ${name}`, async () => {
      const server = await scriptedServer((seen, response) => {
        if (seen.method === 'GET') get(response);
        else json(response, 400, { jsonrpc: '2.0', id: null, error: { code: -32000, message: 'first' } });
      });
      const { transport, got } = await open({ url: server.url, ...runtime });
      await transport.send(request(1, 'initialize'));
      expect(got.messages).toEqual([
        { kind: 'error', id: 1, error: { code: -32000, message: 'first' }, httpStatus: 400 },
      ]);
      await transport.close();
      await expect.poll(() => server.unfinished()).toBe(0);
    });
  }

  it('asks for authorization when that is what the stream needs', async () => {
    const server = await scriptedServer((seen, response) =>
      response.writeHead(seen.method === 'GET' ? 401 : 404, { 'www-authenticate': 'Bearer' }).end(),
    );
    const { transport } = await open({ url: server.url, ...runtime });
    await expect(transport.send(request(1, 'initialize'))).rejects.toMatchObject({
      code: 'unauthorized',
      wwwAuthenticate: 'Bearer',
    });
  });

  it('does not fall back when told not to, for other methods, and for errors of the stateless era', async () => {
    const error = { code: -32022, message: 'version', data: { supported: ['2026-07-28'] } };
    const server = await scriptedServer((seen, response) => {
      if (seen.message.id === 'modern') json(response, 400, { jsonrpc: '2.0', id: 'modern', error });
      else response.writeHead(405).end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(statelessRequest(1, 'server/discover'));
    await transport.send(request('modern', 'initialize'));
    const strict = await open({ url: server.url, sseFallback: false, ...runtime });
    await strict.transport.send(request(1, 'initialize'));
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
    expect(got.messages).toMatchObject([{ httpStatus: 405 }, { error }]);
    expect(strict.got.messages).toMatchObject([{ kind: 'error', httpStatus: 405 }]);
  });

  it('can be closed in the middle of falling back', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.method === 'GET') events(response, ': nothing yet\n\n');
      else response.writeHead(405).end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    const sent = transport.send(request(1, 'initialize'));
    await server.until(({ method }) => method === 'GET');
    await transport.close();
    await expect(sent).rejects.toMatchObject({ code: 'connection_closed' });
    expect(got.messages).toEqual([]);
    expect(got.reasons).toHaveLength(1);
    await expect.poll(() => server.unfinished()).toBe(0);
  });
});
