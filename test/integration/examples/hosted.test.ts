/** Examples that are a module of something larger: a route, a Worker, a gateway with logins, an agent. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readSurface } from '../../../src/chain/lock/surface.js';
import { type Client, connect, textOf } from '../../../src/client/index.js';
import { generateClient } from '../../../src/testing/typed/generate.js';
import { startAuthorizationServer } from '../../support/authorization-server.js';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';
import { serveJson } from '../../support/json-server.js';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  vi.resetModules();
});

type Fetch = (request: Request) => Promise<Response>;

/** A client whose requests reach the function instead of a network. */
async function through(fetch: Fetch, revision: string): Promise<Client> {
  const client = await connect('http://localhost/mcp', {
    revisions: [revision],
    fetch: (input, init) => fetch(new Request(input, init)),
  });
  cleanup(() => client.close());
  return client;
}

describe.each(['2025-11-25', '2026-07-28'])('for clients of %s', (revision) => {
  test('the route of Next.js serves its tool under every method', async () => {
    const route = await import('../../../examples/next/route.js');
    const handlers: Readonly<Record<string, Fetch>> = route;
    const client = await through(async (request) => {
      const handler = handlers[request.method];
      return handler === undefined ? new Response(null, { status: 405 }) : handler(request);
    }, revision);
    expect(textOf(await client.tools.call('find_product', { name: 'Lamp' }))).toContain('9.5');
  });

  test('the Worker serves its tool at /mcp, and nothing elsewhere', async () => {
    const { default: worker } = await import('../../../examples/worker/worker.mjs');
    const client = await through(async (request) => worker.fetch(request), revision);
    const mixed = await client.tools.call('mix', { one: '#ff0000', other: '#0000ff' });
    expect(textOf(mixed)).toBe('#800080');
    expect((await worker.fetch(new Request('http://localhost/'))).status).toBe(404);
  });
});

describe('per-user-login', () => {
  test('gives each user a server of their own, and refuses callers without a token', async () => {
    const issuer = await startAuthorizationServer();
    cleanup(() => issuer.close());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/mcp`;
    vi.stubEnv('ISSUER', issuer.issuer);
    vi.stubEnv('PORT', String(port));
    vi.spyOn(console, 'log').mockImplementation(() => undefined);
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const before = process.listeners('SIGTERM');
    await import('../../../examples/per-user-login/gateway.mjs');
    const stop = process.listeners('SIGTERM').find((listener) => !before.includes(listener));
    cleanup(() => stop?.('SIGTERM'));

    const login = async (sub: string): Promise<Client> => {
      const token = await issuer.sign({ sub, aud: url, scope: 'notes:read' });
      const client = await connect(url, {
        headers: { authorization: `Bearer ${token}` },
        initTimeout: '60s',
      });
      cleanup(() => client.close());
      return client;
    };
    const alice = await login('alice');
    const bob = await login('bob');
    expect(textOf(await alice.tools.call('add_note', { text: 'of Alice' }))).toBe('You have 1');
    expect(textOf(await bob.tools.call('add_note', { text: 'of Bob' }))).toBe('You have 1');
    const list = textOf(await (await login('alice')).tools.call('list_notes'));
    expect(list).toContain('of Alice');
    expect(list).not.toContain('of Bob');
    await expect(connect(url)).rejects.toThrow('401');
  });
});

describe('agent', () => {
  test('lets the model call tools until it answers, and calls with generated types', async () => {
    const turns: { messages: { role: string; content?: unknown }[]; tools: unknown[] }[] = [];
    const api = await serveJson((_url, _request, body) => {
      const turn = JSON.parse(body);
      turns.push(turn);
      const call = {
        id: 'call_1',
        type: 'function',
        function: { name: 'forecast', arguments: '{"city":"Bern"}' },
      };
      const message =
        turns.length === 1
          ? { role: 'assistant', content: null, tool_calls: [call] }
          : { role: 'assistant', content: 'It will be mild.' };
      return {
        body: { id: 'x', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }] },
      };
    });
    vi.stubEnv('OPENAI_BASE_URL', `${api.origin}/v1`);
    vi.stubEnv('OPENAI_API_KEY', 'none');
    vi.spyOn(process, 'argv', 'get').mockReturnValue(['node', 'agent', 'Warm in Bern?']);
    const log = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import('../../../examples/agent/agent.js');
    expect(log.mock.calls).toEqual([
      ['typed call:', '20'],
      ['answer:', 'It will be mild.'],
    ]);
    expect(turns[0]?.messages).toEqual([{ role: 'user', content: 'Warm in Bern?' }]);
    expect(JSON.stringify(turns[0]?.tools)).toContain('"forecast"');
    expect(turns[1]?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'call_1' });
    expect(JSON.stringify(turns[1]?.messages.at(-1))).toContain('temperatures');
  });

  test('its generated files are what plumb gen writes today', async () => {
    const examples = fileURLToPath(new URL('../../../examples', import.meta.url));
    const client = await connect({ command: process.execPath, args: [`${examples}/weather-server.mjs`] });
    cleanup(() => client.close());
    for (const [path, text] of generateClient(await readSurface(client), { tsImports: true })) {
      expect(await readFile(join(examples, 'agent/weather', path), 'utf8'), path).toBe(text);
    }
  });
});
