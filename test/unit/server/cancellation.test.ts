import { describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../../src/server/index.js';
import { HANDSHAKE_VERSIONS, openRevision, textOf, VERSIONS } from '../../support/wire-peer.js';

interface Slow {
  readonly server: Server;
  /** Resolves when the tool runs. */
  readonly started: Promise<void>;
  readonly reasons: unknown[];
  /** Lets the tool end in its own way. */
  finish(): void;
  /** Resolves when the handler has ended. */
  readonly ended: Promise<void>;
}

/** A tool that runs until the test ends it, whatever its signal says. */
function slow(): Slow {
  const server = createServer({ name: 's', version: '1' });
  const reasons: unknown[] = [];
  let start = (): void => {};
  let finish = (): void => {};
  let end = (): void => {};
  const started = new Promise<void>((resolve) => {
    start = resolve;
  });
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  server.tool('slow', {}, async (_args, ctx) => {
    ctx.signal.addEventListener('abort', () => reasons.push(ctx.signal.reason));
    start();
    await finished;
    ctx.progress(5);
    ctx.log('emergency', 'still here');
    end();
    return 'done';
  });
  server.tool('quick', {}, () => 'quick');
  return { server, started, reasons, finish: () => finish(), ended };
}

describe.each(VERSIONS)('cancellation in %s', (version) => {
  const open = (server: Server) => openRevision(server, version, { logLevel: 'debug' });

  test.each([
    ['notifications/cancelled', (id: unknown) => ({ requestId: id, reason: 'bored' })],
    ['$/cancelRequest', (id: unknown) => ({ id, reason: 'bored' })],
  ])('%s aborts the signal, and nothing more is said about the call', async (method, params) => {
    const { server, started, reasons, finish, ended } = slow();
    const peer = await open(server);
    const id = peer.post('tools/call', { name: 'slow', _meta: { progressToken: 't' } });
    await started;
    peer.wire.notify(method, params(id));
    await peer.quiet();
    expect(reasons).toEqual([
      expect.objectContaining({ code: 'cancelled', message: expect.stringContaining('bored') }),
    ]);
    finish();
    await ended;
    await peer.quiet();
    const since = peer.wire.received.slice(1).filter((message) => !String(message.id).startsWith('quiet'));
    expect(since).toEqual([]);
    expect(textOf(await peer.tool('quick'))).toBe('quick');
  });

  test('an id that is unknown, finished, of another type or no id at all is ignored', async () => {
    const { server, started, reasons, finish } = slow();
    const peer = await open(server);
    await peer.request('tools/call', { name: 'quick' }, 50);
    peer.post('tools/call', { name: 'slow' }, 7);
    await started;
    for (const requestId of [50, 999, '7', null, {}, [7], 7.5, undefined, true]) {
      peer.wire.notify('notifications/cancelled', { requestId });
    }
    peer.wire.notify('notifications/cancelled');
    peer.wire.notify('notifications/cancelled', { reason: 5 });
    await peer.quiet();
    expect(reasons).toEqual([]);
    finish();
    expect((await peer.wire.answerTo(7)).result).toBeDefined();
  });

  test('twice is once, and a reason is no must', async () => {
    const { server, started, reasons } = slow();
    const peer = await open(server);
    const id = peer.post('tools/call', { name: 'slow' });
    await started;
    peer.wire.notify('notifications/cancelled', { requestId: id, reason: 5 });
    peer.wire.notify('notifications/cancelled', { requestId: id });
    await peer.quiet();
    expect(reasons).toHaveLength(1);
  });

  test('a handler that looks at its signal late finds it aborted', async () => {
    const server = createServer({ name: 's', version: '1' });
    let release = (): void => {};
    const waiting = new Promise<void>((resolve) => {
      release = resolve;
    });
    let begun = (): void => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const seen: boolean[] = [];
    server.tool('late', {}, async (_args, ctx) => {
      begun();
      await waiting;
      seen.push(ctx.signal.aborted);
    });
    const peer = await open(server);
    const id = peer.post('tools/call', { name: 'late' });
    await started;
    peer.wire.notify('notifications/cancelled', { requestId: id });
    await peer.quiet();
    release();
    await peer.quiet();
    expect(seen).toEqual([true]);
  });

  test('a handler that throws because it was cancelled is not reported as broken', async () => {
    const errors: unknown[] = [];
    const server = createServer({ name: 's', version: '1', onError: (error) => errors.push(error) });
    let begun = (): void => {};
    const started = new Promise<void>((resolve) => {
      begun = resolve;
    });
    server.tool('obedient', {}, (_args, ctx) => {
      begun();
      return new Promise<string>((_resolve, reject) =>
        ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason)),
      );
    });
    const peer = await open(server);
    const id = peer.post('tools/call', { name: 'obedient' });
    await started;
    peer.wire.notify('notifications/cancelled', { requestId: id });
    await peer.quiet();
    expect(errors).toEqual([]);
    expect(peer.wire.received.some((message) => message.id === id)).toBe(false);
  });

  test('the end of the connection cancels what still runs', async () => {
    const { server, started, reasons } = slow();
    const peer = await open(server);
    peer.post('tools/call', { name: 'slow' });
    await started;
    await peer.wire.close();
    await new Promise((resolve) => setImmediate(resolve));
    expect(reasons).toEqual([expect.objectContaining({ code: 'cancelled' })]);
  });

  test('server.close cancels what still runs and ends every connection', async () => {
    const { server, started, reasons, finish } = slow();
    const [one, two] = [await open(server), await open(server)];
    one.post('tools/call', { name: 'slow' });
    await started;
    await server.close();
    expect(await one.wire.closing).toEqual({ kind: 'remote' });
    expect(await two.wire.closing).toEqual({ kind: 'remote' });
    expect(reasons).toHaveLength(1);
    finish();
    await server.close();
  });
});

describe.each(HANDSHAKE_VERSIONS)('a question in %s', (version) => {
  test('is withdrawn when the call it serves is cancelled', async () => {
    const server = createServer({ name: 's', version: '1' });
    const outcomes: unknown[] = [];
    server.tool('ask', {}, async (_args, ctx) => {
      await ctx.roots().catch((error) => outcomes.push(error.code));
    });
    const peer = await openRevision(server, version, { capabilities: { roots: {} } });
    const id = peer.post('tools/call', { name: 'ask' });
    const question = await peer.wire.question('roots/list');
    peer.wire.notify('notifications/cancelled', { requestId: id });
    const withdrawn = await peer.wire.notification('notifications/cancelled');
    expect(withdrawn.params?.requestId).toBe(question.id);
    await peer.quiet();
    expect(outcomes).toEqual(['cancelled']);
    // An answer that comes late is nobody's.
    peer.wire.send({ jsonrpc: '2.0', id: question.id, result: { roots: [] } });
    await peer.quiet();
    expect(peer.wire.received.some((message) => message.id === id && message.method === undefined)).toBe(
      false,
    );
  });

  test('fails when the client goes, and the handler learns why', async () => {
    const server = createServer({ name: 's', version: '1' });
    const outcome = new Promise((resolve) => {
      server.tool('ask', {}, async (_args, ctx) => {
        await ctx.roots().catch((error) => resolve(error.code));
      });
    });
    const peer = await openRevision(server, version, { capabilities: { roots: {} } });
    peer.post('tools/call', { name: 'ask' });
    await peer.wire.question('roots/list');
    await peer.wire.close();
    expect(await outcome).toBe('connection_closed');
  });
});
