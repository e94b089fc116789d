import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { connect } from '../../../src/client/index.js';
import { PLUMB_VERSION } from '../../../src/protocol/version.js';
import { handshakeServer, meta, rpcError, statelessServer, turn } from '../../support/scripted-server.js';

describe('prompts and resources', () => {
  it('gets a prompt with its arguments as strings', async () => {
    const server = handshakeServer().on('prompts/get', () => ({
      messages: [{ role: 'user', content: 'hi' }],
    }));
    const client = await connect(server);
    expect(await client.prompts.get('greet', { name: 'Ada' })).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }],
    });
    expect(server.all('prompts/get')[0]?.params).toEqual({ name: 'greet', arguments: { name: 'Ada' } });
    await expect(client.prompts.get('greet', { age: 5 as never })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(server.all('prompts/get')).toHaveLength(1);
  });

  it('reads contents as they are specified, and wrapped as some send them', async () => {
    const contents = { uri: 'a:b', text: 'hi' };
    const server = handshakeServer();
    const client = await connect(server);
    for (const sent of [contents, { type: 'resource', resource: contents }]) {
      server.on('resources/read', () => ({ contents: [sent] }));
      expect((await client.resources.read('a:b')).contents).toEqual([contents]);
    }
    server.on('resources/read', () => ({}));
    expect((await client.resources.read('a:b')).contents).toEqual([]);
    server.on('resources/read', () => ({ contents: [{ text: 'nowhere' }] }));
    await expect(client.resources.read('a:b')).rejects.toMatchObject({ code: 'invalid_result' });
  });
});

describe('completion', () => {
  const ref = { type: 'ref/prompt', name: 'p', title: 'P' } as const;
  const context = { arguments: { country: 'it' } };

  it('sends what is already settled, where the revision has a place for it', async () => {
    const sent = async (version: string): Promise<unknown> => {
      const server = handshakeServer(version).on('completion/complete', () => ({
        completion: { values: ['Rome'] },
      }));
      const client = await connect(server);
      const result = await client.completion.complete(ref, { name: 'city', value: 'R' }, { context });
      expect(result.completion.values).toEqual(['Rome']);
      return server.all('completion/complete')[0]?.params;
    };
    expect(await sent('2025-06-18')).toEqual({ ref, argument: { name: 'city', value: 'R' }, context });
    expect(await sent('2025-03-26')).toEqual({
      ref: { type: 'ref/prompt', name: 'p' },
      argument: { name: 'city', value: 'R' },
    });
  });

  it('needs no capability in the revision that has none for it', async () => {
    const server = handshakeServer('2024-11-05', {}).on('completion/complete', () => ({ completion: {} }));
    const client = await connect(server);
    const { completion } = await client.completion.complete(ref, { name: 'a', value: '' });
    expect(completion.values).toEqual([]);
  });
});

describe('logging', () => {
  it('sets the level by a request, at once when connecting', async () => {
    const logs: unknown[] = [];
    const server = handshakeServer().on('logging/setLevel', () => ({}));
    const client = await connect(server, { logLevel: 'error', onLog: (message) => logs.push(message) });
    expect(server.all('logging/setLevel')[0]?.params).toEqual({ level: 'error' });
    await client.logging.setLevel('debug');
    expect(server.all('logging/setLevel')[1]?.params).toEqual({ level: 'debug' });
    client.on('log', ({ data }) => logs.push(data));
    server.notify('notifications/message', { level: 'debug', data: { a: 1 } });
    server.notify('notifications/message', { data: 'without a level' });
    await turn();
    expect(logs).toEqual([{ level: 'debug', data: { a: 1 } }, { a: 1 }]);
  });

  it('sets the level on each request of a stateless client', async () => {
    const server = statelessServer().on('tools/call', () => ({}));
    const client = await connect(server);
    await client.tools.call('a');
    await client.logging.setLevel('notice');
    await client.tools.call('b');
    expect(server.all('tools/call').map((call) => meta(call, 'logLevel'))).toEqual([undefined, 'notice']);
    expect(server.methods()).toEqual(['server/discover', 'tools/call', 'tools/call']);
  });

  it('refuses a level that is none', async () => {
    const client = await connect(statelessServer());
    await expect(client.logging.setLevel('loud' as never)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
  });

  it('connects all the same when the server refuses the level', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer().on('logging/setLevel', () => rpcError(-32603));
    await connect(server, { logLevel: 'info', onFault: (fault) => faults.push(fault) });
    expect(faults).toHaveLength(1);
    await connect(handshakeServer('2025-11-25', {}), { logLevel: 'info' });
  });
});

describe('roots', () => {
  it('tells a handshake server about new ones', async () => {
    const server = handshakeServer();
    const client = await connect(server, { roots: [] });
    await client.roots.set([{ uri: 'file:///new' }]);
    await server.next('notifications/roots/list_changed');
    server.ask(1, 'roots/list');
    expect((await server.next()).result).toEqual({ roots: [{ uri: 'file:///new' }] });
    await expect(client.roots.set([{ uri: '/new' }])).rejects.toThrow(/file:\/\//);
  });

  it('has nothing to tell a stateless one', async () => {
    const server = statelessServer();
    const client = await connect(server, { roots: [] });
    await client.roots.set([{ uri: 'file:///new' }]);
    await turn();
    expect(server.methods()).toEqual(['server/discover']);
  });

  it('cannot be set when they were never declared', async () => {
    const client = await connect(handshakeServer());
    await expect(client.roots.set([])).rejects.toMatchObject({ code: 'not_supported' });
  });
});

describe('the client as a whole', () => {
  it('pings by what the revision has', async () => {
    const old = handshakeServer().on('ping', () => ({}));
    await (await connect(old)).ping();
    const modern = statelessServer();
    await (await connect(modern)).ping();
    expect(old.methods().at(-1)).toBe('ping');
    expect(modern.methods()).toEqual(['server/discover', 'server/discover']);
  });

  it('sends any request and returns its result unchanged', async () => {
    const result = { content: 'not even a list', odd: [1] };
    const server = statelessServer({}).on('com.example/do', () => result);
    const client = await connect(server);
    expect(await client.request('com.example/do', { a: 1 })).toEqual(result);
    const [request] = server.all('com.example/do');
    expect(request && meta(request, 'clientCapabilities')).toEqual({
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    });
  });

  it('sends any notification', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    await client.notify('com.example/happened', { a: 1 });
    expect((await server.next('com.example/happened')).params).toEqual({ a: 1 });
  });

  it('learns the name of a stateless server from any result', async () => {
    const server = statelessServer()
      .on('server/discover', () => ({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }))
      .on('tools/call', () => ({
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'late', version: '3' } },
      }));
    const client = await connect(server);
    expect(client.server).toBeUndefined();
    await client.tools.call('x');
    expect(client.server).toEqual({ name: 'late', version: '3' });
  });

  it('catches what handlers throw, now or later, and a fault handler that throws too', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer();
    const client = await connect(server);
    client.on('fault', (fault) => faults.push(fault));
    client.on('fault', () => {
      throw new Error('worse');
    });
    client.on('log', () => {
      throw new Error('now');
    });
    client.on('log', () => Promise.reject(new Error('later')));
    const seen: unknown[] = [];
    client.on('log', ({ data }) => seen.push(data));
    server.notify('notifications/message', { level: 'info', data: 1 });
    await turn();
    expect(seen).toEqual([1]);
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining('now'),
      expect.stringContaining('later'),
    ]);
  });

  it('tells of every notification, known or not', async () => {
    const seen: string[] = [];
    const server = handshakeServer();
    const client = await connect(server);
    const off = client.on('notification', ({ method }) => seen.push(method));
    server.notify('notifications/tools/list_changed');
    server.notify('com.example/news');
    await turn();
    off();
    server.notify('com.example/news');
    await turn();
    expect(seen).toEqual(['notifications/tools/list_changed', 'com.example/news']);
  });

  it('introduces itself with the version of the package', async () => {
    const manifest: unknown = JSON.parse(
      readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
    );
    expect(manifest).toHaveProperty('version', PLUMB_VERSION);
  });
});
