import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { connect } from '../../../src/client/index.js';
import { createMemoryPair } from '../../../src/transports/memory.js';
import {
  EVERYTHING,
  handshakeServer,
  LATEST_HANDSHAKE,
  meta,
  rpcError,
  ScriptedServer,
  STATELESS,
  statelessServer,
  turn,
} from '../../support/scripted-server.js';

const DISCOVERY = { resultType: 'complete', capabilities: EVERYTHING, ttlMs: 0, cacheScope: 'public' };

describe('negotiation', () => {
  it('names connectAll for a map of servers', async () => {
    const config = { mcpServers: { files: { command: 'files' } } };
    await expect(Reflect.apply(connect, undefined, [config])).rejects.toThrow(
      /no target; use connectAll\(\)/,
    );
  });

  it('opens a stateless server with server/discover and nothing else', async () => {
    const server = statelessServer();
    const client = await connect(server, { name: 'me', version: '2' });
    expect(client.revision).toBe(STATELESS);
    expect(client.server).toEqual({ name: 'scripted', version: '1' });
    expect(client.instructions).toBe('be kind');
    expect(client.capabilities).toEqual(EVERYTHING);
    expect(server.methods()).toEqual(['server/discover']);
    const [probe] = server.received;
    expect(typeof probe?.id).toBe('string');
    expect(probe && meta(probe, 'protocolVersion')).toBe(STATELESS);
    expect(probe && meta(probe, 'clientCapabilities')).toEqual({
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    });
    expect(probe && meta(probe, 'clientInfo')).toEqual({ name: 'me', version: '2' });
  });

  it.each([-32601, -32602, -32600, -32000, -32603, -1])(
    'shakes hands after the probe got error %i',
    async (code) => {
      const server = handshakeServer().on('server/discover', () => rpcError(code));
      const client = await connect(server);
      await turn();
      expect(client.revision).toBe(LATEST_HANDSHAKE);
      expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
      expect(server.all('initialize')[0]?.params).toEqual({
        protocolVersion: LATEST_HANDSHAKE,
        capabilities: {},
        clientInfo: { name: 'plumb-mcp', version: expect.any(String) },
      });
    },
  );

  it('takes an error without an id for the answer to the probe', async () => {
    const server = handshakeServer().on('server/discover', () => undefined);
    const connecting = connect(server);
    await server.next('server/discover');
    server.send('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}');
    expect((await connecting).revision).toBe(LATEST_HANDSHAKE);
  });

  it('shakes hands when the answer to the probe is no discovery', async () => {
    const server = handshakeServer().on('server/discover', () => ({}));
    expect((await connect(server)).revision).toBe(LATEST_HANDSHAKE);
  });

  it('shakes hands when discovery lists only handshake revisions, in any order', async () => {
    const server = handshakeServer('2025-06-18').on('server/discover', () => ({
      ...DISCOVERY,
      supportedVersions: ['2024-11-05', '2025-06-18', '2025-03-26'],
    }));
    const client = await connect(server);
    expect(client.revision).toBe('2025-06-18');
    expect(server.all('initialize')[0]?.params.protocolVersion).toBe('2025-06-18');
  });

  it('stays stateless on -32022 and asks again in a version that the server names', async () => {
    const server = statelessServer();
    let refusals = 1;
    server.on('server/discover', () => {
      if (refusals-- > 0)
        rpcError(-32022, 'no', { supported: ['2024-11-05', STATELESS], requested: STATELESS });
      return { ...DISCOVERY, supportedVersions: [STATELESS] };
    });
    expect((await connect(server)).revision).toBe(STATELESS);
    expect(server.methods()).toEqual(['server/discover', 'server/discover']);
    expect(new Set(server.received.map(({ id }) => id)).size).toBe(2);
  });

  it('shakes hands on -32022 that names only handshake revisions', async () => {
    const server = handshakeServer('2025-03-26').on('server/discover', () =>
      rpcError(-32022, 'no', { supported: ['2025-03-26'], requested: STATELESS }),
    );
    expect((await connect(server)).revision).toBe('2025-03-26');
  });

  it('gives up on -32022 that names nothing we know, without a loop', async () => {
    const server = new ScriptedServer().on('server/discover', () =>
      rpcError(-32022, 'no', { supported: ['1900-01-01'] }),
    );
    await expect(connect(server)).rejects.toMatchObject({
      code: 'no_common_revision',
      message: expect.stringMatching(/1900-01-01.*2024-11-05/),
    });
    expect(server.received).toHaveLength(1);
  });

  it('gives up on a server that keeps naming the version it refuses', async () => {
    const server = new ScriptedServer().on('server/discover', () =>
      rpcError(-32022, 'no', { supported: [STATELESS] }),
    );
    await expect(connect(server)).rejects.toMatchObject({ code: 'handshake_failed' });
    expect(server.received.length).toBeLessThan(6);
  });

  it.each([-32020, -32021])(
    'stays stateless on the recognised error %i, capabilities unknown',
    async (code) => {
      const server = new ScriptedServer()
        .on('server/discover', () => rpcError(code))
        .on('tools/call', () => ({ resultType: 'complete', content: [] }));
      const client = await connect(server);
      expect(client.revision).toBe(STATELESS);
      expect(await client.tools.call('x')).toMatchObject({ content: [] });
    },
  );

  it('opens the server again and shakes hands when the probe made it leave', async () => {
    const server = handshakeServer().on('server/discover', () => {
      void server.hangUp();
      return undefined;
    });
    const client = await connect(server);
    await turn();
    expect(client.revision).toBe(LATEST_HANDSHAKE);
    expect(server.connections).toBe(2);
    expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });

  it('says what to do when the probe made a server leave that cannot be opened again', async () => {
    const [ours, theirs] = createMemoryPair();
    void theirs.start({ message: () => void theirs.close(), fault: () => {}, closed: () => {} });
    await expect(connect(ours)).rejects.toMatchObject({
      code: 'handshake_failed',
      message: expect.stringContaining('{ command, args }'),
      cause: { code: 'connection_closed' },
    });
  });

  it('fails when the server leaves right after it has agreed', async () => {
    const server = statelessServer();
    server.on('server/discover', () => {
      void Promise.resolve().then(() => server.hangUp());
      return { ...DISCOVERY, supportedVersions: [STATELESS] };
    });
    await expect(connect(server)).rejects.toMatchObject({ code: 'connection_closed' });
  });

  it('closes the connection after a counter-offer that it cannot use, and names both sides', async () => {
    const server = handshakeServer('1999-01-01');
    await expect(connect(server, { revisions: ['2025-06-18', '2025-03-26'] })).rejects.toMatchObject({
      code: 'no_common_revision',
      message: expect.stringMatching(/1999-01-01.*2025-03-26, 2025-06-18/),
    });
    await turn();
    expect(server.methods()).toEqual(['initialize']);
  });

  it('accepts an older counter-offer', async () => {
    const client = await connect(handshakeServer('2024-11-05'));
    expect(client.revision).toBe('2024-11-05');
  });

  it('proposes another version when initialize is refused with a list of them', async () => {
    const server = handshakeServer('2024-11-05').on('initialize', (params) =>
      params.protocolVersion === '2024-11-05'
        ? { protocolVersion: '2024-11-05', capabilities: {}, serverInfo: { name: 's', version: '1' } }
        : rpcError(-32602, 'Unsupported protocol version', { supported: ['2024-11-05'] }),
    );
    expect((await connect(server)).revision).toBe('2024-11-05');
  });

  it('does not probe when only handshake revisions are allowed', async () => {
    const server = handshakeServer('2025-06-18');
    await connect(server, { revisions: ['2025-06-18'] });
    expect(server.methods()[0]).toBe('initialize');
    expect(server.all('initialize')[0]?.params.protocolVersion).toBe('2025-06-18');
  });

  it('never initializes when only the stateless revision is allowed', async () => {
    const server = handshakeServer();
    await expect(connect(server, { revisions: [STATELESS] })).rejects.toMatchObject({
      code: 'no_common_revision',
    });
    await turn();
    expect(server.methods()).toEqual(['server/discover']);
  });

  it('refuses a revision that does not exist', async () => {
    await expect(connect(statelessServer(), { revisions: ['2020-01-01'] })).rejects.toThrow(
      /Unknown protocol revision/,
    );
  });

  it('reports a refused initialize with its cause', async () => {
    const server = handshakeServer().on('initialize', () => rpcError(-32603, 'database is down'));
    await expect(connect(server)).rejects.toMatchObject({
      code: 'handshake_failed',
      message: expect.stringContaining('database is down'),
      cause: { rpcCode: -32603 },
    });
  });

  it('delivers notifications and answers ping before the answer to initialize, and holds the rest', async () => {
    const seen: string[] = [];
    const server = handshakeServer().on('initialize', () => undefined);
    const connecting = connect(server, {
      roots: [{ uri: 'file:///home' }],
      onNotification: ({ method }) => seen.push(method),
    });
    const initialize = await server.next('initialize');
    server.notify('notifications/message', { level: 'info', data: 'early' });
    server.ask('r1', 'roots/list');
    server.ask('p1', 'ping');
    expect((await server.next()).id).toBe('p1');
    expect(seen).toEqual(['notifications/message']);
    server.answer(initialize, {
      protocolVersion: LATEST_HANDSHAKE,
      capabilities: {},
      serverInfo: { name: 's', version: '1' },
    });
    await connecting;
    expect(await server.next()).toMatchObject({ id: 'r1', result: { roots: [{ uri: 'file:///home' }] } });
    const methods = server.methods();
    expect(methods.indexOf('notifications/initialized')).toBeLessThan(methods.lastIndexOf(undefined));
  });

  it('answers nothing while it probes', async () => {
    const faults: ClientFault[] = [];
    const server = statelessServer().on('server/discover', () => undefined);
    const connecting = connect(server, { onFault: (fault) => faults.push(fault) });
    const probe = await server.next('server/discover');
    server.ask(1, 'ping');
    await turn();
    expect(server.received).toHaveLength(1);
    server.answer(probe, { ...DISCOVERY, supportedVersions: [STATELESS] });
    await connecting;
    await turn();
    expect(server.received).toHaveLength(1);
    expect(faults).toMatchObject([{ kind: 'unexpected_message' }]);
  });

  it('reads capabilities and server info that are not as they should be', async () => {
    const server = handshakeServer().on('initialize', () => ({
      protocolVersion: LATEST_HANDSHAKE,
      capabilities: { tools: true, prompts: null, resources: 'yes' },
    }));
    const client = await connect(server);
    expect(client.capabilities).toEqual({ tools: {} });
    expect(client.server).toBeUndefined();
  });

  it('declares what the handlers can do, as the revision reads it', async () => {
    const handlers = {
      elicit: () => ({ action: 'decline' as const }),
      sample: () => ({
        role: 'assistant' as const,
        content: { type: 'text' as const, text: '' },
        model: 'm',
      }),
      sampleTools: true,
      roots: [],
      capabilities: { extensions: { 'com.example/x': {} } },
    };
    const declared = async (version: string, options = {}): Promise<unknown> => {
      const server = handshakeServer(version);
      await connect(server, { ...handlers, ...options, revisions: [version] });
      return server.all('initialize')[0]?.params.capabilities;
    };
    const extensions = { 'com.example/x': {} };
    expect(await declared('2025-11-25')).toEqual({
      extensions,
      roots: { listChanged: true },
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
      tasks: {
        list: {},
        cancel: {},
        requests: { sampling: { createMessage: {} }, elicitation: { create: {} } },
      },
    });
    expect(await declared('2025-06-18')).toEqual({
      extensions,
      roots: { listChanged: true },
      sampling: {},
      elicitation: {},
    });
    expect(await declared('2024-11-05')).toEqual({ extensions, roots: { listChanged: true }, sampling: {} });
    // An empty declaration would promise forms.
    expect(await declared('2025-06-18', { elicitModes: ['url'] })).not.toHaveProperty('elicitation');
    const server = statelessServer();
    await connect(server, { ...handlers, elicitModes: ['form'] });
    expect(server.received[0] && meta(server.received[0], 'clientCapabilities')).toEqual({
      extensions: { 'io.modelcontextprotocol/tasks': {}, ...extensions },
      roots: {},
      sampling: { tools: {} },
      elicitation: { form: {} },
    });
  });
});

describe('negotiation against the clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('shakes hands after a silent probe, on the same connection', async () => {
    const server = handshakeServer().on('server/discover', () => undefined);
    const connecting = connect(server);
    const probe = await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(2_999);
    expect(server.all('initialize')).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1);
    const client = await connecting;
    expect(client.revision).toBe(LATEST_HANDSHAKE);
    expect(server.connections).toBe(1);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
    expect(client.stats.waiting).toBe(0);
    server.refuse(probe, -32601);
    await turn();
    expect(client.stats).toMatchObject({ late: 1, duplicate: 0, unknown: 0 });
  });

  it('turns stateless when a slow server answers the probe before initialize', async () => {
    const server = new ScriptedServer();
    const connecting = connect(server);
    const probe = await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(3_000);
    const initialize = await server.next('initialize');
    server.answer(probe, { ...DISCOVERY, supportedVersions: [STATELESS] });
    const client = await connecting;
    server.refuse(initialize, -32601);
    await turn();
    expect(client.revision).toBe(STATELESS);
    expect(client.stats.late).toBe(1);
    expect(server.methods()).toEqual(['server/discover', 'initialize']);
  });

  it('turns stateless when a slow server answers the probe and initialize in one piece', async () => {
    const server = new ScriptedServer();
    const connecting = connect(server);
    const probe = await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(3_000);
    const initialize = await server.next('initialize');
    server.answer(probe, { ...DISCOVERY, supportedVersions: [STATELESS, LATEST_HANDSHAKE] });
    server.answer(initialize, { protocolVersion: LATEST_HANDSHAKE, capabilities: {} });
    expect((await connecting).revision).toBe(STATELESS);
  });

  it('waits for a slow probe when initialize is refused first', async () => {
    const server = new ScriptedServer().on('initialize', () => rpcError(-32601));
    const connecting = connect(server);
    const probe = await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(3_000);
    await turn();
    server.answer(probe, { ...DISCOVERY, supportedVersions: [STATELESS] });
    expect((await connecting).revision).toBe(STATELESS);
  });

  it('opens the server again when it leaves between a silent probe and its answer to initialize', async () => {
    const server = handshakeServer().on('server/discover', () => undefined);
    const { connections } = server;
    server.on('initialize', () => {
      if (server.connections > connections + 1)
        return { protocolVersion: LATEST_HANDSHAKE, capabilities: {} };
      void server.hangUp();
      return undefined;
    });
    const connecting = connect(server);
    await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(3_000);
    await connecting;
    expect(server.connections).toBe(2);
    expect(server.all('server/discover')).toHaveLength(1);
  });

  it('ignores a late refusal of the probe', async () => {
    const server = new ScriptedServer();
    const connecting = connect(server);
    const probe = await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(3_000);
    const initialize = await server.next('initialize');
    server.refuse(probe, -32601);
    await turn();
    server.answer(initialize, { protocolVersion: LATEST_HANDSHAKE, capabilities: {} });
    expect((await connecting).revision).toBe(LATEST_HANDSHAKE);
  });

  it('gives up when initialize is not answered, and does not cancel it', async () => {
    const server = new ScriptedServer().on('server/discover', () => rpcError(-32601));
    const connecting = connect(server, { initTimeout: 500 });
    const failure = expect(connecting).rejects.toMatchObject({
      code: 'handshake_failed',
      message: expect.stringContaining('initTimeout'),
    });
    await server.next('initialize');
    await vi.advanceTimersByTimeAsync(500);
    await failure;
    await turn();
    expect(server.methods()).toEqual(['server/discover', 'initialize']);
  });

  it('ends the attempt when its signal fires', async () => {
    const controller = new AbortController();
    const added = vi.spyOn(controller.signal, 'addEventListener');
    const removed = vi.spyOn(controller.signal, 'removeEventListener');
    await connect(handshakeServer(), { signal: controller.signal });
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
    const server = new ScriptedServer();
    const connecting = connect(server, { signal: controller.signal });
    const failure = expect(connecting).rejects.toMatchObject({ code: 'cancelled', cause: 'enough' });
    await server.next('server/discover');
    controller.abort('enough');
    await failure;
    await expect(connect(server, { signal: controller.signal })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('fails with the time it waited when a stateless-only client meets silence', async () => {
    const server = new ScriptedServer();
    const failure = expect(connect(server, { revisions: [STATELESS] })).rejects.toMatchObject({
      code: 'handshake_failed',
      message: expect.stringContaining('70000 ms'),
    });
    await server.next('server/discover');
    await vi.advanceTimersByTimeAsync(70_000);
    await failure;
  });
});
