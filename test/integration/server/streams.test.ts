/** Event streams: answers to POST that need one, and the GET stream of a session. */

import { afterEach, expect, it, vi } from 'vitest';
import { SessionPeer, stateless, statelessCall, statelessTool } from '../../support/http-peer.js';
import { createFixture } from '../../support/http-server.js';
import { describeMatrix } from '../../support/http-target.js';
import { RawSocket } from '../../support/raw-socket.js';
import { textOf } from '../../support/wire-peer.js';

const VERSIONS = ['2025-03-26', '2025-06-18', '2025-11-25'] as const;
const PROGRESS = { meta: { progressToken: 'p' } };

describeMatrix('the answer to a POST', (start) => {
  it.each(VERSIONS)('is a stream only when something precedes the result (%s)', async (version) => {
    const peer = await SessionPeer.open(await start(createFixture().server), version);
    const silent = await peer.tool('progress');
    expect(silent.header('content-type')).toBe('application/json');
    const telling = await peer.tool('progress', {}, PROGRESS);
    expect(telling.isStream).toBe(true);
    const messages = await telling.messages();
    expect(messages.slice(0, 3).map(({ params }) => params?.progress)).toEqual([1, 2, 3]);
    expect(textOf(messages[3]?.result ?? {})).toBe('progressed');
    expect(messages).toHaveLength(4);
  });

  it('is a stream only when something precedes the result (stateless)', async () => {
    const target = await start(createFixture().server);
    const silent = await statelessTool(target, 'progress');
    expect(silent.header('content-type')).toBe('application/json');
    const telling = await statelessTool(target, 'progress', {}, PROGRESS);
    expect(telling.isStream).toBe(true);
    expect(await telling.messages()).toHaveLength(4);
  });

  it('waits for the result when it is late, and is then plain', async () => {
    const { server, steps } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-11-25');
    const pending = peer.tool('wait');
    await steps.until('started');
    steps.open('go');
    expect((await pending).header('content-type')).toBe('application/json');
  });

  it('as a stream is not buffered, cached or transformed on its way', async () => {
    const target = await start(createFixture().server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    for (const answer of [
      await statelessTool(target, 'progress', {}, PROGRESS),
      await peer.tool('progress', {}, PROGRESS),
      await peer.stream(),
    ]) {
      expect(answer.header('content-type')).toBe('text/event-stream');
      expect(answer.header('x-accel-buffering')).toBe('no');
      expect(answer.header('cache-control')).toContain('no-cache');
      expect(answer.header('content-length')).toBeUndefined();
      if (!answer.events.length) answer.drop();
    }
  });

  it('as a stream holds one message in each event, on one line, and ends with the result', async () => {
    const { server } = createFixture();
    server.tool('lines', {}, (_args, ctx) => {
      ctx.progress(1, 1, 'a\nb\r\nc\u2028d');
      return 'x\n\ny\r\r\n\n';
    });
    const target = await start(server);
    const answer = await statelessTool(target, 'lines', {}, PROGRESS);
    const messages = await answer.messages();
    expect(messages[0]?.params?.message).toBe('a\nb\r\nc\u2028d');
    expect(textOf(messages[1]?.result ?? {})).toBe('x\n\ny\r\r\n\n');
    expect(answer.events.map(({ event }) => event)).toEqual(['message', 'message']);
    expect(await answer.ending).toBe('end');
  });

  it('as a stream shows what was said before the result is there', async () => {
    const { server, steps } = createFixture();
    const target = await start(server);
    const answer = await statelessTool(target, 'tell', {}, PROGRESS);
    expect((await answer.message()).params).toMatchObject({ progress: 1, message: 'first' });
    steps.open('more');
    expect((await answer.message()).params).toMatchObject({ progress: 2, message: 'second' });
    steps.open('go');
    expect((await answer.messages()).at(-1)?.result).toBeTruthy();
  });

  it('drops notifications for a client that accepts no stream', async () => {
    const target = await start(createFixture().server);
    const headers = { accept: 'application/json' };
    const modern = await statelessTool(target, 'progress', {}, { ...PROGRESS, headers });
    expect(textOf(await modern.result())).toBe('progressed');
    const peer = await SessionPeer.open(target, '2025-11-25');
    const old = await peer.tool('progress', {}, { ...PROGRESS, headers });
    expect(old.header('content-type')).toBe('application/json');
    expect(textOf(await old.result())).toBe('progressed');
  });

  it('carries log messages of the call, by the level of the session or of the request', async () => {
    const target = await start(createFixture().server);
    const peer = await SessionPeer.open(target, '2025-11-25');
    const logged = (await (await peer.tool('log')).messages()).map(({ params }) => params?.data);
    expect(logged).toEqual(['a warning', undefined]);
    expect(await (await statelessTool(target, 'log')).messages()).toHaveLength(1);
    const asked = await statelessTool(target, 'log', {}, { logLevel: 'debug' });
    expect((await asked.messages()).map(({ params }) => params?.data)).toEqual([
      'a detail',
      'a warning',
      undefined,
    ]);
  });

  it('never carries a request of the server to a stateless client', async () => {
    const target = await start(createFixture().server);
    const answer = await statelessTool(target, 'ask', {}, { capabilities: { elicitation: {} } });
    expect((await answer.response()).result?.resultType).toBe('input_required');
  });

  it('is not disturbed by a handler that talks on after its result', async () => {
    const { server, steps } = createFixture();
    server.tool('chatty', {}, (_args, ctx) => {
      void steps.opened('late').then(() => {
        ctx.progress(9);
        ctx.log('error', 'too late');
        ctx.release();
        ctx.roots().catch(() => steps.reach('refused'));
      });
      return 'answered';
    });
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-11-25', { capabilities: { roots: {} } });
    const answer = await peer.tool('chatty', {}, PROGRESS);
    expect(textOf(await answer.result())).toBe('answered');
    steps.open('late');
    await steps.until('refused');
    expect(target.handle?.open().streams ?? 0).toBe(0);
    expect((await peer.tool('echo', { text: 'x' })).status).toBe(200);
  });
});

describeMatrix('open streams', (start) => {
  afterEach(() => vi.useRealTimers());

  it('are kept alive with comments', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { server, steps } = createFixture({ http: { keepAlive: 7000 } });
    const target = await start(server);
    const peer = await SessionPeer.open(target, '2025-03-26');
    const get = await peer.stream();
    const call = await peer.tool('tell', {}, PROGRESS);
    const modern = await statelessTool(target, 'tell', {}, PROGRESS);
    const listen = await stateless(target, 'subscriptions/listen', { notifications: {} });
    await steps.until('told', 2);
    for (const stream of [call, modern, listen]) await stream.message();
    for (const _round of [1, 2]) {
      await vi.advanceTimersByTimeAsync(7000);
      for (const stream of [get, call, modern, listen]) {
        expect((await stream.event()).comment).toBe('keep-alive');
      }
    }
    for (const stream of [get, call, modern, listen]) stream.drop();
  });

  it('need no timer when there are none', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { server, steps } = createFixture({ http: { sessions: false } });
    const target = await start(server);
    // The listener of node:http has one of its own.
    const idle = vi.getTimerCount();
    const answer = await statelessTool(target, 'tell', {}, PROGRESS);
    await steps.until('told');
    expect(vi.getTimerCount()).toBe(idle + 1);
    steps.open('more');
    steps.open('go');
    await answer.text();
    expect(vi.getTimerCount()).toBe(idle);
  });

  it('are cut when their reader is too slow, and the call is told', async () => {
    const { server, steps } = createFixture({ http: { limits: { backlogBytes: 1000 } } });
    server.tool('flood', {}, async (_args, ctx) => {
      ctx.signal.addEventListener('abort', () => steps.reach('aborted'));
      for (let index = 1; !ctx.signal.aborted; index += 1) {
        ctx.progress(index, undefined, 'x'.repeat(100_000));
        await new Promise((resolve) => setImmediate(resolve));
      }
      return 'never';
    });
    const target = await start(server);
    const { body, headers } = statelessCall('tools/call', { name: 'flood', arguments: {} }, PROGRESS);
    const text = JSON.stringify(body);
    if (target.handle === undefined) {
      // Nobody reads the response.
      await server.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body: text }));
      await steps.until('aborted');
      return;
    }
    const socket = await RawSocket.open(target.origin);
    socket.pause();
    const lines = Object.entries({ ...headers, host: 'localhost', 'content-length': `${text.length}` });
    await socket.head('POST /mcp HTTP/1.1', ...lines.map(([name, value]) => `${name}: ${value}`));
    await socket.write(text);
    await steps.until('aborted');
    expect(target.handle.open().streams).toBe(0);
    socket.destroy();
  });
});

describeMatrix('the GET stream of a session', (start) => {
  it.each(VERSIONS)("tells of changed lists, of the client's resources and of logs (%s)", async (version) => {
    const { server } = createFixture();
    const peer = await SessionPeer.open(await start(server), version);
    const stream = await peer.stream();
    await (await peer.request('resources/subscribe', { uri: 'test://fixed' })).result();
    server.tool('late', {}, () => '');
    expect((await stream.message()).method).toBe('notifications/tools/list_changed');
    server.listChanged('prompts');
    expect((await stream.message()).method).toBe('notifications/prompts/list_changed');
    server.listChanged('resources');
    expect((await stream.message()).method).toBe('notifications/resources/list_changed');
    server.resourceUpdated('test://other');
    server.resourceUpdated('test://fixed');
    expect(await stream.message()).toMatchObject({
      method: 'notifications/resources/updated',
      params: { uri: 'test://fixed' },
    });
    server.log('debug', 'too fine');
    server.log('error', 'gone wrong');
    expect(await stream.message()).toMatchObject({
      method: 'notifications/message',
      params: { level: 'error', data: 'gone wrong' },
    });
    await (await peer.request('resources/unsubscribe', { uri: 'test://fixed' })).result();
    server.resourceUpdated('test://fixed');
    server.log('error', 'the end');
    expect((await stream.message()).params?.data).toBe('the end');
    stream.drop();
  });

  it('passes outbound middleware', async () => {
    const { server } = createFixture();
    server.use({ direction: 'outbound', method: 'notifications/message' }, (call, next) =>
      next({ ...call, params: { ...call.params, data: `${call.caller.sessionId}` } }),
    );
    const peer = await SessionPeer.open(await start(server), '2025-06-18');
    const stream = await peer.stream();
    server.log('error', 'plain');
    expect((await stream.message()).params?.data).toBe(peer.id);
    stream.drop();
  });

  it('carries no answers, and nothing that belongs to a call', async () => {
    const { server } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-03-26');
    const stream = await peer.stream();
    await (await peer.tool('progress', {}, PROGRESS)).messages();
    await (await peer.tool('log')).messages();
    server.log('error', 'mark');
    await stream.message();
    expect(stream.received).toHaveLength(1);
    stream.drop();
  });

  it('says nothing before the client is ready', async () => {
    const { server } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-06-18', { initialized: false });
    const stream = await peer.stream();
    server.log('error', 'early');
    server.listChanged('tools');
    await new Promise((resolve) => setImmediate(resolve));
    await peer.notify('notifications/initialized');
    server.log('error', 'ready');
    expect((await stream.message()).params?.data).toBe('ready');
    expect(stream.received).toHaveLength(1);
    stream.drop();
  });

  it('is the newest one when there are several: a message goes out once', async () => {
    const { server } = createFixture();
    const peer = await SessionPeer.open(await start(server), '2025-06-18');
    const older = await peer.stream();
    const newer = await peer.stream();
    server.log('error', 'one');
    expect((await newer.message()).params?.data).toBe('one');
    server.log('error', 'two');
    expect((await newer.message()).params?.data).toBe('two');
    expect(older.received).toEqual([]);
    older.drop();
    newer.drop();
  });

  it("is the session's own", async () => {
    const { server } = createFixture();
    const target = await start(server);
    const ada = await SessionPeer.open(target, '2025-06-18');
    const bob = await SessionPeer.open(target, '2025-06-18');
    const [adas, bobs] = [await ada.stream(), await bob.stream()];
    await (await ada.request('resources/subscribe', { uri: 'test://fixed' })).result();
    server.resourceUpdated('test://fixed');
    server.log('error', 'both');
    expect((await adas.message()).method).toBe('notifications/resources/updated');
    expect((await adas.message()).params?.data).toBe('both');
    expect((await bobs.message()).params?.data).toBe('both');
    adas.drop();
    bobs.drop();
  });
});
