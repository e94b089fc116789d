/** Input that is wrong, handlers that misbehave, limits: the server answers cleanly and goes on. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/jsonrpc/message.js';
import { createServer, ProtocolError, type Server, type ServerOptions } from '../../../src/server/index.js';
import { HANDSHAKE_VERSIONS, openRevision, textOf, VERSIONS, WirePeer } from '../../support/wire-peer.js';

function demo(options: Partial<ServerOptions> = {}): { server: Server; errors: unknown[] } {
  const errors: unknown[] = [];
  const server = createServer({
    name: 's',
    version: '1',
    onError: (error) => errors.push(error),
    ...options,
  });
  server.tool('ok', { input: { type: 'object' } }, (args) => JSON.stringify(args));
  return { server, errors };
}

const cycle = (): JsonObject => {
  const value: JsonObject = {};
  value.self = value;
  return value;
};

/** Nothing may become an unhandled rejection: it would end the process. */
const unhandled: unknown[] = [];
const remember = (reason: unknown): void => void unhandled.push(reason);
beforeEach(() => {
  unhandled.length = 0;
  process.on('unhandledRejection', remember);
});
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off('unhandledRejection', remember);
  expect(unhandled).toEqual([]);
});

describe.each(VERSIONS)('in %s', (version) => {
  test.each<[string, unknown]>([
    ['a cycle', cycle()],
    ['a BigInt', { big: 1n }],
    ['a toJSON that throws', { toJSON: () => JSON.parse('{') }],
    ['a toJSON that gives no object', { toJSON: () => 'text' }],
    ['a toJSON that gives nothing', { toJSON: () => undefined }],
    ['a list', [1, 2]],
    ['nothing', undefined],
    ['text', 'text'],
  ])('a method that returns %s is an internal error, at once or later', async (_name, value) => {
    const { server, errors } = demo();
    server.method('x/sync', () => value as JsonObject);
    server.method('x/async', async () => value as JsonObject);
    const peer = await openRevision(server, version);
    for (const method of ['x/sync', 'x/async']) {
      expect(await peer.refusal(method)).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(errors).toEqual([expect.any(Error), expect.any(Error)]);
    expect(textOf(await peer.tool('ok'))).toBe('{}');
  });

  test.each<[string, unknown]>([
    ['a cycle', cycle()],
    ['a BigInt', 1n],
  ])('a tool, prompt or resource that returns %s fails cleanly', async (_name, value) => {
    const { server, errors } = demo();
    server.tool('sync', {}, () => value as string);
    server.tool('async', {}, async () => value as string);
    server.tool('structured', { output: { type: 'object' } }, () => ({ value }));
    server.prompt('p', {}, () => ({ messages: [], _meta: { value } }));
    server.resource('test:r', {}, async () => ({ contents: [], _meta: { value } }));
    const peer = await openRevision(server, version);
    for (const name of ['sync', 'async', 'structured']) {
      const result = await peer.tool(name);
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: `Tool "${name}" failed unexpectedly` }],
      });
    }
    expect((await peer.refusal('prompts/get', { name: 'p' })).code).toBe(-32603);
    expect((await peer.refusal('resources/read', { uri: 'test:r' })).code).toBe(-32603);
    expect(errors).toHaveLength(5);
  });

  test('an error whose data is no JSON arrives without it', async () => {
    const { server } = demo();
    server.method('x/fail', () => {
      throw new ProtocolError('application', 'broken', { rpcCode: 7, data: cycle() });
    });
    const peer = await openRevision(server, version);
    expect(await peer.refusal('x/fail')).toEqual({ code: 7, message: 'broken' });
  });

  test.each<[string, unknown]>([
    ['an Error', new Error('hunter2')],
    ['a string', 'hunter2'],
    ['undefined', undefined],
    ['null', null],
  ])('a method that throws %s is an internal error without detail', async (_name, thrown) => {
    const { server, errors } = demo();
    server.method('x/sync', () => {
      throw thrown;
    });
    server.method('x/async', () => Promise.reject(thrown));
    const peer = await openRevision(server, version);
    for (const method of ['x/sync', 'x/async']) {
      expect(await peer.refusal(method)).toEqual({ code: -32603, message: 'Internal error' });
    }
    expect(errors).toEqual([thrown, thrown]);
  });

  test('an onError that throws harms nobody', async () => {
    const server = createServer({
      name: 's',
      version: '1',
      onError: () => {
        throw new Error('from onError');
      },
    });
    const complaints: unknown[] = [];
    const original = console.error;
    console.error = (...args: unknown[]) => complaints.push(args);
    try {
      server.tool('sync', {}, () => {
        throw new Error('x');
      });
      server.tool('async', {}, async () => {
        throw new Error('x');
      });
      server.onNotification('x/y', () => {
        throw new Error('x');
      });
      const peer = await openRevision(server, version);
      peer.wire.notify('x/y');
      expect(await peer.tool('sync')).toMatchObject({ isError: true });
      expect(await peer.tool('async')).toMatchObject({ isError: true });
    } finally {
      console.error = original;
    }
    expect(complaints.length).toBeGreaterThan(0);
  });

  test('more calls than the limit are refused, and there is room again when some have ended', async () => {
    const { server } = demo({ limits: { concurrentCalls: 3 } });
    const resume: (() => void)[] = [];
    server.tool('hang', {}, () => new Promise<void>((resolve) => resume.push(resolve)));
    const peer = await openRevision(server, version);
    await peer.tool('ok'); // loads the validator
    const ids = ['a', 'b', 'c'].map((id) => peer.post('tools/call', { name: 'hang' }, id));
    const fourth = await peer.request('tools/call', { name: 'hang' }, 'd');
    expect(fourth.error).toMatchObject({ code: -32603, message: expect.stringMatching(/Too many calls/) });
    expect(resume).toHaveLength(3);
    resume[0]?.();
    await peer.wire.answerTo(ids[0]);
    expect(textOf(await peer.tool('ok'))).toBe('{}');
    for (const go of resume) go();
    await Promise.all(ids.slice(1).map((id) => peer.wire.answerTo(id)));
  });

  test('an id that is still in use is refused, so that it cannot slip past the limit or the cancellation', async () => {
    const { server } = demo({ limits: { concurrentCalls: 3 } });
    let started = 0;
    const aborted: unknown[] = [];
    server.tool('hang', {}, (_args, ctx) => {
      started += 1;
      ctx.signal.addEventListener('abort', () => aborted.push(ctx.signal.reason));
      return new Promise<void>(() => {});
    });
    const peer = await openRevision(server, version);
    await peer.tool('ok');
    for (let index = 0; index < 10; index += 1) peer.post('tools/call', { name: 'hang' }, 'same');
    await peer.quiet();
    expect(started).toBe(1);
    const refusals = peer.wire.received.filter(({ id }) => id === 'same');
    expect(refusals).toHaveLength(9);
    for (const { error } of refusals) expect(error?.code).toBe(-32600);
    await peer.wire.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(aborted).toHaveLength(1);
  });

  test('names that differ in case, carry a NUL or lean on prototypes reach nothing', async () => {
    const { server } = demo();
    const peer = await openRevision(server, version);
    const meta = JSON.stringify(peer.params()._meta ?? {});
    const raw = (members: string) => `{"jsonrpc":"2.0","id":"raw",${members}}`;
    const attempts: [string, number][] = [
      [`"Method":"tools/call","params":{"name":"ok","_meta":${meta}}`, -32600],
      [`"method\\u0000":"tools/call","params":{"name":"ok","_meta":${meta}}`, -32600],
      [`"__proto__":{"method":"tools/call"},"params":{"name":"ok","_meta":${meta}}`, -32600],
      [`"method":"TOOLS/CALL","params":{"name":"ok","_meta":${meta}}`, -32601],
      [`"method":"tools/call\\u0000","params":{"name":"ok","_meta":${meta}}`, -32601],
      [`"method":"__proto__","params":{"_meta":${meta}}`, -32601],
      [`"method":"constructor","params":{"_meta":${meta}}`, -32601],
      [`"method":"toString","params":{"_meta":${meta}}`, -32601],
      [`"method":"tools/call","params":{"Name":"ok","_meta":${meta}}`, -32602],
      [`"method":"tools/call","params":{"__proto__":{"name":"ok"},"_meta":${meta}}`, -32602],
      [`"method":"tools/call","params":{"name\\u0000":"ok","_meta":${meta}}`, -32602],
    ];
    for (const [members, code] of attempts) {
      peer.wire.send(raw(members));
      expect((await peer.wire.answerTo('raw')).error?.code, members).toBe(code);
    }
  });

  test('of duplicate keys the last one decides, for what is checked and what is run alike', async () => {
    const { server } = demo();
    server.tool('other', {}, () => 'other');
    const seen: unknown[] = [];
    server.use('tools/call', (call, next) => {
      seen.push(call.params.name);
      return next();
    });
    const peer = await openRevision(server, version);
    const meta = JSON.stringify(peer.params()._meta ?? {});
    peer.wire.send(
      `{"jsonrpc":"2.0","id":"dup","method":"tools/list","method":"tools/call","params":{"name":"ok","name":"other","_meta":${meta}}}`,
    );
    expect(textOf((await peer.wire.answerTo('dup')).result ?? {})).toBe('other');
    expect(seen).toEqual(['other']);
  });

  test('arguments named __proto__ stay data', async () => {
    const { server } = demo();
    const peer = await openRevision(server, version);
    const meta = JSON.stringify(peer.params()._meta ?? {});
    peer.wire.send(
      `{"jsonrpc":"2.0","id":"p","method":"tools/call","params":{"name":"ok","arguments":{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}},"_meta":${meta}}}`,
    );
    const said = textOf((await peer.wire.answerTo('p')).result ?? {});
    expect(said).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  test('nesting of a hundred thousand levels is refused, with the id', async () => {
    const { server } = demo();
    const peer = await openRevision(server, version);
    const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    peer.wire.send(
      `{"jsonrpc":"2.0","id":"deep","method":"tools/call","params":{"name":"ok","arguments":{"a":${deep}}}}`,
    );
    expect((await peer.wire.answerTo('deep')).error).toMatchObject({
      code: -32600,
      message: expect.stringMatching(/Nested/),
    });
    expect(textOf(await peer.tool('ok'))).toBe('{}');
  });

  test('what is no JSON, or no message, is answered as the revision says, and counted', async () => {
    const { server } = demo();
    const peer = await openRevision(server, version);
    const unreadable = version < '2025-11-25' ? null : undefined;
    for (const [text, code] of [
      ['{', -32700],
      ['nonsense', -32700],
      ['5', -32600],
      ['"text"', -32600],
      ['{}', -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
      ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ] as const) {
      peer.wire.send(text);
      expect((await peer.wire.answerTo(unreadable)).error?.code, text).toBe(code);
    }
    peer.wire.send('{"jsonrpc":"2.0","id":77}');
    expect((await peer.wire.answerTo(77)).error?.code).toBe(-32600);
    expect(server.stats.malformed).toBe(8);
  });
});

describe('notification handlers', () => {
  test.each(HANDSHAKE_VERSIONS)(
    'that fail, at once or later, are reported and harm nobody (%s)',
    async (version) => {
      const { server, errors } = demo();
      server.onNotification('x/y', () => {
        throw new Error('sync');
      });
      server.onNotification('x/y', async () => {
        throw new Error('async');
      });
      const heard: unknown[] = [];
      const last = server.onNotification('x/y', (params) => void heard.push(params));
      const peer = await openRevision(server, version);
      peer.wire.notify('x/y', { a: 1 });
      await peer.quiet();
      expect(heard).toEqual([{ a: 1 }]);
      expect(errors.map(String)).toEqual(['Error: sync', 'Error: async']);
      expect(last.remove()).toBe(true);
      peer.wire.notify('x/y');
      await peer.quiet();
      expect(heard).toHaveLength(1);
    },
  );
});

describe.each(VERSIONS)('methods of the author in %s', (version) => {
  test('are served with their params and context, and removed at run time', async () => {
    const { server } = demo();
    const method = server.method('example/add', ({ a, b }, ctx) => ({
      sum: Number(a) + Number(b),
      revision: ctx.caller.revision,
    }));
    const peer = await openRevision(server, version);
    expect(await peer.call('example/add', { a: 1, b: 2 })).toMatchObject({ sum: 3, revision: version });
    expect(method.remove()).toBe(true);
    expect((await peer.refusal('example/add')).code).toBe(-32601);
  });

  test('cannot take the place of the protocol, nor of each other', () => {
    const { server } = demo();
    for (const name of ['tools/call', 'ping', 'server/discover', 'subscriptions/listen']) {
      expect(() => server.method(name, () => ({}))).toThrow(/already served/);
    }
    server.method('x/y', () => ({}));
    expect(() => server.method('x/y', () => ({}))).toThrow(/already served/);
  });
});

describe('two clients', () => {
  test.each(VERSIONS)('with the same ids at the same time get their own answers (%s)', async (version) => {
    const { server } = demo();
    const resume: (() => void)[] = [];
    server.tool('whoami', {}, async (_args, ctx) => {
      await new Promise<void>((resolve) => resume.push(resolve));
      return ctx.caller.client?.name ?? '';
    });
    const peers = await Promise.all(
      ['ada', 'bob'].map((name) => openRevision(server, version, { clientInfo: { name, version: '1' } })),
    );
    await Promise.all(peers.map((peer) => peer.tool('ok')));
    const answers = peers.map((peer) => peer.request('tools/call', { name: 'whoami' }, 'same'));
    await Promise.all(peers.map((peer) => peer.quiet()));
    for (const go of resume.reverse()) go();
    expect((await Promise.all(answers)).map(({ result }) => textOf(result ?? {}))).toEqual(['ada', 'bob']);
    for (const peer of peers) expect(peer.wire.received.filter(({ id }) => id === 'same')).toHaveLength(1);
  });
});

describe('a call of a client that has gone', () => {
  test('is cancelled, and its answer is not even tried', async () => {
    const { server } = demo();
    let finish = (): void => {};
    let begun = (): void => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    server.method('x/slow', async () => {
      begun();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
      return {};
    });
    const peer = await WirePeer.connect(server);
    await peer.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
    peer.post('x/slow');
    await started;
    await peer.close();
    finish();
    await new Promise((resolve) => setImmediate(resolve));
    expect(server.stats.lost).toBe(0);
  });
});
