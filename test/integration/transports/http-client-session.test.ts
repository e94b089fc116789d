import { describe, expect, it } from 'vitest';
import {
  event,
  events,
  handshakeScript,
  json,
  notification,
  open,
  request,
  result,
  scriptedServer,
  shakeHands,
} from '../../support/scripted-http.js';

describe('HTTP client in a session', () => {
  it('sends the session id and the agreed version with everything after initialize', async () => {
    const server = await scriptedServer(handshakeScript(() => false));
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'tools/list'));
    await server.until(({ method }) => method === 'GET');
    await opened.transport.close();
    const [initialize, ...rest] = server.seen;
    expect(initialize?.headers).not.toHaveProperty('mcp-session-id');
    expect(initialize?.headers).not.toHaveProperty('mcp-protocol-version');
    expect(rest.map(({ method }) => method).sort()).toEqual(['DELETE', 'GET', 'POST', 'POST']);
    for (const { headers } of rest) {
      expect(headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-11-25' });
      expect(headers).not.toHaveProperty('mcp-method');
    }
  });

  it('sends no version header in the revision that has none', async () => {
    const server = await scriptedServer(handshakeScript(() => false, { version: '2025-03-26' }));
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'tools/list'));
    for (const { headers } of server.seen) expect(headers).not.toHaveProperty('mcp-protocol-version');
  });

  it('works with a server that issues no session, and deletes none', async () => {
    const server = await scriptedServer(handshakeScript(() => false, { session: undefined }));
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'tools/list'));
    await server.until(({ method }) => method === 'GET');
    await opened.transport.close();
    expect(server.seen.map(({ method }) => method)).not.toContain('DELETE');
    for (const { headers } of server.seen) expect(headers).not.toHaveProperty('mcp-session-id');
  });

  it('reads session and version from an answer that comes as a stream', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.message.method !== 'initialize') return false;
        response.setHeader('Mcp-Session-Id', 'streamed');
        events(response, event(result(seen.message.id, { protocolVersion: '2025-06-18' }))).end();
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'tools/list'));
    expect(server.seen.at(-1)?.headers).toMatchObject({
      'mcp-session-id': 'streamed',
      'mcp-protocol-version': '2025-06-18',
    });
  });

  it('lets nothing overtake the message that ends the handshake', async () => {
    let accept = (): void => {};
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.message.method !== 'notifications/initialized') return false;
        accept = () => response.writeHead(202).end();
        return true;
      }),
    );
    const { transport, got } = await open({ url: server.url });
    await transport.send(request('init', 'initialize'));
    const initialized = transport.send(notification('notifications/initialized'));
    const listed = transport.send(request(2, 'tools/list'));
    const another = transport.send(request(3, 'tools/list'));
    await server.until(({ message }) => message.method === 'notifications/initialized');
    expect(server.seen).toHaveLength(2);
    accept();
    await Promise.all([initialized, listed, another]);
    const posts = server.seen.filter(({ method }) => method === 'POST');
    expect(posts.map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
      'tools/list',
      'tools/list',
    ]);
    expect(got.messages).toHaveLength(3);
  });

  it('opens the server’s own stream before it sends requests, which may bring questions there', async () => {
    let answer = (): void => {};
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.method !== 'GET') return false;
        answer = () => events(response, ': open\n\n');
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    const listed = opened.transport.send(request(2, 'tools/list'));
    await server.until(({ method }) => method === 'GET');
    // Time for what was sent too early to arrive.
    await fetch(server.url, { method: 'POST', body: notification('notifications/unrelated') });
    expect(server.seen.map(({ message }) => message.method)).not.toContain('tools/list');
    answer();
    await listed;
  });

  it('does not wait for ever for the stream of a server that answers only when it has an event', async () => {
    const server = await scriptedServer(handshakeScript(({ method }) => method === 'GET'));
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'tools/list'));
    expect(server.seen.map(({ message }) => message.method)).toContain('tools/list');
  });

  it('opens the gate at the first word of a server that streams its answer to a notification', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.message.method !== 'notifications/initialized') return false;
        events(response, ': never ends\n\n');
        return true;
      }),
    );
    const { transport } = await open({ url: server.url });
    await transport.send(request('init', 'initialize'));
    void transport.send(notification('notifications/initialized'));
    await transport.send(request(2, 'tools/list'));
  });

  it('receives requests on the server’s own stream and posts the answers', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.method !== 'GET') return false;
        events(response, event({ jsonrpc: '2.0', id: 'q', method: 'roots/list' }));
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.got.until(2);
    expect(opened.got.messages[1]).toMatchObject({ kind: 'request', message: { method: 'roots/list' } });
    expect(server.seen.find(({ method }) => method === 'GET')?.headers.accept).toBe('text/event-stream');
    await opened.transport.send({ jsonrpc: '2.0', id: 'q', result: { roots: [] } });
    expect(server.seen.at(-1)?.message).toEqual({ jsonrpc: '2.0', id: 'q', result: { roots: [] } });
  });

  it('takes the answer to a request from the server’s own stream as well', async () => {
    let answer = (_id: unknown): void => {};
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.method === 'GET') {
          events(response, ': open\n\n');
          answer = (id) => response.write(event(result(id as number)));
          return true;
        }
        if (seen.message.method !== 'tools/list') return false;
        response.writeHead(202).end();
        answer(seen.message.id);
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await server.until(({ method }) => method === 'GET');
    await opened.transport.send(request(2, 'tools/list'));
    await opened.got.until(2);
    expect(opened.got.messages[1]).toMatchObject({ kind: 'result', message: { id: 2 } });
  });

  for (const status of [400, 404, 405, 409, 500]) {
    it(`does without a stream when the server refuses it with ${status}`, async () => {
      const server = await scriptedServer(
        handshakeScript((seen, response) => {
          if (seen.method !== 'GET') return false;
          response.writeHead(status).end('no');
          return true;
        }),
      );
      const opened = await open({ url: server.url });
      await shakeHands(opened);
      await server.until(({ method }) => method === 'GET');
      for (let id = 2; id < 6; id += 1) await opened.transport.send(request(id, 'tools/list'));
      expect(server.seen.filter(({ method }) => method === 'GET')).toHaveLength(1);
      expect(opened.got.faults).toEqual([]);
    });
  }

  it('opens no stream when told not to', async () => {
    const server = await scriptedServer(handshakeScript(() => false));
    const opened = await open({ url: server.url, openStream: false });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'tools/list'));
    await opened.transport.close();
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST', 'DELETE']);
  });

  it('comes back to a stream that drops, from the last event that arrived', async () => {
    let opens = 0;
    const note = (n: number): unknown => ({ jsonrpc: '2.0', method: 'notifications/message', params: { n } });
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.method !== 'GET') return false;
        opens += 1;
        if (opens === 2) response.writeHead(503).end();
        else {
          const stream = events(response, `retry: 1\n\n${event(note(opens), `e${opens}`)}`);
          if (opens < 4) stream.end();
        }
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.got.until(4);
    const gets = server.seen.filter(({ method }) => method === 'GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1', 'e1', 'e3']);
    for (const { headers } of gets) expect(headers['mcp-session-id']).toBe('session-1');
  });

  it('posts a cancellation, and lets go of the request that the server then never answers', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.message.method !== 'slow') return false;
        events(response, ': working\n\n');
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    const sent = opened.transport.send(request(2, 'slow'));
    await server.until(({ message }) => message.method === 'slow');
    await opened.transport.send(notification('notifications/cancelled', { requestId: 2 }));
    await sent;
    expect(server.seen.at(-1)?.message.method).toBe('notifications/cancelled');
    expect(opened.got.messages).toHaveLength(1);
  });

  it('ends the session on close, whatever the server says to it', async () => {
    for (const status of [200, 404, 405, 500]) {
      const server = await scriptedServer(
        handshakeScript((seen, response) => {
          if (seen.method !== 'DELETE') return false;
          response.writeHead(status).end('x');
          return true;
        }),
      );
      const opened = await open({ url: server.url });
      await shakeHands(opened);
      await opened.transport.close();
      expect(server.seen.at(-1)).toMatchObject({
        method: 'DELETE',
        headers: { 'mcp-session-id': 'session-1' },
      });
      expect(opened.got.reasons).toEqual([{ kind: 'local' }]);
    }
  });

  it('does not wait for ever for a server that never confirms the end of the session', async () => {
    const server = await scriptedServer(handshakeScript((seen) => seen.method === 'DELETE'));
    const opened = await open({ url: server.url, closeTimeout: 20 });
    await shakeHands(opened);
    await opened.transport.close();
    await expect.poll(() => server.connections()).toBe(0);
  });
});

describe('HTTP client that loses its session', () => {
  const losses = [
    ['404 without a body', (response) => response.writeHead(404).end()],
    [
      '404 with a JSON-RPC error',
      (response) =>
        json(response, 404, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32001, message: 'Session not found' },
        }),
    ],
    [
      '400 that speaks of the session',
      (response) =>
        json(response, 400, {
          jsonrpc: '2.0',
          id: null,
          error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
        }),
    ],
    ['400 that says so in plain text', (response) => response.writeHead(400).end('Invalid session')],
  ] satisfies [string, (response: Parameters<typeof json>[0]) => void][];

  for (const [name, lose] of losses) {
    it(`says so on ${name}, and starts the next handshake without the old session`, async () => {
      let sessions = 0;
      const server = await scriptedServer(
        handshakeScript((seen, response) => {
          if (seen.message.method === 'initialize') {
            sessions += 1;
            response.setHeader('mcp-session-id', `s${sessions}`);
            json(response, 200, result(seen.message.id, { protocolVersion: '2025-11-25' }));
            return true;
          }
          if (seen.message.method !== 'tools/list' || seen.headers['mcp-session-id'] !== 's1') return false;
          lose(response);
          return true;
        }),
      );
      const opened = await open({ url: server.url });
      await shakeHands(opened);
      await expect(opened.transport.send(request(2, 'tools/list'))).rejects.toMatchObject({
        code: 'session_lost',
        mayHaveActed: false,
      });
      await opened.transport.send(request('again', 'initialize'));
      const again = server.seen.findLast(({ message }) => message.method === 'initialize');
      expect(again?.headers).not.toHaveProperty('mcp-session-id');
      await opened.transport.send(request(3, 'tools/list'));
      expect(server.seen.at(-1)?.headers['mcp-session-id']).toBe('s2');
      expect(opened.got.messages).toHaveLength(3);
    });
  }

  it('sends nothing more without a session until a handshake succeeds', async () => {
    let broken = false;
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (!broken || seen.method !== 'POST') return false;
        response.writeHead(seen.message.method === 'initialize' ? 503 : 404).end();
        return true;
      }),
    );
    const opened = await open({ url: server.url, openStream: false });
    await shakeHands(opened);
    broken = true;
    const lost = { code: 'session_lost' };
    await expect(opened.transport.send(request(2, 'tools/list'))).rejects.toMatchObject(lost);
    await expect(opened.transport.send(request(3, 'tools/list'))).rejects.toMatchObject(lost);
    await expect(opened.transport.send(request('i', 'initialize'))).rejects.toMatchObject({ status: 503 });
    await expect(opened.transport.send(request(4, 'tools/list'))).rejects.toMatchObject(lost);
    expect(server.seen.filter(({ message }) => message.method === 'tools/list')).toHaveLength(1);
    broken = false;
    await opened.transport.send(request('j', 'initialize'));
    await opened.transport.send(request(5, 'tools/list'));
  });

  it('keeps the new session when an answer for the old one comes late', async () => {
    let late = (): void => {};
    let sessions = 0;
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.message.method === 'initialize') {
          sessions += 1;
          response.setHeader('mcp-session-id', `s${sessions}`);
          json(response, 200, result(seen.message.id, { protocolVersion: '2025-11-25' }));
          return true;
        }
        if (seen.message.method !== 'slow') return false;
        late = () => response.writeHead(404).end();
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    const slow = opened.transport.send(request(2, 'slow'));
    await server.until(({ message }) => message.method === 'slow');
    await opened.transport.send(request('again', 'initialize'));
    late();
    await expect(slow).rejects.toMatchObject({ code: 'session_lost' });
    await opened.transport.send(request(3, 'tools/list'));
    expect(server.seen.at(-1)?.headers['mcp-session-id']).toBe('s2');
  });

  it('does not take an unknown method, or a refusal without a session, for the loss of one', async () => {
    const error = { code: -32601, message: 'Method not found' };
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.message.method !== 'nonsense') return false;
        json(response, 404, { jsonrpc: '2.0', id: seen.message.id, error });
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.transport.send(request(2, 'nonsense'));
    expect(opened.got.messages[1]).toEqual({ kind: 'error', id: 2, error, httpStatus: 404 });
    await opened.transport.send(request(3, 'tools/list'));
    expect(server.seen.at(-1)?.headers['mcp-session-id']).toBe('session-1');
  });
});
