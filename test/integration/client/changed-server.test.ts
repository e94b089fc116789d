/** A server that comes back as another one: of another era, with other capabilities, other tools, other promises. */

import { createServer, type Server } from 'plumb-mcp/server';
import { describe, expect, it } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { type Client, type ConnectOptions, connect } from '../../../src/client/index.js';
import { REVISIONS } from '../../../src/protocol/revisions/index.js';
import type { Transport } from '../../../src/transports/transport.js';
import { cleanup } from '../../support/cleanup.js';
import { freePort } from '../../support/free-port.js';
import { json, type Script, scriptedServer } from '../../support/scripted-http.js';

const RECOVER = { initialDelay: 10, maxDelay: 50 };

async function open(target: Parameters<typeof connect>[0], options: ConnectOptions = {}): Promise<Client> {
  const client = await connect(target, { recover: RECOVER, timeout: 10_000, ...options });
  cleanup(() => client.close());
  return client;
}

function textOf(result: { content: readonly { type: string }[] }): unknown {
  const [block] = result.content;
  return block !== undefined && 'text' in block ? block.text : undefined;
}

/** A server in this process whose next connection meets whatever `next` makes. */
class Replaceable {
  #current: Transport | undefined;
  readonly #next: (generation: number) => Server;
  generation = 0;

  constructor(next: (generation: number) => Server) {
    this.#next = next;
  }

  transport(): Transport {
    this.generation += 1;
    this.#current = this.#next(this.generation).transport();
    return this.#current;
  }

  /** Ends the connection that there is. */
  die(): Promise<void> {
    return this.#current?.close() ?? Promise.resolve();
  }

  async crash(client: Client): Promise<void> {
    const generation = this.generation;
    await this.die();
    await expect.poll(() => this.generation).toBeGreaterThan(generation);
    await client.whenReady();
  }
}

/** Every revision with Streamable HTTP followed by every other. */
const CHANGES = REVISIONS.slice(1).flatMap((before) =>
  REVISIONS.slice(1).flatMap((after) => (after === before ? [] : [[before.version, after.version] as const])),
);

describe.each(CHANGES)('a server over HTTP that spoke %s and comes back with %s', (before, after) => {
  async function start(port: number, revision: string): Promise<Server> {
    const server = createServer({ name: 'changing', version: revision, revisions: [revision] });
    cleanup(() => server.close({ drain: 0 }));
    server.tool('revision', { annotations: { readOnlyHint: true } }, () => revision);
    await server.http({ port });
    return server;
  }

  it.each([
    ['while nobody looks', false],
    ['after it was missed', true],
  ])('%s is agreed with anew', async (_when, missed) => {
    const port = await freePort();
    const first = await start(port, before);
    const client = await open(`http://127.0.0.1:${port}/mcp`, { whenNotReady: 'wait' });
    expect(textOf(await client.tools.call('revision'))).toBe(before);
    await first.close({ drain: 0 });
    if (missed) await client.tools.call('revision', {}, { timeout: 50, retry: false }).catch(() => {});
    await start(port, after);
    // A connection that was kept open breaks at the first call, which may have been carried out.
    const options = { retry: true };
    expect(textOf(await client.tools.call('revision', {}, options))).toBe(after);
    expect(client.revision).toBe(after);
  });
});

describe('a stateless server replaced by one with handshakes without a break that a client could notice', () => {
  it.each(['Mcp-Session-Id is missing; send "initialize" first', 'Bad Request: Server not initialized'])(
    'is found out when the new one refuses with %j',
    async (words) => {
      let replaced = false;
      const script: Script = ({ message: { id, method }, headers: sent }, response) => {
        const answer = (result: object, more: Record<string, string> = {}): void =>
          json(response, 200, { jsonrpc: '2.0', id, result }, more);
        if (method === undefined) return void response.writeHead(405).end();
        if (id === undefined) return void response.writeHead(202).end();
        if (!replaced) {
          if (method === 'server/discover')
            return answer({
              resultType: 'complete',
              supportedVersions: ['2026-07-28'],
              capabilities: { tools: {} },
            });
          return answer({ resultType: 'complete', content: [{ type: 'text', text: 'old' }] });
        }
        if (method === 'initialize') {
          const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
          return answer(result, { 'mcp-session-id': 'one' });
        }
        if (sent['mcp-session-id'] !== 'one')
          return json(response, 400, { jsonrpc: '2.0', id, error: { code: -32600, message: words } });
        return answer({ content: [{ type: 'text', text: 'new' }] });
      };
      const server = await scriptedServer(script);
      const client = await open(server.url);
      expect(textOf(await client.tools.call('any'))).toBe('old');
      expect(client.revision).toBe('2026-07-28');
      replaced = true;
      // The refusal is certain: nothing was done, and the call is made again.
      expect(textOf(await client.tools.call('any'))).toBe('new');
      expect(client.revision).toBe('2025-11-25');
    },
  );
});

describe('a handshake server replaced by a stateless one without a break that anybody could notice', () => {
  const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
  const REFUSALS = [
    ['misses the envelope', -32602, `params._meta needs "${VERSION_KEY}"`],
    ['misses a header', -32020, 'Mcp-Method is missing'],
    ['does not know the version', -32022, 'Unsupported protocol version'],
  ] as const;
  const CASES = REFUSALS.flatMap((refusal) => [
    [...refusal, 'a session', { 'mcp-session-id': 'one' }] as const,
    [...refusal, 'no session', {}] as const,
  ]);

  it.each(CASES)(
    'is found out when the new one %s (%d, %s) with %s',
    async (_what, code, words, _with, headers) => {
      let replaced = false;
      const script: Script = ({ message: { id, method, params = {} }, headers: sent }, response) => {
        const answer = (result: object, more: Record<string, string> = {}): void =>
          json(response, 200, { jsonrpc: '2.0', id, result }, more);
        const refuse = (status: number, number: number, message: string): void =>
          json(response, status, { jsonrpc: '2.0', id, error: { code: number, message } });
        if (method === undefined) return void response.writeHead(405).end();
        if (id === undefined) return void response.writeHead(202).end();
        const stateless = JSON.stringify(params).includes(VERSION_KEY) && 'mcp-method' in sent;
        if (!replaced) {
          if (stateless) return refuse(400, -32601, 'Method not found');
          if (method !== 'initialize') return answer({ content: [{ type: 'text', text: 'old' }] });
          const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
          return answer(result, headers);
        }
        // The worst of its kind: it does not even name the versions that it speaks.
        if (method === 'initialize') return refuse(400, -32601, 'Method not found');
        if (!stateless) return refuse(400, code, words);
        if (method !== 'server/discover')
          return answer({ resultType: 'complete', content: [{ type: 'text', text: 'new' }] });
        const supportedVersions = ['2026-07-28'];
        const described = { resultType: 'complete', supportedVersions, capabilities: { tools: {} } };
        return answer({ ...described, ttlMs: 0, cacheScope: 'public' });
      };
      const server = await scriptedServer(script);
      const client = await open(server.url, { whenNotReady: 'wait' });
      expect(textOf(await client.tools.call('x'))).toBe('old');
      replaced = true;
      expect(textOf(await client.tools.call('x'))).toBe('new');
      expect(client.revision).toBe('2026-07-28');
      expect(client.state).toBe('ready');
    },
  );
});

describe.each(['2025-11-25', '2026-07-28'])('a server that comes back with less (%s)', (revision) => {
  it('is not asked for what it no longer declares, and subscriptions that ended are told as faults', async () => {
    const target = new Replaceable((generation) => {
      const server = createServer({ name: 's', version: String(generation), revisions: [revision] });
      if (generation === 1) {
        server.tool('t', {}, () => 'x');
        server.resource('a:b', {}, () => 'x');
      }
      return server;
    });
    const faults: ClientFault[] = [];
    const client = await open(target, { logLevel: 'info', onFault: (fault) => faults.push(fault) });
    await client.resources.subscribe('a:b', () => {});
    await target.crash(client);
    expect(client.capabilities.resources).toBeUndefined();
    await expect(client.tools.call('t')).rejects.toMatchObject({ code: 'not_supported' });
    expect(faults.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      expect.stringMatching(/^subscription: The server no longer reports changes of a:b/),
    ]);
  });

  it('tells who listens for "ready" the new tools, not remembered ones', async () => {
    const target = new Replaceable((generation) => {
      const server = createServer({ name: 's', version: '1', revisions: [revision] });
      server.tool(`tool-${generation}`, {}, () => 'x');
      return server;
    });
    const client = await open(target);
    expect((await client.tools.list()).map(({ name }) => name)).toEqual(['tool-1']);
    const seen: string[] = [];
    client.on('state', async ({ state }) => {
      if (state === 'ready') seen.push(...(await client.tools.list()).map(({ name }) => name));
    });
    await target.crash(client);
    await expect.poll(() => seen).toEqual(['tool-2']);
  });
});

describe('a tool under which one server after the other dies', () => {
  /** Dies under the calls of the generations named. */
  function deadly(generations: readonly number[], readOnly: (generation: number) => boolean): Replaceable {
    const target: Replaceable = new Replaceable((generation) => {
      const server = createServer({ name: 's', version: String(generation) });
      server.tool('read', { annotations: { readOnlyHint: readOnly(generation) } }, async () => {
        if (generations.includes(generation)) await target.die();
        return String(generation);
      });
      return server;
    });
    return target;
  }

  it('is called again each time, though its list was read once, before the first', async () => {
    const target = deadly([1, 3], () => true);
    const client = await open(target);
    await client.tools.list();
    expect(textOf(await client.tools.call('read'))).toBe('2');
    await target.crash(client);
    expect(textOf(await client.tools.call('read'))).toBe('4');
  });

  it('is not when the server that came last no longer calls it read-only', async () => {
    const target = deadly([3], (generation) => generation < 3);
    const client = await open(target);
    await client.tools.list();
    await target.crash(client);
    await target.crash(client);
    await expect(client.tools.call('read')).rejects.toMatchObject({
      code: 'connection_closed',
      mayHaveActed: true,
    });
  });

  it('is given up when its caller does while that is being asked', async () => {
    const target = deadly([2], () => true);
    const client = await open(target);
    await client.tools.list();
    await target.crash(client);
    const controller = new AbortController();
    client.on('state', ({ state }) => state === 'backoff' && controller.abort());
    const call = client.tools.call('read', {}, { signal: controller.signal });
    await expect(call).rejects.toMatchObject({ code: 'cancelled' });
  });
});
