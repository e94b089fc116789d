import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import {
  events,
  handshakeScript,
  json,
  result,
  type Script,
  type ScriptedServer,
  type SeenRequest,
  scriptedServer,
} from '../../support/scripted-http.js';

async function connected(url: string, options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(url, options);
  onTestFinished(() => client.close());
  return client;
}

function tool(name: string, properties: Record<string, unknown>): unknown {
  return { name, inputSchema: { type: 'object', properties } };
}

const REGION = { type: 'string', 'x-mcp-header': 'Region' };

function stateless(
  tools: () => unknown[],
  call?: (seen: SeenRequest, response: ServerResponse) => void,
): Script {
  return (seen, response) => {
    const { id, method } = seen.message;
    const complete = (value: Record<string, unknown>): void =>
      json(response, 200, result(id, { resultType: 'complete', ...value }));
    if (method === 'server/discover') {
      complete({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    } else if (method === 'tools/list') complete({ tools: tools(), ttlMs: 60_000, cacheScope: 'public' });
    else if (call !== undefined) call(seen, response);
    else complete({ content: [] });
  };
}

function calls(server: ScriptedServer): SeenRequest[] {
  return server.seen.filter(({ message }) => message.method === 'tools/call');
}

describe('arguments in headers', () => {
  const LISTED = [
    tool('query', {
      region: REGION,
      limit: { type: 'integer', 'x-mcp-header': 'Limit' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
      nested: { type: 'object', properties: { deep: { type: 'string', 'x-mcp-header': 'Method' } } },
      plain: { type: 'string' },
    }),
  ];

  it('repeat what the tool asks for, encoded where needed', async () => {
    const server = await scriptedServer(stateless(() => LISTED));
    const client = await connected(server.url);
    await client.tools.list();
    await client.tools.call('query', {
      region: 'eu',
      limit: 42,
      dry: false,
      nested: { deep: ' ü' },
      plain: 'x',
    });
    await client.tools.call('query', { region: '', limit: null });
    const [first, second] = calls(server);
    expect(first?.headers).toMatchObject({
      'mcp-name': 'query',
      'mcp-param-region': 'eu',
      'mcp-param-limit': '42',
      'mcp-param-dry': 'false',
      'mcp-param-method': `=?base64?${Buffer.from(' ü').toString('base64')}?=`,
    });
    expect(first?.headers).not.toHaveProperty('mcp-param-plain');
    expect(second?.headers['mcp-param-region']).toBe('');
    expect(second?.headers).not.toHaveProperty('mcp-param-limit');
  });

  it('are left out for a tool never listed, then sent when the server insists', async () => {
    const server = await scriptedServer(
      stateless(
        () => LISTED,
        (seen, response) => {
          if (seen.headers['mcp-param-region'] === 'eu') {
            json(response, 200, result(seen.message.id, { resultType: 'complete', content: [] }));
          } else {
            const error = { code: -32020, message: 'Header mcp-param-region is missing' };
            json(response, 400, { jsonrpc: '2.0', id: seen.message.id, error });
          }
        },
      ),
    );
    const client = await connected(server.url);
    await client.tools.call('query', { region: 'eu' });
    expect(server.seen.map(({ message }) => message.method)).toEqual([
      'server/discover',
      'tools/call',
      'tools/list',
      'tools/call',
    ]);
  });

  it('are tried again once only', async () => {
    const server = await scriptedServer(
      stateless(
        () => LISTED,
        (seen, response) => {
          const error = { code: -32020, message: 'no' };
          json(response, 400, { jsonrpc: '2.0', id: seen.message.id, error });
        },
      ),
    );
    const client = await connected(server.url);
    await expect(client.tools.call('query', { region: 'eu' })).rejects.toMatchObject({ rpcCode: -32020 });
    expect(calls(server)).toHaveLength(2);
  });

  it('make a tool with a wrong annotation unusable: it is left out and reported once', async () => {
    const faults: ClientFault[] = [];
    const invalid = [
      tool('empty', { a: { type: 'string', 'x-mcp-header': '' } }),
      tool('space', { a: { type: 'string', 'x-mcp-header': 'a b' } }),
      tool('number', { a: { type: 'number', 'x-mcp-header': 'A' } }),
      tool('twice', {
        a: { type: 'string', 'x-mcp-header': 'A' },
        b: { type: 'string', 'x-mcp-header': 'a' },
      }),
      tool('items', { a: { type: 'array', items: { type: 'string', 'x-mcp-header': 'A' } } }),
    ];
    const server = await scriptedServer(stateless(() => [...invalid, tool('valid', { region: REGION })]));
    const client = await connected(server.url, { onFault: (fault) => faults.push(fault) });
    for (let round = 0; round < 2; round += 1) {
      expect((await client.tools.list({ cache: 'reload' })).map(({ name }) => name)).toEqual(['valid']);
    }
    expect(faults.map(({ kind }) => kind)).toEqual(invalid.map(() => 'deviation'));
  });

  it('mean nothing in a session', async () => {
    const server = await scriptedServer(
      handshakeScript((seen, response) => {
        const { id, method } = seen.message;
        const headers = { 'mcp-session-id': 's' };
        if (method === 'server/discover') response.writeHead(400).end();
        else if (method === 'initialize')
          json(
            response,
            200,
            result(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} } }),
            headers,
          );
        else if (method === 'tools/list')
          json(
            response,
            200,
            result(id, { tools: [tool('odd', { a: { type: 'object', 'x-mcp-header': 'A' } })] }),
          );
        else if (method === 'tools/call') json(response, 200, result(id, { content: [] }));
        else return false;
        return true;
      }),
    );
    const client = await connected(server.url);
    expect(await client.tools.list()).toHaveLength(1);
    await client.tools.call('odd', { a: {} });
    expect(calls(server)[0]?.headers).not.toHaveProperty('mcp-param-a');
  });
});

describe('a stateless call over HTTP', () => {
  it('is cancelled by closing it', async () => {
    const server = await scriptedServer(
      stateless(
        () => [],
        (_seen, response) => events(response, ': working\n\n'),
      ),
    );
    const client = await connected(server.url);
    const controller = new AbortController();
    const call = client.tools.call('slow', {}, { signal: controller.signal });
    await server.until(({ message }) => message.method === 'tools/call');
    expect(server.unfinished()).toBe(1);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
    await expect.poll(() => server.unfinished()).toBe(0);
    expect(server.seen.map(({ message }) => message.method)).not.toContain('notifications/cancelled');
  });

  it('fails with what the transport says when its answer is lost', async () => {
    const server = await scriptedServer(
      stateless(
        () => [],
        (_seen, response) => events(response, ': x\n\n').end(),
      ),
    );
    const client = await connected(server.url);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'stream_lost', mayHaveActed: true });
  });
});

describe('a session that the server has forgotten', () => {
  /** Issues s1, s2, ...; knows only the newest as long as it is `alive`. */
  function forgetful(): { script: Script; restart: () => void; sessions: () => number } {
    let sessions = 0;
    let known = new Set<string>();
    return {
      sessions: () => sessions,
      restart: () => {
        known = new Set();
      },
      script: handshakeScript((seen, response) => {
        const { id, method } = seen.message;
        const session = String(seen.headers['mcp-session-id']);
        if (method === 'server/discover') response.writeHead(400).end();
        else if (method === 'initialize') {
          sessions += 1;
          known.add(`s${sessions}`);
          const capabilities = { tools: {}, logging: {} };
          json(response, 200, result(id, { protocolVersion: '2025-11-25', capabilities }), {
            'mcp-session-id': `s${sessions}`,
          });
        } else if (seen.method === 'POST' && !known.has(session)) response.writeHead(404).end();
        else if (method === 'tools/call')
          json(response, 200, result(id, { content: [{ type: 'text', text: session }] }));
        else if (id !== undefined) json(response, 200, result(id));
        else return false;
        return true;
      }),
    };
  }

  it('is opened anew, and the call repeated, without the caller noticing', async () => {
    const { script, restart, sessions } = forgetful();
    const server = await scriptedServer(script);
    const client = await connected(server.url, { logLevel: 'info' });
    const text = async (): Promise<unknown> => (await client.tools.call('x')).content[0];
    expect(await text()).toMatchObject({ text: 's1' });
    restart();
    expect(await text()).toMatchObject({ text: 's2' });
    expect(sessions()).toBe(2);
    const again = server.seen.slice(
      server.seen.findLastIndex(({ message }) => message.method === 'initialize'),
    );
    expect(again[0]?.headers).not.toHaveProperty('mcp-session-id');
    expect(again.filter(({ method }) => method === 'POST').map(({ message }) => message.method)).toEqual([
      'initialize',
      'notifications/initialized',
      'logging/setLevel',
      'tools/call',
    ]);
    await client.close();
    expect(server.seen.at(-1)).toMatchObject({ method: 'DELETE', headers: { 'mcp-session-id': 's2' } });
  });

  it('is opened anew once for all the calls that find it gone', async () => {
    const { script, restart, sessions } = forgetful();
    const server = await scriptedServer(script);
    const client = await connected(server.url);
    restart();
    const results = await Promise.all(Array.from({ length: 20 }, () => client.tools.call('x')));
    expect(new Set(results.map(({ content }) => JSON.stringify(content))).size).toBe(1);
    expect(sessions()).toBe(2);
    expect(client.stats.waiting).toBe(0);
  });

  it('fails the call when the new one is forgotten as well', async () => {
    const { script, restart, sessions } = forgetful();
    const server = await scriptedServer((seen, response) => {
      if (seen.message.method === 'tools/call') restart();
      script(seen, response);
    });
    const client = await connected(server.url);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'session_lost' });
    expect(sessions()).toBe(2);
  });

  it('fails the call when no new one can be had, and the next call tries again', async () => {
    const { script, restart } = forgetful();
    let down = false;
    const server = await scriptedServer((seen, response) => {
      if (down && seen.message.method === 'initialize') response.writeHead(503).end();
      else script(seen, response);
    });
    const client = await connected(server.url, { recover: false });
    restart();
    down = true;
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'http_status', status: 503 });
    down = false;
    expect((await client.tools.call('x')).content).toMatchObject([{ text: 's2' }]);
  });
});
