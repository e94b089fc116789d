/** What a call says while it runs: log messages and progress, in both eras. */

import { describe, expect, test } from 'vitest';
import { LOG_LEVELS } from '../../../src/protocol/model/logging.js';
import { type Context, createServer, type Server, type ServerOptions } from '../../../src/server/index.js';
import { HANDSHAKE_VERSIONS, openRevision, type RevisionPeer, VERSIONS } from '../../support/wire-peer.js';

/** A server whose one tool does what the test says. */
function doing(act: (ctx: Context) => unknown, options: Partial<ServerOptions> = {}): Server {
  const server = createServer({ name: 's', version: '1', ...options });
  server.tool('act', { input: { type: 'object' } }, async (_args, ctx) => {
    await act(ctx);
    return 'done';
  });
  return server;
}

const logAll = (ctx: Context): void => {
  for (const level of LOG_LEVELS) ctx.log(level, { at: level }, 'logger');
};

const levels = (peer: RevisionPeer): unknown[] =>
  peer.wire.all('notifications/message').map(({ params }) => params?.level);

describe('log messages of a session', () => {
  test.each(HANDSHAKE_VERSIONS)('follow logging/setLevel, and begin at info (%s)', async (version) => {
    const peer = await openRevision(doing(logAll), version);
    await peer.tool('act');
    expect(levels(peer)).toEqual(LOG_LEVELS.slice(1));
    expect(peer.wire.all('notifications/message')[0]?.params).toEqual({
      level: 'info',
      logger: 'logger',
      data: { at: 'info' },
    });
    for (const [index, level] of LOG_LEVELS.entries()) {
      const before = levels(peer).length;
      expect(await peer.call('logging/setLevel', { level })).toEqual({});
      await peer.tool('act');
      expect(levels(peer).slice(before)).toEqual(LOG_LEVELS.slice(index));
    }
  });

  test.each(['loud', '', 5, null, undefined, 'INFO', '__proto__'])(
    'a level of %j is refused',
    async (level) => {
      const peer = await openRevision(doing(logAll), '2025-06-18');
      expect((await peer.refusal('logging/setLevel', { level })).code).toBe(-32602);
      await peer.tool('act');
      expect(levels(peer)).toEqual(LOG_LEVELS.slice(1));
    },
  );

  test('a level belongs to its session alone', async () => {
    const server = doing(logAll);
    const [one, two] = [await openRevision(server, '2025-06-18'), await openRevision(server, '2025-06-18')];
    await one.call('logging/setLevel', { level: 'emergency' });
    await Promise.all([one.tool('act'), two.tool('act')]);
    expect([levels(one).length, levels(two).length]).toEqual([1, 7]);
  });

  test('server.log reaches every session that is ready and admits the level, and no stateless client', async () => {
    const server = doing(logAll);
    const ready = await openRevision(server, '2025-06-18');
    const strict = await openRevision(server, '2024-11-05');
    const unready = await openRevision(server, '2025-06-18', { initialized: false });
    const stateless = await openRevision(server, '2026-07-28', { logLevel: 'debug' });
    await strict.call('logging/setLevel', { level: 'error' });
    server.log('notice', 'hello', 'main');
    expect((await ready.wire.notification('notifications/message')).params).toEqual({
      level: 'notice',
      logger: 'main',
      data: 'hello',
    });
    for (const peer of [strict, unready, stateless]) {
      await peer.wire.request('ping');
      expect(levels(peer)).toEqual([]);
    }
  });
});

describe('log messages of a stateless request', () => {
  test('are silent without a level', async () => {
    const peer = await openRevision(doing(logAll), '2026-07-28');
    await peer.tool('act');
    expect(levels(peer)).toEqual([]);
  });

  test.each([...LOG_LEVELS])('are those at %s and above when that was asked for', async (logLevel) => {
    const peer = await openRevision(doing(logAll), '2026-07-28', { logLevel });
    await peer.tool('act');
    expect(levels(peer)).toEqual(LOG_LEVELS.slice(LOG_LEVELS.indexOf(logLevel)));
  });

  test('a level that does not exist is refused', async () => {
    const peer = await openRevision(doing(logAll), '2026-07-28', { logLevel: 'loud' });
    expect(await peer.refusal('tools/call', { name: 'act' })).toMatchObject({ code: -32602 });
  });
});

describe.each(VERSIONS)('logging in %s', (version) => {
  test('is neither declared nor done on a server without it', async () => {
    const server = doing(logAll, { logging: false });
    const peer = await openRevision(server, version, { logLevel: 'debug' });
    expect(peer.opening.result?.capabilities).not.toHaveProperty('logging');
    await peer.tool('act');
    server.log('emergency', 'x');
    await peer.quiet();
    expect(levels(peer)).toEqual([]);
    expect((await peer.refusal('logging/setLevel', { level: 'info' })).code).toBe(-32601);
  });

  test('always has data, and comes before the answer of its call', async () => {
    const peer = await openRevision(
      doing((ctx) => ctx.log('error', undefined)),
      version,
      { logLevel: 'debug' },
    );
    const id = peer.post('tools/call', { name: 'act' });
    await peer.wire.answerTo(id);
    const [log] = peer.wire.all('notifications/message');
    expect(log?.params).toEqual({ level: 'error', data: null });
    const order = peer.wire.received.map((message) => message.method ?? message.id);
    expect(order.indexOf('notifications/message')).toBeLessThan(order.indexOf(id));
  });
});

describe.each(VERSIONS)('progress in %s', (version) => {
  const progress = (peer: RevisionPeer) =>
    peer.wire.all('notifications/progress').map(({ params }) => params);
  const act = (peer: RevisionPeer, progressToken?: unknown) =>
    peer.tool('act', {}, progressToken === undefined ? {} : { _meta: { progressToken } });

  test('is sent under the token of the request, of either type', async () => {
    const peer = await openRevision(
      doing((ctx) => ctx.progress(1, 2, 'half')),
      version,
    );
    await act(peer, 'token');
    await act(peer, 7);
    await act(peer, 0);
    await act(peer, '');
    const message = version === '2024-11-05' ? {} : { message: 'half' };
    expect(progress(peer)).toEqual(
      ['token', 7, 0, ''].map((progressToken) => ({ progressToken, progress: 1, total: 2, ...message })),
    );
  });

  test.each([undefined, null, {}, true])('is not sent without a token (%j)', async (token) => {
    const peer = await openRevision(
      doing((ctx) => ctx.progress(1)),
      version,
    );
    await act(peer, token);
    await peer.quiet();
    expect(progress(peer)).toEqual([]);
  });

  test('rises with every message; what does not is left out, as is what JSON cannot say', async () => {
    const values = [0, 1, 1, 0.5, 1.5, Number.NaN, -1, 3, 2, Number.POSITIVE_INFINITY, 4];
    const peer = await openRevision(
      doing((ctx) => {
        for (const value of values) ctx.progress(value, Number.POSITIVE_INFINITY);
      }),
      version,
    );
    await act(peer, 't');
    expect(progress(peer)).toEqual(
      [0, 1, 1.5, 3, 4].map((value) => ({ progressToken: 't', progress: value })),
    );
  });

  test('may begin below zero', async () => {
    const peer = await openRevision(
      doing((ctx) => ctx.progress(-5)),
      version,
    );
    await act(peer, 't');
    expect(progress(peer)).toEqual([{ progressToken: 't', progress: -5 }]);
  });

  test('ends with the call', async () => {
    const contexts: Context[] = [];
    const peer = await openRevision(
      doing((ctx) => void contexts.push(ctx)),
      version,
      { logLevel: 'debug' },
    );
    await act(peer, 't');
    contexts[0]?.progress(1);
    contexts[0]?.log('emergency', 'late');
    contexts[0]?.notify('x/late');
    await peer.quiet();
    expect(progress(peer)).toEqual([]);
    expect(peer.wire.received.filter(({ method }) => method !== undefined)).toEqual([]);
  });

  test('of two calls at once goes to the token of each', async () => {
    const release: (() => void)[] = [];
    const server = doing(async (ctx) => {
      ctx.progress(1);
      await new Promise<void>((resolve) => release.push(resolve));
      ctx.progress(2);
    });
    const peer = await openRevision(server, version);
    const [one, two] = [
      peer.post('tools/call', { name: 'act', _meta: { progressToken: 'one' } }),
      peer.post('tools/call', { name: 'act', _meta: { progressToken: 'two' } }),
    ];
    await peer.wire.next(({ params }) => params?.progressToken === 'one');
    await peer.wire.next(({ params }) => params?.progressToken === 'two');
    for (const resume of release) resume();
    await Promise.all([peer.wire.answerTo(one), peer.wire.answerTo(two)]);
    expect(progress(peer)).toEqual([
      { progressToken: 'one', progress: 1 },
      { progressToken: 'two', progress: 1 },
      { progressToken: 'one', progress: 2 },
      { progressToken: 'two', progress: 2 },
    ]);
  });
});

describe('a notification of the author', () => {
  test('travels on the stream of its call', async () => {
    const peer = await openRevision(
      doing((ctx) => {
        ctx.notify('x/one', { a: 1 });
        ctx.notify('x/two');
      }),
      '2025-11-25',
    );
    await peer.tool('act');
    expect(peer.wire.all('x/one')[0]).toEqual({ jsonrpc: '2.0', method: 'x/one', params: { a: 1 } });
    expect(peer.wire.all('x/two')[0]).toEqual({ jsonrpc: '2.0', method: 'x/two', params: {} });
  });

  test('that is no JSON fails the call that sends it', async () => {
    const errors: unknown[] = [];
    const server = doing((ctx) => ctx.log('error', 1n), { onError: (error) => errors.push(error) });
    const peer = await openRevision(server, '2025-11-25');
    expect(await peer.tool('act')).toMatchObject({ isError: true });
    expect(errors).toEqual([expect.any(TypeError)]);
  });
});
