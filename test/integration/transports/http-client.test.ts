import { describe, expect, it } from 'vitest';
import { createHttpTransport } from '../../../src/transports/http/client/transport.js';
import { recorder } from '../../support/recorded-messages.js';
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
  statelessRequest,
} from '../../support/scripted-http.js';

const RUNTIMES = [
  ['node:http', {}],
  ['fetch', { fetch: (url: URL, init: RequestInit) => fetch(url, init) }],
] as const;

describe.each(RUNTIMES)('HTTP client over %s', (_, runtime) => {
  it('posts a request and hands the JSON answer on', async () => {
    const server = await scriptedServer((seen, response) =>
      json(response, 200, result(seen.message.id, { ok: true })),
    );
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'ping'));
    expect(got.messages).toEqual([{ kind: 'result', message: result(1, { ok: true }) }]);
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({ method: 'POST', path: '/mcp', body: request(1, 'ping') });
    expect(server.seen[0]?.headers).toMatchObject({
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
    });
  });

  it('takes a message object as well as text', async () => {
    const server = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send({ jsonrpc: '2.0', id: 'ä', method: 'ping', params: { text: 'grün €' } });
    expect(got.messages).toHaveLength(1);
    expect(server.seen[0]?.message).toMatchObject({ id: 'ä', params: { text: 'grün €' } });
  });

  it('hands the events of a stream on in order, then the answer', async () => {
    const progress = {
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 1, progress: 1 },
    };
    const server = await scriptedServer((seen, response) => {
      events(
        response,
        ': hello\n\n',
        event(progress),
        'data: [DONE]\n\n',
        'data:\n\n',
        event(result(seen.message.id)),
      );
      response.end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(statelessRequest(1, 'tools/call', { name: 'x' }));
    expect(got.messages.map(({ kind }) => kind)).toEqual(['notification', 'result']);
    expect(got.faults).toEqual([]);
  });

  it('names version, method and name of stateless requests in headers, and the arguments it is told to', async () => {
    const server = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    const { transport } = await open({ url: server.url, ...runtime });
    const headers = { 'mcp-param-region': 'eu', 'mcp-param-empty': '' };
    await transport.send(statelessRequest(1, 'tools/call', { name: 'sum' }), { headers });
    await transport.send(statelessRequest(2, 'resources/read', { uri: 'file:///a%20b' }));
    await transport.send(statelessRequest(3, 'prompts/get', { name: 'grüße ' }));
    await transport.send(statelessRequest(4, 'tools/list'));
    const named = server.seen.map(({ headers: seen }) => [
      seen['mcp-protocol-version'],
      seen['mcp-method'],
      seen['mcp-name'],
    ]);
    expect(named).toEqual([
      ['2026-07-28', 'tools/call', 'sum'],
      ['2026-07-28', 'resources/read', 'file:///a%20b'],
      ['2026-07-28', 'prompts/get', `=?base64?${Buffer.from('grüße ').toString('base64')}?=`],
      ['2026-07-28', 'tools/list', undefined],
    ]);
    expect(server.seen[0]?.headers).toMatchObject(headers);
    expect(server.seen[1]?.headers).not.toHaveProperty('mcp-param-region');
    for (const { headers: seen } of server.seen) expect(seen).not.toHaveProperty('mcp-session-id');
  });

  it('sends stateless notifications with the headers of the requests before them, and expects no answer', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.message.id === undefined) response.writeHead(202).end();
      else json(response, 200, result(seen.message.id));
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(statelessRequest(1, 'tools/list'));
    await transport.send(notification('notifications/example'));
    expect(server.seen[1]?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'notifications/example',
    });
    expect(got.messages).toHaveLength(1);
  });

  it('cancels a stateless request by closing it, without a message', async () => {
    let closed = (): void => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const server = await scriptedServer((_seen, response) => {
      response.on('close', closed);
      events(response, ': working\n\n');
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    const sent = transport.send(statelessRequest(1, 'tools/call', { name: 'slow' }));
    await server.until(({ message }) => message.id === 1);
    await transport.send(notification('notifications/cancelled', { requestId: 1, reason: 'enough' }));
    await gone;
    await sent;
    expect(server.seen).toHaveLength(1);
    expect(got.messages).toEqual([]);
    // The answer was cancelled twice over: still nothing to send.
    await transport.send(notification('notifications/cancelled', { requestId: 1 }));
    expect(server.seen).toHaveLength(1);
  });

  it('hands nothing on for a stateless request after its answer', async () => {
    const server = await scriptedServer((seen, response) => {
      events(response, event(result(seen.message.id)) + event(result(seen.message.id)));
      response.end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(statelessRequest(1, 'tools/list'));
    await transport.send(statelessRequest(2, 'tools/list'));
    expect(got.messages).toHaveLength(2);
  });

  it('takes an error without an id for the answer to the only request there is', async () => {
    const error = { code: -32600, message: 'no' };
    const server = await scriptedServer((seen, response) => {
      if (seen.message.id === 1) json(response, 200, { jsonrpc: '2.0', id: null, error });
      else events(response, event({ jsonrpc: '2.0', error })).end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'ping'));
    await transport.send(request(2, 'ping'));
    expect(got.messages).toEqual([
      { kind: 'error', id: 1, error },
      { kind: 'error', id: 2, error },
    ]);
  });

  it('lives with a notification that is answered in words', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.body.includes('text')) response.end('ok');
      else json(response, 200, { jsonrpc: '2.0', result: {} });
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(notification('notifications/text'));
    await transport.send(notification('notifications/json'));
    expect(got.messages).toEqual([]);
    expect(got.faults).toEqual([]);
  });

  it('reports an event that is not JSON and reads on', async () => {
    const server = await scriptedServer((seen, response) => {
      events(response, 'data: oops\n\n', event(result(seen.message.id))).end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(request(1, 'ping'));
    expect(got.messages).toHaveLength(1);
    expect(got.faults).toMatchObject([{ kind: 'noise', sample: 'oops' }]);
  });

  it('waits for all answers to a batch', async () => {
    const server = await scriptedServer((_seen, response) => {
      events(response, event([result(1), result(2)])).end();
    });
    const { transport, got } = await open({ url: server.url, ...runtime });
    await transport.send(`[${request(1, 'ping')},${request(2, 'ping')}]`);
    expect(got.messages).toMatchObject([{ kind: 'batch', items: [{ id: 1 }, { id: 2 }] }]);
  });

  it('refuses an answer that is too large, as a body and as an event, and goes on', async () => {
    const server = await scriptedServer((seen, response) => {
      const big = result(seen.message.id, { text: 'x'.repeat(5_000) });
      if (seen.message.id === 1) json(response, 200, big);
      else if (seen.message.id === 2) events(response, event(big)).end();
      else json(response, 200, result(seen.message.id));
    });
    const { transport, got } = await open({ url: server.url, maxBodyBytes: 1_000, ...runtime });
    for (const id of [1, 2]) {
      await expect(transport.send(request(id, 'ping'))).rejects.toMatchObject({
        code: 'too_large',
        mayHaveActed: true,
      });
    }
    await transport.send(request(3, 'ping'));
    expect(got.messages).toMatchObject([{ message: { id: 3 } }]);
    expect(got.faults).toMatchObject([{ kind: 'oversize' }]);
  });

  it('sends the user headers with every request, but none that are the protocol’s own', async () => {
    const server = await scriptedServer(handshakeScript(() => false));
    const headers = {
      Authorization: 'Bearer t',
      'X-Team': 'a',
      Accept: 'text/html',
      'Mcp-Session-Id': 'forged',
    };
    const opened = await open({ url: server.url, headers, ...runtime });
    await shakeHands(opened);
    await server.until(({ method }) => method === 'GET');
    await opened.transport.close();
    expect(server.seen.map(({ method }) => method)).toEqual(['POST', 'POST', 'GET', 'DELETE']);
    for (const { headers: seen } of server.seen) {
      expect(seen).toMatchObject({ authorization: 'Bearer t', 'x-team': 'a' });
      expect(seen.accept).not.toBe('text/html');
      expect(seen['mcp-session-id']).not.toBe('forged');
    }
  });

  it('asks a header function before every request, and sends nothing when it fails', async () => {
    const server = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    let count = 0;
    const headers = async (): Promise<Record<string, string>> => {
      count += 1;
      if (count === 3) throw new Error('no token');
      return { 'x-count': String(count) };
    };
    const { transport } = await open({ url: server.url, headers, ...runtime });
    await transport.send(request(1, 'ping'));
    await transport.send(request(2, 'ping'));
    await expect(transport.send(request(3, 'ping'))).rejects.toThrow(/headers function failed.*no token/);
    expect(server.seen.map(({ headers: seen }) => seen['x-count'])).toEqual(['1', '2']);
  });

  it('keeps credentials in the URL out of its label and sends them as a header', async () => {
    const server = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    const url = new URL(server.url);
    [url.username, url.password, url.search] = ['jö', 'p@ss', '?key=secret'];
    const { transport } = await open({ url, ...runtime });
    await transport.send(request(1, 'ping'));
    expect(transport.label).toBe(server.url);
    expect(server.seen[0]?.headers.authorization).toBe(`Basic ${Buffer.from('jö:p@ss').toString('base64')}`);
    expect(server.seen[0]?.path).toBe('/mcp?key=secret');
  });

  it('closes once, rejects what is under way, and sends nothing afterwards', async () => {
    const server = await scriptedServer((_seen, response) => events(response, ': open\n\n'));
    const { transport, got } = await open({ url: server.url, ...runtime });
    const sent = transport.send(statelessRequest(1, 'tools/list'));
    await server.until(() => true);
    await Promise.all([transport.close(), transport.close()]);
    await expect(sent).rejects.toMatchObject({ code: 'connection_closed' });
    await expect(transport.send(request(2, 'ping'))).rejects.toMatchObject({ code: 'connection_closed' });
    expect(got.reasons).toEqual([{ kind: 'local' }]);
    await transport.close();
    expect(got.reasons).toHaveLength(1);
    expect(server.seen).toHaveLength(1);
  });

  it('is used once', async () => {
    const { transport } = await open({ url: 'http://127.0.0.1:1/mcp', ...runtime });
    await expect(transport.start(recorder())).rejects.toMatchObject({ code: 'already_started' });
    await transport.close();
    await expect(transport.start(recorder())).rejects.toMatchObject({ code: 'already_started' });
  });

  it('does not open when it is closed before', async () => {
    const transport = createHttpTransport({ url: 'http://127.0.0.1:1/mcp', ...runtime });
    const got = recorder();
    const starting = transport.start(got);
    await transport.close();
    await expect(starting).rejects.toMatchObject({ code: 'connection_closed' });
    expect(got.reasons).toEqual([]);
  });

  it('closes when the signal fires', async () => {
    const controller = new AbortController();
    const { got } = await open({ url: 'http://127.0.0.1:1/mcp', signal: controller.signal, ...runtime });
    controller.abort();
    expect(await got.closing).toEqual({ kind: 'local' });
  });

  it('gives up on a server that does not begin to answer, when told how long to wait', async () => {
    const server = await scriptedServer(() => {});
    // Long enough for the request to leave on a busy machine: before that, nothing could have acted.
    const { transport } = await open({ url: server.url, headTimeout: 2000, ...runtime });
    await expect(transport.send(request(1, 'ping'))).rejects.toMatchObject({
      code: 'network',
      mayHaveActed: true,
    });
  });
});

describe('HTTP client on Node', () => {
  it('reuses connections, and leaves none behind', async () => {
    const server = await scriptedServer((seen, response) => {
      if (seen.message.method === 'stream') {
        events(response, event(result(seen.message.id)));
        response.end();
      } else json(response, 200, result(seen.message.id));
    });
    const { transport, got } = await open({ url: server.url });
    for (let id = 1; id <= 20; id += 2) {
      await transport.send(statelessRequest(id, 'ping'));
      await transport.send(statelessRequest(id + 1, 'stream'));
    }
    expect(got.messages).toHaveLength(20);
    expect(await server.connections()).toBeLessThanOrEqual(2);
    await transport.close();
    await expect.poll(() => server.connections()).toBe(0);
  });

  it('cuts a stream that the server leaves open behind the answer', async () => {
    const server = await scriptedServer((seen, response) => events(response, event(result(seen.message.id))));
    const { transport } = await open({ url: server.url });
    await transport.send(statelessRequest(1, 'tools/list'));
    expect(await server.connections()).toBe(1);
    await expect.poll(() => server.connections()).toBe(0);
  });

  it('leaves no timer or socket that would keep the process alive', async () => {
    const before = process.getActiveResourcesInfo();
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        if (seen.method !== 'GET') return false;
        events(response, event({ jsonrpc: '2.0', method: 'notifications/message', params: {} }, 'e1'));
        return true;
      }),
    );
    const opened = await open({ url: server.url });
    await shakeHands(opened);
    await opened.got.until(2);
    await opened.transport.close();
    await server.close();
    const left = (): string[] => {
      const now = [...process.getActiveResourcesInfo()];
      for (const kind of before) {
        if (now.includes(kind)) now.splice(now.indexOf(kind), 1);
      }
      return now.filter((kind) => /TCP|TLS|Timeout/.test(kind));
    };
    await expect.poll(left).toEqual([]);
  });

  it('says who it is', async () => {
    const server = await scriptedServer((seen, response) => json(response, 200, result(seen.message.id)));
    const { transport } = await open({ url: server.url });
    await transport.send(request(1, 'ping'));
    expect(server.seen[0]?.headers['user-agent']).toMatch(/^plumb-mcp\/\d/);
  });

  it('refuses what is no URL at once', () => {
    expect(() => createHttpTransport({ url: 'nonsense' })).toThrow(TypeError);
  });
});
