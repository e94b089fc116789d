import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientFault } from '../../../src/client/events.js';
import {
  CancelledError,
  type Client,
  ConnectionClosedError,
  connect,
  ProtocolError,
} from '../../../src/client/index.js';
import type { ProgressParams } from '../../../src/protocol/model/index.js';
import { TransportError } from '../../../src/transports/errors.js';
import type { Receiver, Transport } from '../../../src/transports/transport.js';
import {
  handshakeServer,
  meta,
  STATELESS,
  statelessServer,
  token,
  turn,
} from '../../support/scripted-server.js';

const HELLO = { content: [{ type: 'text', text: 'hello' }] };

describe('a call', () => {
  it('goes out plain to a handshake server and with its envelope to a stateless one', async () => {
    const old = handshakeServer().on('tools/call', () => HELLO);
    await (await connect(old)).tools.call('echo', { a: 1 });
    expect(old.all('tools/call')[0]?.params).toEqual({ name: 'echo', arguments: { a: 1 } });

    const modern = statelessServer().on('tools/call', () => ({ resultType: 'complete', ...HELLO }));
    await (await connect(modern, { name: 'me', version: '1', logLevel: 'warning' })).tools.call('echo');
    const [call] = modern.all('tools/call');
    expect(call?.params).toMatchObject({ name: 'echo', arguments: {} });
    expect(call && meta(call, 'protocolVersion')).toBe(STATELESS);
    expect(call && meta(call, 'clientCapabilities')).toEqual({
      extensions: { 'io.modelcontextprotocol/tasks': {} },
    });
    expect(call && meta(call, 'clientInfo')).toEqual({ name: 'me', version: '1' });
    expect(call && meta(call, 'logLevel')).toBe('warning');
  });

  it('carries what the caller adds to _meta, and never two values for one key', async () => {
    const server = statelessServer().on('tools/call', () => HELLO);
    const client = await connect(server);
    await client.tools.call(
      'echo',
      {},
      {
        meta: { traceparent: '00-1-2-01', 'io.modelcontextprotocol/protocolVersion': 'mine' },
        onProgress: () => {},
      },
    );
    const [call] = server.all('tools/call');
    expect(call && meta(call, 'protocolVersion')).toBe(STATELESS);
    expect(call?.params._meta).toMatchObject({ traceparent: '00-1-2-01', progressToken: expect.any(Number) });

    const old = handshakeServer().on('tools/call', () => HELLO);
    await (await connect(old)).request('tools/call', { name: 'x', _meta: { a: 1 } }, { meta: { b: 2 } });
    expect(old.all('tools/call')[0]?.params).toEqual({ name: 'x', _meta: { a: 1, b: 2 } });
  });

  it('rejects with the error of the server, number and data unchanged', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    const call = client.tools.call('x');
    server.send({
      jsonrpc: '2.0',
      id: (await server.next('tools/call')).id,
      error: { code: -4711, data: { a: 1 } },
    });
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({
      code: 'application',
      rpcCode: -4711,
      data: { a: 1 },
      message: expect.any(String),
    });
  });

  it('rejects an answer that is no JSON-RPC answer at once', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    const call = client.tools.call('x');
    const { id } = await server.next('tools/call');
    server.send({ jsonrpc: '2.0', id, result: 'text' });
    await expect(call).rejects.toMatchObject({ code: 'invalid_result' });
  });

  it('rejects arguments that have no JSON, and leaves nothing behind', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    const controller = new AbortController();
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    await expect(
      client.tools.call('x', circular, { signal: controller.signal, onProgress: () => {} }),
    ).rejects.toThrow(/circular/);
    controller.abort();
    await turn();
    expect(server.all('tools/call')).toHaveLength(0);
    expect(server.all('notifications/cancelled')).toHaveLength(0);
    expect(client.stats.waiting).toBe(0);
  });

  it('does not send what the server did not declare', async () => {
    const server = handshakeServer('2025-11-25', {});
    const client = await connect(server);
    await expect(client.tools.call('x')).rejects.toMatchObject({ code: 'not_supported' });
    await expect(client.tools.list()).rejects.toMatchObject({ code: 'not_supported' });
    await expect(client.resources.read('a:b')).rejects.toMatchObject({ code: 'not_supported' });
    await expect(client.resources.subscribe('a:b', () => {})).rejects.toMatchObject({
      code: 'not_supported',
    });
    await expect(client.prompts.get('x')).rejects.toMatchObject({ code: 'not_supported' });
    await expect(client.logging.setLevel('info')).rejects.toMatchObject({ code: 'not_supported' });
    const complete = client.completion.complete({ type: 'ref/prompt', name: 'p' }, { name: 'a', value: '' });
    await expect(complete).rejects.toMatchObject({ code: 'not_supported' });
    await turn();
    expect(server.methods().at(-1)).toBe('notifications/initialized');
  });

  it('tells late, second and foreign answers apart, and drops them all', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer();
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    const controller = new AbortController();
    const given = client.tools.call('slow', {}, { signal: controller.signal });
    const slow = await server.next('tools/call');
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: 'cancelled' });
    server.answer(slow, HELLO);
    const done = client.tools.call('quick');
    const quick = await server.next('tools/call');
    server.answer(quick, HELLO);
    server.answer(quick, HELLO);
    server.send({ jsonrpc: '2.0', id: 'nobody', result: {} });
    await done;
    await turn();
    expect(client.stats).toEqual({ late: 1, duplicate: 1, unknown: 1, malformed: 0, waiting: 0 });
    expect(faults.map(({ kind }) => kind)).toEqual(['unexpected_answer', 'unexpected_answer']);
  });

  it('keeps the type of ids: the string "1" does not answer the number 1', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    const call = client.tools.call('x');
    const message = await server.next('tools/call');
    server.send({ jsonrpc: '2.0', id: String(message.id), result: HELLO });
    await turn();
    expect(client.stats).toMatchObject({ unknown: 1, waiting: 1 });
    server.answer(message, HELLO);
    await call;
  });

  it('survives noise of every kind', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer().on('tools/call', () => HELLO);
    const client = await connect(server, { onFault: (fault) => faults.push(fault) });
    for (const noise of [
      'banner',
      '{"log":1}',
      '[]',
      'null',
      '{"jsonrpc":"2.0","error":{"code":1,"message":"x"}}',
    ]) {
      server.send(noise);
    }
    server.send({ jsonrpc: '2.0', id: 5, result: {}, error: { code: 1, message: '' } });
    await expect(client.tools.call('x')).resolves.toMatchObject({ isError: false });
    expect(faults.length).toBeGreaterThanOrEqual(5);
  });
});

describe('cancelling', () => {
  it.each([
    ['handshake', handshakeServer],
    ['stateless', statelessServer],
  ])('sends one notification to a %s server', async (_era, create) => {
    const server = create();
    const client = await connect(server);
    const controller = new AbortController();
    const call = client.tools.call('slow', {}, { signal: controller.signal });
    const request = await server.next('tools/call');
    controller.abort(new Error('changed my mind'));
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'cancelled', cause: { message: 'changed my mind' } });
    await turn();
    expect(server.all('notifications/cancelled')).toMatchObject([{ params: { requestId: request.id } }]);
  });

  it('sends nothing at all when the signal has fired before', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    await turn();
    const before = server.received.length;
    const reason = new Error('never wanted');
    const failure = { code: 'cancelled', cause: reason, mayHaveActed: false };
    const options = { signal: AbortSignal.abort(reason) };
    await expect(client.tools.call('x', {}, options)).rejects.toMatchObject(failure);
    await turn();
    expect(server.received).toHaveLength(before);
    await client.close();
    await expect(client.tools.call('x', {}, options)).rejects.toMatchObject(failure);
  });

  it('rejects with the reason that the signal was aborted with, and says what the server may have done', async () => {
    const server = handshakeServer();
    const client = await connect(server);
    const controller = new AbortController();
    const call = client.tools.call('slow', {}, { signal: controller.signal });
    await server.next('tools/call');
    const reason = new DOMException('The page was left', 'AbortError');
    controller.abort(reason);
    const error = await call.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(CancelledError);
    expect(error).toMatchObject({ code: 'cancelled', mayHaveActed: true });
    expect(error).toHaveProperty('cause', reason);
    expect(error).toHaveProperty('message', expect.stringContaining('The page was left'));
  });

  it('takes its listener off the signal when the call is over', async () => {
    const server = handshakeServer().on('tools/call', () => HELLO);
    const client = await connect(server);
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    const removed = vi.spyOn(signal, 'removeEventListener');
    await client.tools.call('x', {}, { signal });
    expect(added).toHaveBeenCalledTimes(1);
    expect(removed.mock.calls[0]?.slice(0, 2)).toEqual(added.mock.calls[0]?.slice(0, 2));
  });
});

describe('a closed connection', () => {
  it('rejects every call under way, and those that come after', async () => {
    const server = handshakeServer();
    const closes: string[] = [];
    const client = await connect(server, { recover: false });
    client.on('close', ({ kind }) => closes.push(kind));
    const calls = [client.tools.call('a'), client.tools.call('b')];
    await server.next('tools/call');
    await server.hangUp();
    for (const call of calls) await expect(call).rejects.toBeInstanceOf(ConnectionClosedError);
    await expect(client.tools.call('c')).rejects.toMatchObject({ code: 'connection_closed' });
    await expect(client.notify('x/y')).rejects.toMatchObject({ code: 'connection_closed' });
    expect(closes).toEqual(['remote']);
    await client.close();
    expect(closes).toEqual(['remote']);
  });

  it('says so when it was this side that closed it', async () => {
    const server = statelessServer();
    const client = await connect(server);
    const call = client.tools.call('a');
    await client.close();
    await expect(call).rejects.toMatchObject({ code: 'connection_closed', reason: { kind: 'local' } });
  });

  it('tells how the process ended and what it last said', async () => {
    const exit = new ConnectionClosedError('node server.js', {
      kind: 'exit',
      code: 3,
      signal: null,
      stderr: 'Error: no database\n',
    });
    expect(exit).toMatchObject({ exitCode: 3, stderr: 'Error: no database\n', code: 'connection_closed' });
    expect(exit.message).toMatch(/node server\.js ended with exit code 3; .*\nError: no database$/);
  });

  it('waits for the reason when a write fails because the connection is going', async () => {
    const transport = new FailingTransport(new TransportError('connection_closed', 'not running'));
    const client = await connect(transport, { revisions: ['2025-11-25'] });
    const call = client.tools.call('x');
    await turn();
    transport.receiver?.closed({ kind: 'exit', code: 1, signal: null, stderr: 'boom' });
    await expect(call).rejects.toMatchObject({ exitCode: 1, stderr: 'boom' });
  });

  it.each([['rejects'], ['throws']] as const)(
    'rejects a call at once when sending %s for another reason',
    async (how) => {
      const transport = new FailingTransport(new TransportError('queue_full', 'the queue is full'), how);
      const client = await connect(transport, { revisions: ['2025-11-25'] });
      await expect(client.tools.call('x')).rejects.toThrow(/queue is full/);
      expect(client.stats.waiting).toBe(0);
    },
  );
});

/** Takes the handshake and fails on everything after it. */
class FailingTransport implements Transport {
  readonly label = 'failing';
  receiver: Receiver | undefined;
  readonly #error: Error;
  readonly #how: 'rejects' | 'throws';

  constructor(error: Error, how: 'rejects' | 'throws' = 'rejects') {
    this.#error = error;
    this.#how = how;
  }

  async start(receiver: Receiver): Promise<void> {
    this.receiver = receiver;
  }

  send(message: unknown): void | Promise<void> {
    if (typeof message !== 'string' || message.includes('notifications/initialized')) return;
    if (message.includes('"initialize"')) {
      const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} };
      queueMicrotask(() =>
        this.receiver?.message({ kind: 'result', message: { jsonrpc: '2.0', id: 1, result } }, ''),
      );
      return;
    }
    if (this.#how === 'throws') throw this.#error;
    return Promise.reject(this.#error);
  }

  async close(): Promise<void> {}
}

describe('time', () => {
  const clients: Client[] = [];
  const open: typeof connect = async (target, options) => {
    const client = await connect(target, options);
    clients.push(client);
    return client;
  };
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });

  it('ends a call that is not answered, cancels it once, and drops the late answer', async () => {
    const server = handshakeServer();
    const client = await open(server, { recover: false });
    const call = client.tools.call('slow');
    const failure = expect(call).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringMatching(/tools\/call .* 30000 ms.*onProgress/),
    });
    const request = await server.next('tools/call');
    await vi.advanceTimersByTimeAsync(30_000);
    await failure;
    server.answer(request, HELLO);
    await turn();
    expect(server.all('notifications/cancelled')).toMatchObject([{ params: { requestId: request.id } }]);
    expect(client.stats.late).toBe(1);
  });

  it('takes the time from the call, then from the client', async () => {
    const server = handshakeServer();
    const client = await open(server, { recover: false, timeout: 200 });
    const short = expect(client.tools.call('a', {}, { timeout: 100 })).rejects.toThrow(/100 ms/);
    const usual = expect(client.tools.call('b')).rejects.toThrow(/200 ms/);
    await vi.advanceTimersByTimeAsync(100);
    await short;
    await vi.advanceTimersByTimeAsync(100);
    await usual;
  });

  it('waits for ever when told so', async () => {
    const server = handshakeServer();
    const client = await open(server, { recover: false });
    const call = client.tools.call('slow', {}, { timeout: Number.POSITIVE_INFINITY });
    const request = await server.next('tools/call');
    await vi.advanceTimersByTimeAsync(10_000_000);
    server.answer(request, HELLO);
    await call;
  });

  it('starts again with each progress, up to the hard maximum', async () => {
    const seen: ProgressParams[] = [];
    const server = statelessServer();
    const client = await open(server, { recover: false });
    const call = client.tools.call(
      'long',
      {},
      {
        timeout: 1_000,
        maxTimeout: 2_500,
        onProgress: (progress) => seen.push(progress),
      },
    );
    const failure = expect(call).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('maxTimeout'),
    });
    const request = await server.next('tools/call');
    const progressToken = token(request);
    for (const progress of [1, 2]) {
      await vi.advanceTimersByTimeAsync(900);
      server.notify('notifications/progress', { progressToken, progress, total: 9, message: 'on it' });
      await turn();
    }
    expect(seen).toMatchObject([{ progress: 1, total: 9, message: 'on it' }, { progress: 2 }]);
    await vi.advanceTimersByTimeAsync(699);
    expect(client.stats.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    await failure;
    server.notify('notifications/progress', { progressToken, progress: 3 });
    await turn();
    expect(seen).toHaveLength(2);
    expect(server.all('notifications/cancelled')).toHaveLength(1);
  });

  it('ignores progress that is not its own, and progress that is none', async () => {
    const seen: unknown[] = [];
    const server = handshakeServer();
    const client = await open(server, { recover: false });
    const call = client.tools.call('long', {}, { onProgress: (progress) => seen.push(progress) });
    const plain = client.tools.call('plain');
    const request = await server.next('tools/call');
    const other = await server.next('tools/call');
    expect(token(other)).toBeUndefined();
    server.notify('notifications/progress', { progressToken: other.id, progress: 1 });
    server.notify('notifications/progress', { progressToken: `${token(request)}`, progress: 1 });
    server.notify('notifications/progress', { progressToken: token(request), progress: 'much' });
    server.notify('$/progress', { token: token(request), progress: 4 });
    await turn();
    expect(seen).toMatchObject([{ progress: 4 }]);
    server.answer(request, HELLO);
    server.answer(other, HELLO);
    await Promise.all([call, plain]);
    server.notify('notifications/progress', { progressToken: token(request), progress: 5 });
    await turn();
    expect(seen).toHaveLength(1);
  });

  it('reports an onProgress that throws, and goes on', async () => {
    const faults: ClientFault[] = [];
    const server = handshakeServer();
    const client = await open(server, { recover: false, onFault: (fault) => faults.push(fault) });
    const onProgress = (): void => {
      throw new Error('display broke');
    };
    const call = client.tools.call('long', {}, { onProgress });
    const request = await server.next('tools/call');
    server.notify('notifications/progress', { progressToken: token(request), progress: 1 });
    server.answer(request, HELLO);
    await call;
    expect(faults).toMatchObject([{ kind: 'handler', message: expect.stringContaining('display broke') }]);
  });

  it('gives progress tokens that are unique among active calls', async () => {
    const server = handshakeServer();
    const client = await open(server, { recover: false });
    const calls = Array.from({ length: 20 }, () => client.tools.call('x', {}, { onProgress: () => {} }));
    await turn();
    const requests = server.all('tools/call');
    expect(new Set(requests.map(token)).size).toBe(20);
    for (const request of requests) server.answer(request, HELLO);
    await Promise.all(calls);
  });

  it('does not charge a call with the time that our own user took to answer a question', async () => {
    let answer = (): void => {};
    const server = handshakeServer();
    const client = await open(server, {
      recover: false,
      elicit: () => new Promise((resolve) => (answer = () => resolve({ action: 'decline' }))),
    });
    const call = client.tools.call('asks', {}, { timeout: 1_000 });
    await server.next('tools/call');
    server.ask('q', 'elicitation/create', {
      message: '?',
      requestedSchema: { type: 'object', properties: {} },
    });
    await turn();
    await vi.advanceTimersByTimeAsync(60_500);
    answer();
    expect((await server.next()).result).toEqual({ action: 'decline' });
    await vi.advanceTimersByTimeAsync(900);
    expect(client.stats.waiting).toBe(1);
    const failure = expect(call).rejects.toMatchObject({ code: 'timeout' });
    await vi.advanceTimersByTimeAsync(100);
    await failure;
  });

  it('is not held up by a server that asks for what takes no time', async () => {
    const server = handshakeServer();
    const client = await open(server, { recover: false, roots: [] });
    const failure = expect(client.tools.call('asks', {}, { timeout: 1_000 })).rejects.toMatchObject({
      code: 'timeout',
    });
    for (let id = 1; id <= 4; id += 1) {
      server.ask(id, 'roots/list');
      await turn();
      await vi.advanceTimersByTimeAsync(250);
    }
    await failure;
  });

  it('keeps the hard maximum apart from the time that our own user took', async () => {
    let answer = (): void => {};
    const server = handshakeServer();
    const client = await open(server, {
      recover: false,
      elicit: () =>
        new Promise((resolve) => {
          answer = () => resolve({ action: 'decline' });
        }),
    });
    const options = { timeout: 1_000, maxTimeout: 1_500, onProgress: () => {} };
    const failure = expect(client.tools.call('asks', {}, options)).rejects.toMatchObject({ code: 'timeout' });
    const request = await server.next('tools/call');
    server.ask('q', 'elicitation/create', {
      message: '?',
      requestedSchema: { type: 'object', properties: {} },
    });
    await turn();
    await vi.advanceTimersByTimeAsync(10_000);
    answer();
    await turn();
    for (const progress of [1, 2]) {
      await vi.advanceTimersByTimeAsync(700);
      server.notify('notifications/progress', { progressToken: token(request), progress });
      await turn();
      expect(client.stats.waiting).toBe(1);
    }
    await vi.advanceTimersByTimeAsync(100);
    await failure;
  });
});
