/** Servers that report a lost session in words instead of HTTP 404. */

import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Client, connect } from '../../../src/client/index.js';
import {
  event,
  events,
  handshakeScript,
  json,
  result,
  type ScriptedServer,
  type SeenRequest,
  scriptedServer,
} from '../../support/scripted-http.js';

type Refusal = (response: ServerResponse, id: SeenRequest['message']['id']) => void;

function error(id: unknown, message: string, code = -32001): unknown {
  return { jsonrpc: '2.0', id, error: { code, message } };
}

/** The words and shapes of servers in the field. */
const REFUSALS: readonly (readonly [string, Refusal])[] = [
  ['200 and "Session not found"', (response, id) => json(response, 200, error(id, 'Session not found'))],
  [
    '200 and an error that names no request',
    (response) => json(response, 200, error(null, 'Session not found', -32600)),
  ],
  [
    '200 and an error that names another request',
    (response) => json(response, 200, error('server-error', 'Session not found', -32600)),
  ],
  [
    '200 and "Unknown session id"',
    (response, id) =>
      json(
        response,
        200,
        error(id, "Unknown session id '0fbc7f3f' for 'tools/call'; client should reinitialize", -32600),
      ),
  ],
  [
    '200 and "Invalid session ID"',
    (response, id) =>
      json(response, 200, error(id, 'Invalid session ID: 83c6a5aa-9144-4f0f-80a0-ea4f80f3134d', -32600)),
  ],
  [
    '200 and "Session terminated"',
    (response, id) => json(response, 200, error(id, 'Session terminated', 32600)),
  ],
  [
    '200 and "Session expired"',
    (response, id) => json(response, 200, error(id, 'Session expired or server restarted', -32005)),
  ],
  ['200 and no JSON-RPC', (response) => json(response, 200, { error: 'Session not found' })],
  [
    'an event with "Session not found"',
    (response, id) => events(response, event(error(id, 'Session not found'))).end(),
  ],
  [
    'an event on a stream that stays open',
    (response, id) => void events(response, event(error(id, 'The session has expired'))),
  ],
  [
    'an event that is no JSON-RPC',
    (response) => events(response, event({ error: 'Session not found' })).end(),
  ],
  [
    '400 and "No valid session ID provided"',
    (response) => json(response, 400, error(null, 'Bad Request: No valid session ID provided', -32000)),
  ],
  [
    '400 and "Server not initialized"',
    (response) => json(response, 400, error(null, 'Bad Request: Server not initialized', -32000)),
  ],
  ['500 and "Session not found"', (response, id) => json(response, 500, error(id, 'Session not found'))],
];

/** Forgets the first session when told to. Every session gets an id of its own. */
async function forgetfulServer(refuse: Refusal): Promise<{ server: ScriptedServer; forget(): void }> {
  let sessions = 0;
  let forgotten = 0;
  const script = handshakeScript(({ message, headers, method }, response) => {
    if (method !== 'POST') return false;
    if (message.method === 'initialize') {
      sessions += 1;
      const value = {
        protocolVersion: '2025-11-25',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: String(sessions) },
      };
      json(response, 200, result(message.id, value), { 'mcp-session-id': `s${sessions}` });
      return true;
    }
    if (message.method !== 'tools/call') return false;
    if (headers['mcp-session-id'] === `s${forgotten}`) refuse(response, message.id);
    else json(response, 200, result(message.id, { content: [{ type: 'text', text: `in s${sessions}` }] }));
    return true;
  });
  const server = await scriptedServer(script);
  return {
    server,
    forget: () => {
      forgotten = sessions;
    },
  };
}

async function open(url: string): Promise<Client> {
  const client = await connect(url, { revisions: ['2025-11-25'] });
  onTestFinished(() => client.close());
  return client;
}

function count(server: ScriptedServer, method: string): number {
  return server.seen.filter(({ message }) => message.method === method).length;
}

describe('a session that is gone, reported as', () => {
  it.each(REFUSALS)('%s, is opened again, and the call is sent once more', async (_name, refuse) => {
    const { server, forget } = await forgetfulServer(refuse);
    const client = await open(server.url);
    expect(await client.tools.call('x')).toMatchObject({ content: [{ text: 'in s1' }] });
    forget();
    expect(await client.tools.call('x')).toMatchObject({ content: [{ text: 'in s2' }] });
    expect([count(server, 'initialize'), count(server, 'tools/call')]).toEqual([2, 3]);
    const again = server.seen.filter(({ message }) => message.method === 'initialize').at(-1);
    expect(again?.headers).not.toHaveProperty('mcp-session-id');
    // And when it happens once more, hours later.
    forget();
    expect(await client.tools.call('x')).toMatchObject({ content: [{ text: 'in s3' }] });
  });

  it('is opened once for calls that run at the same time', async () => {
    const { server, forget } = await forgetfulServer((response, id) =>
      json(response, 200, error(id, 'Session not found')),
    );
    const client = await open(server.url);
    forget();
    const names = Array.from({ length: 10 }, (_, index) => `tool-${index % 3}`);
    const results = await Promise.all(names.map((name) => client.tools.call(name)));
    expect(new Set(results.map(({ content }) => JSON.stringify(content)))).toEqual(
      new Set(['[{"type":"text","text":"in s2"}]']),
    );
    expect(count(server, 'initialize')).toBe(2);
  });
});

describe('words about sessions that are not ours', () => {
  it('are the tool’s answer when a new session changes nothing, and are not believed again', async () => {
    const server = await scriptedServer(
      handshakeScript(({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        json(response, 200, error(message.id, 'Browser session 7 not found', -32603));
        return true;
      }),
    );
    const client = await open(server.url);
    const failure = { code: 'internal_error', message: 'Browser session 7 not found' };
    for (let calls = 0; calls < 3; calls += 1) {
      await expect(client.request('tools/call', { name: 'browse' })).rejects.toMatchObject(failure);
    }
    expect([count(server, 'initialize'), count(server, 'tools/call')]).toEqual([2, 4]);
  });

  it.each([
    'The database session is slow',
    'Obsession',
    'No such table: sessions',
    'The session argument is required',
    'Database not initialized',
  ])('are answers like any other: %s', async (words) => {
    const server = await scriptedServer(
      handshakeScript(({ message }, response) => {
        if (message.method !== 'tools/call') return false;
        json(response, 200, error(message.id, words, -32603));
        return true;
      }),
    );
    const client = await open(server.url);
    await expect(client.request('tools/call', { name: 'x' })).rejects.toMatchObject({ message: words });
    expect(count(server, 'initialize')).toBe(1);
  });

  it('mean nothing where no session was opened', async () => {
    const server = await scriptedServer(
      handshakeScript(
        ({ message }, response) => {
          if (message.method !== 'tools/call') return false;
          json(response, 200, error(message.id, 'Session not found'));
          return true;
        },
        { session: undefined },
      ),
    );
    const client = await open(server.url);
    await expect(client.request('tools/call', { name: 'x' })).rejects.toMatchObject({
      message: 'Session not found',
    });
    expect(count(server, 'initialize')).toBe(1);
  });
});
