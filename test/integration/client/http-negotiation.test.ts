import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { EraVerdicts } from '../../../src/client/connection/era-verdicts.js';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import {
  events,
  handshakeScript,
  json,
  rawServer,
  result,
  type Script,
  type ScriptedServer,
  type SeenRequest,
  scriptedServer,
} from '../../support/scripted-http.js';

const STATELESS = '2026-07-28';
const LATEST_HANDSHAKE = '2025-11-25';

async function connected(url: string, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(url, { initTimeout: 2_000, ...options });
  onTestFinished(() => client.close());
  return client;
}

/** The client does not wait for the end of the handshake to arrive. */
function initialized(server: ScriptedServer): Promise<unknown> {
  return server.until(({ message }) => message.method === 'notifications/initialized');
}

function methods(server: ScriptedServer): (string | undefined)[] {
  return server.seen.filter(({ method }) => method === 'POST').map(({ message }) => message.method);
}

function refusal(response: ServerResponse, status: number, error: unknown): void {
  json(response, status, { jsonrpc: '2.0', id: null, error });
}

/** A server of the handshake era that treats the probe as the test says. */
function older(probed: (seen: SeenRequest, response: ServerResponse) => void): Script {
  return handshakeScript((seen, response) => {
    if (seen.message.method !== 'server/discover') return false;
    probed(seen, response);
    return true;
  });
}

function modern(own: (seen: SeenRequest, response: ServerResponse) => boolean = () => false): Script {
  return (seen, response) => {
    if (own(seen, response)) return;
    const { id, method } = seen.message;
    if (seen.method !== 'POST') response.writeHead(405).end();
    else if (method === 'server/discover') {
      const value = { resultType: 'complete', supportedVersions: [STATELESS], capabilities: { tools: {} } };
      json(response, 200, result(id, value));
    } else if (method === 'tools/list')
      json(response, 200, result(id, { resultType: 'complete', tools: [] }));
    else refusal(response, 404, { code: -32601, message: 'Method not found' });
  };
}

describe('negotiation over HTTP', () => {
  it('finds a stateless server with one request, and speaks to it without a session', async () => {
    const server = await scriptedServer(modern());
    const client = await connected(server.url);
    expect(client.revision).toBe(STATELESS);
    await client.tools.list();
    await client.close();
    expect(server.seen.map(({ method, message }) => `${method} ${message.method}`)).toEqual([
      'POST server/discover',
      'POST tools/list',
    ]);
    for (const { headers, message } of server.seen) {
      expect(headers).toMatchObject({ 'mcp-protocol-version': STATELESS, 'mcp-method': message.method });
    }
  });

  const refusals: [string, (seen: SeenRequest, response: ServerResponse) => void][] = [
    [
      '400 and free text in a JSON-RPC error',
      (_, response) =>
        refusal(response, 400, { code: -32000, message: 'Bad Request: No valid session ID provided' }),
    ],
    ['400 and -32601', (_, response) => refusal(response, 400, { code: -32601, message: 'x' })],
    ['200 and -32601', (_, response) => refusal(response, 200, { code: -32601, message: 'x' })],
    ['404 and -32601', (_, response) => refusal(response, 404, { code: -32601, message: 'x' })],
    ['500 and -32603', (_, response) => refusal(response, 500, { code: -32603, message: 'Internal error' })],
    [
      '400 and -32022 that names handshake revisions',
      (_, response) =>
        refusal(response, 400, {
          code: -32022,
          message: 'x',
          data: { supported: ['2025-06-18', '2025-11-25'] },
        }),
    ],
    [
      '400 and -32022 that names nothing',
      (_, response) => refusal(response, 400, { code: -32022, message: 'x' }),
    ],
    ['400 and an empty body', (_, response) => response.writeHead(400).end()],
    [
      '404 and a page',
      (_, response) => response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not Found</h1>'),
    ],
    ['405', (_, response) => response.writeHead(405).end()],
    ['202 and nothing else', (_, response) => response.writeHead(202).end()],
    ['200 and an empty result', (seen, response) => json(response, 200, result(seen.message.id))],
    [
      '200 and a list of handshake revisions',
      (seen, response) =>
        json(
          response,
          200,
          result(seen.message.id, { supportedVersions: ['2025-06-18', '2025-11-25'], capabilities: {} }),
        ),
    ],
  ];

  for (const [name, probed] of refusals) {
    it(`shakes hands after ${name}`, async () => {
      const server = await scriptedServer(older(probed));
      const client = await connected(server.url);
      expect(client.revision).toBe(LATEST_HANDSHAKE);
      await initialized(server);
      expect(methods(server)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(server.seen[1]?.headers).not.toHaveProperty('mcp-method');
    });
  }

  it('stays stateless when the server names another version, and asks with that', async () => {
    let asked = 0;
    const server = await scriptedServer(
      modern((seen, response) => {
        if (seen.message.method !== 'server/discover' || asked > 0) return false;
        asked += 1;
        refusal(response, 400, { code: -32022, message: 'x', data: { supported: [STATELESS] } });
        return true;
      }),
    );
    expect((await connected(server.url)).revision).toBe(STATELESS);
    expect(methods(server)).toEqual(['server/discover', 'server/discover']);
  });

  const failures: [string, (response: ServerResponse) => void, object][] = [
    [
      '401',
      (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
      { code: 'unauthorized', wwwAuthenticate: 'Bearer' },
    ],
    [
      '401 with a JSON-RPC error',
      (response) => refusal(response, 401, { code: -32000, message: 'x' }),
      { code: 'unauthorized' },
    ],
    ['403', (response) => response.writeHead(403).end(), { code: 'forbidden' }],
    ['429', (response) => response.writeHead(429).end(), { code: 'http_status', status: 429 }],
    [
      '500 without a JSON-RPC error',
      (response) => response.writeHead(500).end('oops'),
      { code: 'http_status', status: 500 },
    ],
    ['503', (response) => response.writeHead(503).end(), { code: 'http_status', status: 503 }],
    [
      'a redirect to another origin',
      (response) => response.writeHead(307, { location: 'http://127.0.0.2:1/' }).end(),
      { code: 'http_status' },
    ],
    ['a broken stream', (response) => events(response, ': x\n\n').end(), { code: 'stream_lost' }],
    ['a broken connection', (response) => response.destroy(), { code: 'network' }],
  ];

  for (const [name, answer, error] of failures) {
    it(`takes ${name} for a failure, never for an answer about the era`, async () => {
      const server = await scriptedServer((_seen, response) => answer(response));
      await expect(connected(server.url)).rejects.toMatchObject(error);
      expect(methods(server)).toEqual(['server/discover']);
    });

    it(`fails with ${name} when that is what initialize gets`, async () => {
      const server = await scriptedServer(
        handshakeScript((seen, response) => {
          if (seen.message.method === 'initialize') answer(response);
          else if (seen.message.method === 'server/discover') response.writeHead(400).end();
          else return false;
          return true;
        }),
      );
      await expect(connected(server.url)).rejects.toMatchObject(error);
      expect(methods(server)).toEqual(['server/discover', 'initialize']);
    });
  }

  it('fails when nobody listens', async () => {
    await expect(connected('http://127.0.0.1:9/mcp')).rejects.toMatchObject({ code: 'network' });
  });

  it('takes silence for trouble, and leaves no connection behind', async () => {
    const server = await scriptedServer(() => {});
    // On a busy machine a client may give up before its probe has left.
    for (let probeTimeout = 10; methods(server).length === 0; probeTimeout *= 2) {
      const limits = { initTimeout: 5 * probeTimeout, probeTimeout };
      await expect(connected(server.url, limits)).rejects.toMatchObject({ code: 'handshake_failed' });
    }
    expect(new Set(methods(server))).toEqual(new Set(['server/discover']));
    await expect.poll(() => server.connections()).toBe(0);
  });

  it('names the usual paths where the URL leads to none', async () => {
    const server = await scriptedServer((_seen, response) => response.writeHead(404).end('Not found'));
    await expect(connected(server.url)).rejects.toThrow(
      / refused to connect: HTTP 404: Not found; check the path of the URL: most servers are at \/mcp, older ones at \/sse$/,
    );
  });

  it('says what a server that is no MCP server answered', async () => {
    const server = await scriptedServer((_seen, response) => response.end('<html>Welcome</html>'));
    await expect(connected(server.url)).rejects.toThrow(/HTTP 200.*Welcome/);
    const strange = await rawServer((_request, socket) => socket.end('220 smtp.example.com ESMTP\r\n'));
    await expect(connected(strange)).rejects.toMatchObject({ code: 'network' });
  });

  it('finds an HTTP+SSE server behind the same URL', async () => {
    let stream: ServerResponse | undefined;
    const server = await scriptedServer((seen, response) => {
      const { id, method } = seen.message;
      if (seen.method === 'GET') stream = events(response, 'event: endpoint\ndata: /messages\n\n');
      else if (seen.path !== '/messages') response.writeHead(404).end();
      else {
        response.writeHead(202).end();
        const value =
          method === 'initialize'
            ? { protocolVersion: '2024-11-05', capabilities: { tools: {} } }
            : { tools: [{ name: 'a' }] };
        if (id !== undefined) stream?.write(`event: message\ndata: ${JSON.stringify(result(id, value))}\n\n`);
      }
    });
    const client = await connected(server.url);
    expect(client.revision).toBe('2024-11-05');
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['a']);
    expect(methods(server)).toEqual([
      'server/discover',
      'initialize',
      'initialize',
      'notifications/initialized',
      'tools/list',
    ]);
  });
});

describe('verdicts about servers', () => {
  it('spare the probe the next time', async () => {
    const verdicts = new EraVerdicts();
    const server = await scriptedServer(older((_, response) => response.writeHead(400).end()));
    await connected(server.url, { verdicts });
    await (await connected(server.url, { verdicts })).ping();
    expect(methods(server)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
      'initialize',
      'notifications/initialized',
      'ping',
    ]);
  });

  it('are given up when they prove wrong', async () => {
    const verdicts = new EraVerdicts();
    let upgraded = false;
    const before = older((_, response) => response.writeHead(400).end());
    const after = modern();
    const server = await scriptedServer((seen, response) => (upgraded ? after : before)(seen, response));
    await connected(server.url, { verdicts });
    upgraded = true;
    expect((await connected(server.url, { verdicts })).revision).toBe(STATELESS);
    expect(verdicts.recall(server.url)).toBe('stateless');
  });

  it('outlive a server that is down for a moment, and are no reason to ask it again', async () => {
    const verdicts = new EraVerdicts();
    verdicts.remember('http://127.0.0.1:9/mcp', 'handshake');
    await expect(connected('http://127.0.0.1:9/mcp', { verdicts })).rejects.toMatchObject({
      code: 'network',
    });
  });

  it('expire, are bounded, and can be forgotten', () => {
    let now = 0;
    const verdicts = new EraVerdicts({ maxEntries: 2, lifetime: 100, clock: () => now });
    for (const address of ['a', 'b', 'a', 'c']) verdicts.remember(address, 'handshake');
    expect(['a', 'b', 'c'].map((address) => verdicts.recall(address))).toEqual([
      'handshake',
      undefined,
      'handshake',
    ]);
    verdicts.forget('c');
    expect(verdicts.recall('c')).toBeUndefined();
    now = 100;
    expect(verdicts.recall('a')).toBeUndefined();
  });

  it('are not kept for servers on this machine unless the user wants it', async () => {
    const server = await scriptedServer(older((_, response) => response.writeHead(400).end()));
    await connected(server.url);
    await connected(server.url);
    expect(methods(server).filter((method) => method === 'server/discover')).toHaveLength(2);
  });
});
