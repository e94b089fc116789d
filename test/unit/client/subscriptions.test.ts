import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import { connect } from '../../../src/client/index.js';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import {
  handshakeServer,
  meta,
  rpcError,
  type ScriptedServer,
  statelessServer,
  turn,
  type WireMessage,
} from '../../support/scripted-server.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

describe('subscriptions of a handshake server', () => {
  it('are one request for each URI, however many subscribe', async () => {
    const server = handshakeServer()
      .on('resources/subscribe', () => ({}))
      .on('resources/unsubscribe', () => ({}));
    const client = await connect(server);
    const seen: string[] = [];
    const [one, two] = await Promise.all([
      client.resources.subscribe('file:///a', () => seen.push('one')),
      client.resources.subscribe('file:///a', () => seen.push('two')),
    ]);
    const other = await client.resources.subscribe('file:///b', ({ uri }) => seen.push(uri));
    expect(server.all('resources/subscribe').map(({ params }) => params.uri)).toEqual([
      'file:///a',
      'file:///b',
    ]);
    server.notify('notifications/resources/updated', { uri: 'file:///a' });
    server.notify('notifications/resources/updated', { uri: 'file:///b/below' });
    server.notify('notifications/resources/updated', { uri: 'file:///bb' });
    server.notify('notifications/resources/updated', {});
    await turn();
    expect(seen).toEqual(['one', 'two', 'file:///b/below']);
    await one.close();
    await one.close();
    expect(server.all('resources/unsubscribe')).toHaveLength(0);
    await two.close();
    await other.close();
    expect(server.all('resources/unsubscribe').map(({ params }) => params.uri)).toEqual([
      'file:///a',
      'file:///b',
    ]);
    server.notify('notifications/resources/updated', { uri: 'file:///a' });
    await turn();
    expect(seen).toHaveLength(3);
  });

  it('reject with the error of the server, and can be tried again', async () => {
    const server = handshakeServer().on('resources/subscribe', () => rpcError(-32002, 'no such resource'));
    const client = await connect(server);
    await expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject({ rpcCode: -32002 });
    server.on('resources/subscribe', () => ({}));
    await client.resources.subscribe('a:b', () => {});
    expect(server.all('resources/subscribe')).toHaveLength(2);
  });

  it('end on our side also when the server refuses to end them', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer()
      .on('resources/subscribe', () => ({}))
      .on('resources/unsubscribe', () => rpcError(-32603));
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    const subscription = await client.resources.subscribe('a:b', () => {});
    await subscription.close();
    expect(faults).toMatchObject([{ kind: 'subscription' }]);
  });

  it('need no request for list changes', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    const seen: string[] = [];
    client.on('toolsChanged', () => seen.push('tools'));
    client.on('promptsChanged', () => seen.push('prompts'));
    client.on('resourcesChanged', () => seen.push('resources'));
    const off = client.on('resourceUpdated', ({ uri }) => seen.push(uri));
    for (const list of ['tools', 'prompts', 'resources']) server.notify(`notifications/${list}/list_changed`);
    server.notify('notifications/resources/updated', { uri: 'a:b' });
    await turn();
    off();
    server.notify('notifications/resources/updated', { uri: 'a:b' });
    await turn();
    expect(seen).toEqual(['tools', 'prompts', 'resources', 'a:b']);
    expect(server.methods()).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
  });
});

/** Acknowledges what is asked for, or the part given. */
function acknowledge(
  server: ScriptedServer,
  listen: WireMessage,
  notifications: unknown = listen.params.notifications,
): void {
  server.notify('notifications/subscriptions/acknowledged', {
    _meta: { [SUBSCRIPTION]: listen.id },
    notifications,
  });
}

function change(server: ScriptedServer, listen: WireMessage, what: string, params: JsonObject = {}): void {
  server.notify(`notifications/${what}`, { ...params, _meta: { [SUBSCRIPTION]: listen.id } });
}

/** Acknowledges every listen request as soon as it comes. */
function acknowledging(capabilities?: JsonObject): ScriptedServer {
  const server = statelessServer(capabilities);
  return server.on('subscriptions/listen', (_params, message) => {
    acknowledge(server, message);
    return undefined;
  });
}

describe('subscriptions of a stateless server', () => {
  it('are one stream that carries all that is wanted', async () => {
    const server = acknowledging();
    const client = await connect(server);
    const seen: string[] = [];
    await client.resources.subscribe('file:///a', ({ uri }) => seen.push(uri));
    const [first] = server.all('subscriptions/listen');
    expect(first?.params.notifications).toEqual({ resourceSubscriptions: ['file:///a'] });
    expect(first && meta(first, 'protocolVersion')).toBeDefined();
    if (first === undefined) return;
    change(server, first, 'resources/updated', { uri: 'file:///a' });
    await turn();
    expect(seen).toEqual(['file:///a']);
  });

  it('open the new stream before the old one ends, and drop what the old one still says', async () => {
    const server = statelessServer();
    const client = await connect(server);
    const seen: string[] = [];
    const subscribing = client.resources.subscribe('a:1', () => seen.push('1'));
    const first = await server.next('subscriptions/listen');
    acknowledge(server, first);
    await subscribing;
    const more = client.resources.subscribe('a:2', () => seen.push('2'));
    const second = await server.next('subscriptions/listen');
    expect(second.params.notifications).toEqual({ resourceSubscriptions: ['a:1', 'a:2'] });
    change(server, first, 'resources/updated', { uri: 'a:1' });
    await turn();
    expect(seen).toEqual(['1']);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
    acknowledge(server, second);
    change(server, first, 'resources/updated', { uri: 'a:1' });
    change(server, second, 'resources/updated', { uri: 'a:1' });
    change(server, second, 'resources/updated', { uri: 'a:2' });
    await more;
    await turn();
    expect(seen).toEqual(['1', '1', '2']);
    expect(server.all('notifications/cancelled')).toMatchObject([{ params: { requestId: first.id } }]);
  });

  it('resolve when acknowledged, not before', async () => {
    const server = statelessServer();
    const client = await connect(server);
    let ready = false;
    const subscribing = client.resources.subscribe('a:b', () => {}).then(() => (ready = true));
    const listen = await server.next('subscriptions/listen');
    await turn();
    expect(ready).toBe(false);
    server.notify('notifications/subscriptions/acknowledged', {
      _meta: { [SUBSCRIPTION]: 'other' },
      notifications: {},
    });
    await turn();
    expect(ready).toBe(false);
    acknowledge(server, listen);
    await subscribing;
  });

  it('are listened for when somebody wants to know about lists, and no longer than that', async () => {
    const server = acknowledging();
    const client = await connect(server);
    const seen: string[] = [];
    const off = client.on('toolsChanged', () => seen.push('tools'));
    const offToo = client.on('toolsChanged', () => {});
    await turn();
    const [listen] = server.all('subscriptions/listen');
    expect(listen?.params.notifications).toEqual({ toolsListChanged: true });
    if (listen !== undefined) change(server, listen, 'tools/list_changed');
    await turn();
    expect(seen).toEqual(['tools']);
    off();
    await turn();
    expect(server.all('notifications/cancelled')).toHaveLength(0);
    offToo();
    await turn();
    expect(server.all('notifications/cancelled')).toMatchObject([{ params: { requestId: listen?.id } }]);
    expect(server.all('subscriptions/listen')).toHaveLength(1);
  });

  it('gather what is wanted while a stream opens into the next one', async () => {
    const server = statelessServer();
    const client = await connect(server);
    client.on('toolsChanged', () => {});
    const first = await server.next('subscriptions/listen');
    client.on('promptsChanged', () => {});
    client.on('resourcesChanged', () => {});
    const subscribing = client.resources.subscribe('a:b', () => {});
    acknowledge(server, first);
    const second = await server.next('subscriptions/listen');
    expect(second.params.notifications).toEqual({
      toolsListChanged: true,
      promptsListChanged: true,
      resourcesListChanged: true,
      resourceSubscriptions: ['a:b'],
    });
    acknowledge(server, second);
    await subscribing;
    expect(server.all('subscriptions/listen')).toHaveLength(2);
  });

  it('ask only for what the server says it reports', async () => {
    const server = acknowledging({ tools: {}, prompts: { listChanged: true } });
    const client = await connect(server);
    client.on('toolsChanged', () => {});
    await turn();
    expect(server.all('subscriptions/listen')).toHaveLength(0);
    client.on('promptsChanged', () => {});
    await turn();
    expect(server.all('subscriptions/listen')).toMatchObject([
      { params: { notifications: { promptsListChanged: true } } },
    ]);
  });

  it('reject what the acknowledgement leaves out, and report lists left out', async () => {
    const faults: ClientFault[] = [];
    const server = statelessServer();
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    client.on('toolsChanged', () => {});
    const refused = client.resources.subscribe('a:1', () => {});
    const taken = client.resources.subscribe('a:2', () => {});
    const outcome = expect(refused).rejects.toMatchObject({ code: 'not_supported' });
    acknowledge(server, await server.next('subscriptions/listen'), {});
    acknowledge(server, await server.next('subscriptions/listen'), { resourceSubscriptions: ['a:2'] });
    await outcome;
    await taken;
    expect(faults).toMatchObject([{ kind: 'subscription' }, { kind: 'subscription' }]);
    expect((await server.next('subscriptions/listen')).params.notifications).toMatchObject({
      resourceSubscriptions: ['a:2'],
    });
  });

  it('reject with the error of the server when it does not know them', async () => {
    const faults: ClientFault[] = [];
    const server = statelessServer().on('subscriptions/listen', () => rpcError(-32601));
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    await expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject({ rpcCode: -32601 });
    client.on('toolsChanged', () => {});
    await turn();
    expect(faults).toMatchObject([
      { kind: 'subscription', message: expect.stringContaining('toolsListChanged') },
    ]);
  });

  it('take untagged changes for ours, with a fault, and foreign ones for nobody’s', async () => {
    const faults: ClientFault[] = [];
    const server = acknowledging();
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    let changes = 0;
    client.on('toolsChanged', () => (changes += 1));
    await turn();
    server.notify('notifications/tools/list_changed');
    await turn();
    expect(changes).toBe(1);
    expect(faults).toMatchObject([{ kind: 'deviation' }]);
    server.notify('notifications/tools/list_changed', { _meta: { [SUBSCRIPTION]: 'foreign' } });
    await turn();
    expect(changes).toBe(1);
  });

  it('are lost with the connection, and say so to who waits for them', async () => {
    const server = statelessServer();
    const client = await connect(server);
    const subscribing = client.resources.subscribe('a:b', () => {});
    await server.next('subscriptions/listen');
    await server.hangUp();
    await expect(subscribing).rejects.toMatchObject({ code: 'connection_closed' });
  });
});

describe('a stream of changes and the clock', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it.each([
    [
      'a result',
      (server: ScriptedServer, listen: WireMessage) => server.answer(listen, { resultType: 'complete' }),
    ],
    [
      'a notification',
      (server: ScriptedServer, listen: WireMessage) =>
        server.notify('notifications/cancelled', { requestId: listen.id }),
    ],
    [
      'both',
      (server: ScriptedServer, listen: WireMessage) => {
        server.answer(listen, { resultType: 'complete' });
        server.notify('notifications/cancelled', { requestId: listen.id });
      },
    ],
  ])(
    'is opened again after the server ended it by %s, and nothing counts as unchanged',
    async (_case, end) => {
      const faults: ClientFault[] = [];
      const server = acknowledging();
      const client = await connect(server, { onFault: (fault) => faults.push(fault) });
      const seen: string[] = [];
      client.on('toolsChanged', () => seen.push('tools'));
      await client.resources.subscribe('a:b', ({ uri }) => seen.push(uri));
      const listen = server.all('subscriptions/listen').at(-1);
      if (listen !== undefined) end(server, listen);
      await turn();
      const before = server.all('subscriptions/listen').length;
      await vi.advanceTimersByTimeAsync(1_000);
      await turn();
      expect(server.all('subscriptions/listen')).toHaveLength(before + 1);
      expect(seen).toEqual(['tools', 'a:b']);
      expect(faults).toMatchObject([{ kind: 'subscription' }]);
      await client.close();
    },
  );

  it('is opened less and less often while that fails', async () => {
    const server = acknowledging();
    const client = await connect(server);
    client.on('toolsChanged', () => {});
    await turn();
    const [listen] = server.all('subscriptions/listen');
    server.on('subscriptions/listen', () => rpcError(-32603));
    if (listen !== undefined) server.answer(listen, {});
    await turn();
    for (const [wait, count] of [
      [1_000, 2],
      [1_999, 2],
      [1, 3],
      [4_000, 4],
    ] as const) {
      await vi.advanceTimersByTimeAsync(wait);
      await turn();
      expect(server.all('subscriptions/listen')).toHaveLength(count);
    }
    await client.close();
  });

  it('is given up when it is not acknowledged in time', async () => {
    const server = statelessServer();
    const client = await connect(server, { timeout: 500 });
    const outcome = expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject({
      code: 'timeout',
    });
    const listen = await server.next('subscriptions/listen');
    await vi.advanceTimersByTimeAsync(500);
    await outcome;
    expect(await server.next('notifications/cancelled')).toMatchObject({ params: { requestId: listen.id } });
  });

  it('has no time limit once it is open', async () => {
    const server = acknowledging();
    const client = await connect(server);
    await client.resources.subscribe('a:b', () => {});
    await vi.advanceTimersByTimeAsync(86_400_000);
    await turn();
    expect(server.all('subscriptions/listen')).toHaveLength(1);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
  });
});
